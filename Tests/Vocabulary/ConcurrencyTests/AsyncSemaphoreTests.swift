import Concurrency
import Synchronization
import TestSupport
import Testing

@Suite("A semaphore for tasks")
struct AsyncSemaphoreTests {
    @Test("Never more tasks than permits run, and all of them get through")
    func permits() async {
        let semaphore = AsyncSemaphore(permits: 3, waiters: 1000)
        let running = Crowd()
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<200 {
                group.addTask {
                    await semaphore.withPermit {
                        running.change(by: 1)
                        await Task.yield()
                        running.change(by: -1)
                    } != nil
                }
            }
            for await isThrough in group { #expect(isThrough) }
        }
        #expect((1...3).contains(running.most))
    }

    @Test("A task that comes when too many wait is turned away")
    func full() async throws {
        let semaphore = AsyncSemaphore(permits: 1, waiters: 0)
        let inner = await semaphore.withPermit { await semaphore.withPermit { 1 } }
        #expect(inner == .some(nil))
        #expect(await semaphore.withPermit { 2 } == 2)
    }

    @Test("A task that waits longer than it may is turned away, and takes no permit with it")
    func late() async throws {
        let semaphore = AsyncSemaphore(permits: 1)
        let inner = await semaphore.withPermit {
            await semaphore.withPermit(within: .milliseconds(1), by: .system) { 1 }
        }
        #expect(inner == .some(nil))
        #expect(await semaphore.withPermit(within: .seconds(60), by: .system) { 2 } == 2)
    }

    @Test("A permit is given back when the body throws")
    func throwing() async throws {
        let semaphore = AsyncSemaphore(permits: 1)
        await #expect(throws: TestFailure.self) {
            try await semaphore.withPermit { throw TestFailure("the body") }
        }
        #expect(await semaphore.withPermit { 2 } == 2)
    }

    @Test("A task that needs several permits waits for them, and who comes later does not overtake it")
    func several() async throws {
        let semaphore = AsyncSemaphore(permits: 2)
        let (gate, opener) = AsyncStream.makeStream(of: Void.self)
        let (entries, entered) = AsyncStream.makeStream(of: Void.self)
        let holder = Task {
            await semaphore.withPermit {
                entered.yield()
                for await _ in gate {}
            }
        }
        for await _ in entries { break }
        let heavy = Task { await semaphore.withPermit(2, within: .seconds(60), by: .system) { 1 } }
        try await waiting(semaphore)
        opener.finish()
        #expect(await heavy.value == 1)
        await holder.value
        // All permits came back.
        #expect(await semaphore.withPermit(2, within: .seconds(1), by: .system) { 2 } == 2)
    }

    @Test("When one that needs several permits has waited too long, those behind it get theirs")
    func heavyLeaves() async throws {
        let (semaphore, time) = (AsyncSemaphore(permits: 2), ManualClock())
        let answers = try await semaphore.withPermit { () -> [Int?] in
            async let heavy = semaphore.withPermit(2, within: .seconds(1), by: time.clock) { 1 }
            try await waiting(semaphore)
            async let light = semaphore.withPermit(1, within: .seconds(60), by: time.clock) { 2 }
            try await time.sleepers(2)
            time.advance(by: .seconds(1))
            return await [heavy, light]
        }
        #expect(answers == [nil, 2])
    }

    /// Returns as soon as another task waits in the queue: from then on a free permit is not given to others.
    private func waiting(_ semaphore: AsyncSemaphore) async throws {
        try await eventually("a waiter") {
            await semaphore.withPermit(1, within: .milliseconds(1), by: .system) { 1 } == nil
        }
    }

    @Test("A waiter whose task is cancelled leaves, and the next one gets the permit")
    func cancelled() async throws {
        let semaphore = AsyncSemaphore(permits: 1)
        let (gate, opener) = AsyncStream.makeStream(of: Void.self)
        let (entries, entered) = AsyncStream.makeStream(of: Void.self)
        let holder = Task {
            await semaphore.withPermit {
                entered.yield()
                for await _ in gate {}
            }
        }
        for await _ in entries { break }
        let leaving = Task { await semaphore.withPermit { 1 } }
        let staying = Task { await semaphore.withPermit { 2 } }
        leaving.cancel()
        #expect(await leaving.value == nil)
        opener.finish()
        #expect(await staying.value == 2)
        await holder.value
    }
}

/// How many tasks run, and the most that ever did.
private final class Crowd: Sendable {
    private let count = Mutex((now: 0, most: 0))

    var most: Int { count.withLock { $0.most } }

    func change(by difference: Int) {
        count.withLock { count in
            count.now += difference
            count.most = max(count.most, count.now)
        }
    }
}
