import Concurrency
import TestSupport
import Testing

@Suite("Waiting for a task with a limit")
struct TaskLimitTests {
    @Test("A value that comes is returned without waiting for the limit")
    func value() async {
        #expect(await Task { 7 }.value(within: .seconds(60), by: ManualClock().clock) == 7)
    }

    @Test("A task that hangs and ignores its cancellation is not waited for beyond the limit, and goes on")
    func hanging() async throws {
        let time = ManualClock()
        let (gate, opener) = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            // A task of its own waits at the gate: cancellation does not reach it.
            await Task { for await _ in gate {} }.value
            return 7
        }
        task.cancel()
        async let inTime = task.value(within: .seconds(2), by: time.clock)
        try await time.sleepers()
        time.advance(by: .seconds(2))
        #expect(await inTime == nil)
        opener.finish()
        #expect(await task.value(within: .seconds(60), by: time.clock) == 7)
    }
}
