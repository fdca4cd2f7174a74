import Concurrency
import Glibc
import Synchronization
import Testing

@Suite("Threads of a lower priority")
struct BackgroundExecutorTests {
    @Test("A task runs with a higher niceness than its caller") func niceness() async {
        let executor = BackgroundExecutor(threads: 1)
        let own = Self.threadNiceness
        let background = await Task(executorPreference: executor) { Self.threadNiceness }.value
        #expect(background == min(own + 5, 19))
    }

    @Test("At most so many jobs run at a time, and all of them do", arguments: [(1, 1), (3, 3), (0, 1)])
    func limit(_ threads: Int, _ atOnce: Int) async {
        let executor = BackgroundExecutor(threads: threads)
        let counts = Counts()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<200 {
                group.addTask(executorPreference: executor) {
                    counts.begin()
                    usleep(200)
                    counts.end()
                }
            }
        }
        let (running, most, done) = counts.now
        #expect(running == 0 && done == 200)
        #expect(most <= atOnce)
    }

    @Test("No job is lost while threads end because they have nothing to do") func idle() async {
        let executor = BackgroundExecutor(threads: 2, idle: .milliseconds(1))
        let counts = Counts()
        for round in 0..<999 {
            await withTaskGroup(of: Void.self) { group in
                for _ in 0...round % 3 {
                    group.addTask(executorPreference: executor) {
                        counts.begin()
                        await Task.yield()
                        counts.end()
                    }
                }
            }
            usleep(UInt32(round % 7) * 300)
        }
        #expect(counts.now.done == 1998)
    }

    /// How many jobs run, ran at the same time at most, and have ended.
    private final class Counts: Sendable {
        private let counts = Mutex((running: 0, most: 0, done: 0))

        var now: (running: Int, most: Int, done: Int) { counts.withLock { $0 } }

        func begin() {
            counts.withLock { $0 = ($0.running + 1, max($0.most, $0.running + 1), $0.done) }
        }

        func end() {
            counts.withLock { $0 = ($0.running - 1, $0.most, $0.done + 1) }
        }
    }

    private static var threadNiceness: Int32 {
        // To the kernel zero is the calling thread.
        getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0)
    }
}
