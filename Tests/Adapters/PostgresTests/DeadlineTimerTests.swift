import Synchronization
import TestSupport
import Testing

@testable import Postgres

@Suite("The deadline of one who waits for a connection")
struct DeadlineTimerTests {
    private final class Witness: Sendable {
        let count = Atomic(0)
    }

    private struct Seen {
        weak var witness: Witness?
    }

    @Test("runs its action once, when the time is over")
    func over() async throws {
        let witness = Witness()
        let timer = DeadlineTimer(after: .milliseconds(20)) {
            witness.count.wrappingAdd(1, ordering: .relaxed)
        }
        try await eventually { witness.count.load(ordering: .relaxed) > 0 }
        timer.cancel()
        #expect(witness.count.load(ordering: .relaxed) == 1)
    }

    @Test("lets go of its action as soon as it is cancelled, and not when the time is over")
    func cancelled() async throws {
        var witness: Witness? = Witness()
        let seen = Seen(witness: witness)
        let timer = DeadlineTimer(after: .seconds(3600)) { [witness] in
            witness?.count.wrappingAdd(1, ordering: .relaxed)
        }
        witness = nil
        #expect(seen.witness != nil)
        timer.cancel()
        try await eventually { seen.witness == nil }
    }
}
