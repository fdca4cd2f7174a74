import Dispatch
import Testing

@testable import HTTPClient

struct LoopMailboxTests {
    private static let long = 60_000

    private func pause(_ mailbox: LoopMailbox, milliseconds: Int) -> Duration {
        ContinuousClock().measure { mailbox.pause(milliseconds: milliseconds) }
    }

    @Test("A command ends a pause that has begun")
    func wakesUp() throws {
        let mailbox = LoopMailbox(try MultiHandle.open())
        DispatchQueue.global().asyncAfter(deadline: .now() + 0.1) {
            mailbox.post(.cancel(TransferID(rawValue: 1)))
        }
        #expect(pause(mailbox, milliseconds: Self.long) < .seconds(30))
    }

    @Test("A command that waits leaves no pause, one that was removed leaves it")
    func counts() throws {
        let mailbox = LoopMailbox(try MultiHandle.open())
        for number in 1...3 as ClosedRange<UInt> { mailbox.post(.cancel(TransferID(rawValue: number))) }
        #expect(pause(mailbox, milliseconds: Self.long) < .seconds(30))
        #expect(mailbox.removeCommands().count == 3)
        #expect(pause(mailbox, milliseconds: 50) >= .milliseconds(50))
    }
}
