import Concurrency
import Synchronization
import TestSupport
import Testing

@testable import Playback

@Suite("Turns in which windows are read from the catalogue")
struct ClientTurnsTests {
    /// Windows that are being read until they are let go.
    private final class Reading: Sendable {
        private let names = Mutex<[String]>([])
        private let isOpen = Atomic(false)

        var begun: [String] { names.withLock { $0 } }

        func read(_ name: String) async {
            names.withLock { $0.append(name) }
            while !isOpen.load(ordering: .relaxed) { try? await Task.sleep(for: .milliseconds(5)) }
        }

        func finish() { isOpen.store(true, ordering: .relaxed) }
    }

    /// Turns with a clock that stands still, so that no wait times out.
    private func turns() -> ClientTurns {
        ClientTurns(4, perClient: 2, waiting: 64, clock: ManualClock().clock)
    }

    @Test("A client has its share, its next window waits, and others have their turns meanwhile")
    func share() async throws {
        let (turns, reading) = (turns(), Reading())
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<4 {
                group.addTask { try await turns.take(for: "a") { await reading.read("a\(number)") } }
            }
            try await eventually("a share") { reading.begun.count == 2 }
            group.addTask { try await turns.take(2, for: "b") { await reading.read("b") } }
            try await eventually("the other client") { reading.begun.contains("b") }
            #expect(reading.begun.count == 3)
            reading.finish()
            try await group.waitForAll()
        }
        #expect(reading.begun.count == 5)
    }

    @Test("What is beyond the windows of a client that may wait is refused at once")
    func flood() async throws {
        let (turns, reading) = (turns(), Reading())
        let places = 2 + Limits.clientWindowsWaiting
        let refused = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<2 * places {
                group.addTask { (try? await turns.take(for: "a") { await reading.read("a") }) == nil }
            }
            var refused = 0
            for await isRefused in group where isRefused {
                refused += 1
                // All others have a place now, and two of them their turn.
                if refused == places { reading.finish() }
            }
            return refused
        }
        #expect(refused == places && reading.begun.count == places)
    }
}
