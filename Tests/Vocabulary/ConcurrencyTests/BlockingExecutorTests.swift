import Concurrency
import Glibc
import Synchronization
import Testing

@Suite("Executors whose threads may block")
struct BlockingExecutorTests {
    /// Counts on an executor that it is given.
    private actor Count {
        let thread: BlockingExecutor
        var value = 0

        nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe thread.asUnownedSerialExecutor() }

        init(_ thread: BlockingExecutor) {
            self.thread = thread
        }

        func add() { value += 1 }
    }

    @Test("Actors that share an executor run one after the other, each to its end")
    func serial() async {
        let thread = BlockingExecutor(label: "test")
        let counts = [Count(thread), Count(thread)]
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<200 { group.addTask { await counts[number % 2].add() } }
        }
        #expect(await counts[0].value == 100)
        #expect(await counts[1].value == 100)
    }

    @Test("Work that no task waits for runs in the order given")
    func order() async {
        let thread = BlockingExecutor(label: "test")
        let seen = Mutex<[Int]>([])
        for number in 0..<10 { thread.run { seen.withLock { $0.append(number) } } }
        await Count(thread).add()
        #expect(seen.withLock { $0 } == Array(0..<10))
    }

    @Test("What a task does between calls of an actor stays on the thread, where the task prefers it")
    func preferred() async {
        let thread = BlockingExecutor(label: "test")
        let count = Count(thread)
        await withTaskExecutorPreference(thread) {
            let first = pthread_self()
            for _ in 0..<100 {
                await count.add()
                #expect(pthread_self() == first)
            }
        }
        #expect(await count.value == 100)
    }

    @Test("Executors are given out in turn", arguments: [(1, 1), (3, 3), (0, 1)])
    func turns(_ count: Int, _ distinct: Int) {
        let threads = BlockingExecutors(label: "test", count: count)
        let dealt = (0..<6).map { _ in ObjectIdentifier(threads.next()) }
        #expect(Set(dealt).count == distinct)
        #expect(Array(dealt.prefix(distinct)) == Array(dealt.dropFirst(distinct).prefix(distinct)))
    }
}
