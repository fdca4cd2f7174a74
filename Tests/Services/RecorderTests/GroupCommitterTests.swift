import Catalogue
import Synchronization
import TestSupport
import Testing
import Timeline

@testable import Recorder

@Suite("Committing what all channels have")
struct GroupCommitterTests {
    /// Where batches go: what was committed in one call each.
    private final class Database: Sendable {
        let calls = Mutex<[[Int32]]>([])
        let leftOut: Set<Int32>
        let stuck: Set<Int32>
        let error: CatalogueError?

        init(leavingOut leftOut: Set<Int32> = [], stuck: Set<Int32> = [], error: CatalogueError? = nil) {
            (self.leftOut, self.stuck, self.error) = (leftOut, stuck, error)
        }

        var target: GroupCommitter.Target {
            GroupCommitter.Target(
                together: { (batches) async throws(CatalogueError) in
                    self.calls.withLock { $0.append(batches.map(\.channel).sorted()) }
                    if let error = self.error { throw error }
                    let held = batches.map(\.channel).filter { !self.leftOut.contains($0) }
                    return Dictionary(uniqueKeysWithValues: held.map { ($0, $0 != 5) })
                },
                alone: { (batch) async throws(CatalogueError) in
                    self.calls.withLock { $0.append([batch.channel]) }
                    while self.stuck.contains(batch.channel) { try? await Task.sleep(for: .seconds(60)) }
                    return true
                })
        }
    }

    @Test("Batches that wait for locks leave connections to the others, also to one that comes alone")
    func manyStuck() async throws {
        let database = Database(leavingOut: Set(1...6), stuck: Set(1...6))
        let committer = committer(database)
        #expect(try await committer.commit(Batch(unpublishedIn: 99)))
        let stuck = Task { await commit(1...6, to: committer) }
        try await eventually("two wait for locks") {
            database.calls.withLock { $0.count { $0.count == 1 && $0 != [99] } } == 2
        }
        // Whatever comes next is committed, and no other of these is tried meanwhile.
        let held = await commit(10...20, to: committer)
        #expect(held.count == 11)
        for channel in Int32(30)...35 {
            #expect(try await committer.commit(Batch(unpublishedIn: channel)))
            #expect(database.calls.withLock { $0.last } == [channel])
        }
        #expect(database.calls.withLock { $0.count { $0.count == 1 && $0[0] < 10 } } == 2)
        stuck.cancel()
        _ = await stuck.value
    }

    private func committer(_ database: Database, _ clock: TestClock = TestClock()) -> GroupCommitter {
        GroupCommitter(database.target, clock: clock.clock, pause: .milliseconds(500))
    }

    private func commit(_ channels: ClosedRange<Int32>, to committer: GroupCommitter) async -> [Int32: Bool] {
        await withTaskGroup(of: (Int32, Bool?).self) { group in
            for channel in channels {
                group.addTask { (channel, try? await committer.commit(Batch(unpublishedIn: channel))) }
            }
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
    }

    @Test("What waits shares a transaction, and each channel gets its own result")
    func sharing() async throws {
        let database = Database()
        let committer = committer(database)
        #expect(try await committer.commit(Batch(unpublishedIn: 99)))
        // The first one began the pause in which the others gather.
        let held = await commit(1...50, to: committer)
        #expect(held == Dictionary(uniqueKeysWithValues: (1...50).map { (Int32($0), $0 != 5) }))
        #expect(database.calls.withLock { $0 } == [[99], (1...50).map { Int32($0) }])
    }

    @Test("A channel that is left out is committed by itself, and one that is stuck holds up no other")
    func leftOut() async throws {
        let database = Database(leavingOut: [3, 4], stuck: [3])
        let committer = committer(database)
        _ = try await committer.commit(Batch(unpublishedIn: 99))
        let stuck = Task { try await committer.commit(Batch(unpublishedIn: 3)) }
        while await committer.waitingCount == 0 { await Task.yield() }
        #expect(await commit(4...6, to: committer) == [4: true, 5: false, 6: true])
        #expect(await commit(7...8, to: committer) == [7: true, 8: true])
        stuck.cancel()
        #expect(await stuck.result.isNotInTime)
        #expect(database.calls.withLock { $0.contains([4]) })
    }

    @Test("An error of the transaction is every channel's")
    func error() async throws {
        let database = Database(error: .notInTime)
        let committer = committer(database)
        await #expect(throws: CatalogueError.self) { try await committer.commit(Batch(unpublishedIn: 99)) }
        #expect(await commit(1...3, to: committer).isEmpty)
        #expect(database.calls.withLock { $0 } == [[99], [1, 2, 3]])
    }

    @Test("Two batches of one channel go in one after the other")
    func order() async throws {
        let database = Database()
        let committer = committer(database)
        _ = try await committer.commit(Batch(unpublishedIn: 99))
        async let first = committer.commit(Batch(unpublishedIn: 1))
        async let second = committer.commit(Batch(unpublishedIn: 1))
        async let other = committer.commit(Batch(unpublishedIn: 2))
        #expect(try await [first, second, other] == [true, true, true])
        #expect(database.calls.withLock { $0 } == [[99], [1, 2], [1]])
    }
}

extension Result<Bool, any Error> {
    fileprivate var isNotInTime: Bool {
        if case .failure(CatalogueError.notInTime) = self { true } else { false }
    }
}
