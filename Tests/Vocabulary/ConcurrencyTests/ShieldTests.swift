import Concurrency
import TestSupport
import Testing

@Suite("Cleanup that cancellation does not cut short")
struct ShieldTests {
    private let time = ManualClock()

    @Test("In a cancelled task the cleanup still waits, and its value comes back")
    func cancelled() async throws {
        let clock = time.clock
        let task = Task {
            await Task { withUnsafeCurrentTask { $0?.cancel() } }.value
            return try await withCancellationShield(by: clock) {
                try await clock.sleep(for: .seconds(1))
                return 7
            }
        }
        task.cancel()
        try await time.sleepers()
        time.advance(by: .seconds(1))
        #expect(try await task.value == 7)
    }

    @Test("After the limit the cleanup is cancelled, and its error comes back")
    func limit() async throws {
        let clock = time.clock
        let task = Task {
            try await withCancellationShield(within: .seconds(8), by: clock) {
                try await clock.sleep(for: .seconds(60))
            }
        }
        try await time.sleepers(2)
        time.advance(by: .seconds(8))
        await #expect(throws: CancellationError.self) { try await task.value }
        try await eventually { time.sleeperCount == 0 }
    }

    @Test("A cleanup that ends in time leaves no timer behind")
    func inTime() async throws {
        #expect(try await withCancellationShield(within: .seconds(8), by: time.clock) { 7 } == 7)
        try await eventually { time.sleeperCount == 0 }
    }
}
