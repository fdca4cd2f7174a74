import Testing

@testable import Catalogue

struct WaitingTests {
    @Test("A value that comes is waited for no longer than it takes")
    func value() async {
        let began = ContinuousClock.now
        #expect(await Task { 7 }.value(within: .seconds(60)) == 7)
        #expect(ContinuousClock.now - began < .seconds(30))
    }

    @Test("A task that hangs, and does not notice that it is cancelled, is left to itself and goes on")
    func hanging() async {
        let (gate, opener) = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            // A task of its own waits at the gate: cancellation does not reach it.
            await Task { for await _ in gate {} }.value
            return 7
        }
        task.cancel()
        #expect(await task.value(within: .milliseconds(10)) == nil)
        opener.finish()
        #expect(await task.value(within: .seconds(60)) == 7)
    }
}
