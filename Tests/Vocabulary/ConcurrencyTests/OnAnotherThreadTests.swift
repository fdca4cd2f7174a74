import Concurrency
import Foundation
import Testing

struct OnAnotherThreadTests {
    /// Begins a task on a thread of its own, which runs nothing else; says whether its body ran elsewhere.
    private func runsElsewhere() async -> Bool {
        await withCheckedContinuation { judged in
            Thread.detachNewThread {
                let first = currentThread()
                let isOver = DispatchSemaphore(value: 0)
                Task.immediate {
                    let isElsewhere = await onAnotherThread { currentThread() != first }
                    isOver.signal()
                    judged.resume(returning: isElsewhere)
                }
                // The id belongs to this thread for as long as it lives.
                isOver.wait()
            }
        }
    }

    private func currentThread() -> ObjectIdentifier { ObjectIdentifier(Thread.current) }

    @Test("The body never runs on the thread that calls, also where the other threads are quick")
    func elsewhere() async {
        for _ in 0..<500 { #expect(await runsElsewhere()) }
    }

    @Test("It gives the value of the body, or its error") func outcome() async throws {
        struct Refused: Error {}
        #expect(await onAnotherThread { 7 } == 7)
        await #expect(throws: Refused.self) {
            try await onAnotherThread { () async throws(Refused) -> Int in throw Refused() }
        }
    }

    @Test("A cancelled task is cancelled there too") func cancelled() async {
        let task = Task {
            withUnsafeCurrentTask { unsafe $0?.cancel() }
            return await onAnotherThread { Task.isCancelled }
        }
        #expect(await task.value)
    }
}
