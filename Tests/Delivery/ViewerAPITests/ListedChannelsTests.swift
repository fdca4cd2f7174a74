import Catalogue
import Concurrency
import Synchronization
import TestSupport
import Testing
import Timeline

@testable import ViewerAPI

@Suite("The channels of lists", .timeLimit(.minutes(5)))
struct ListedChannelsTests {
    private static func news() throws -> ListedChannel {
        let settings = ChannelSettings(
            id: try #require(ChannelID("news")), title: "News", sources: [], retentionSeconds: 86_400)
        return ListedChannel(channel: Channel(row: 1, settings: settings, version: 1), oldest: nil)
    }

    @Test("While a read hangs or fails, what was known last is there; nothing that was never read")
    func lastKnown() async throws {
        let time = ManualClock()
        let news = try Self.news()
        let catalogue = Mutex<Result<[ListedChannel], CatalogueError>?>(.failure(.notInTime))
        let reads = Mutex(0)
        let (gate, opener) = AsyncStream.makeStream(of: Void.self)
        let channels = ListedChannels(clock: time.clock) { () async throws(CatalogueError) in
            reads.withLock { $0 += 1 }
            guard let answer = catalogue.withLock({ $0 }) else {
                for await _ in gate {}
                throw CatalogueError.notInTime
            }
            return try answer.get()
        }
        await #expect(throws: CatalogueError.self) { try await channels.lastKnown() }
        catalogue.withLock { $0 = .success([news]) }
        #expect(try await channels.lastKnown() == [news])
        time.advance(by: .seconds(3))
        catalogue.withLock { $0 = .failure(.notInTime) }
        #expect(try await channels.lastKnown() == [news])
        // A moment later the catalogue is not asked again.
        let before = reads.withLock { $0 }
        #expect(try await channels.lastKnown() == [news])
        #expect(reads.withLock { $0 } == before)
        time.advance(by: .seconds(3))
        catalogue.withLock { $0 = nil }
        async let waiting = channels.lastKnown()
        try await time.sleepers()
        time.advance(by: Limits.listReadTimeout)
        #expect(try await waiting == [news])
        opener.finish()
    }

    @Test("All who ask while they are read wait for one read, and what it found is fresh for a while")
    func oneRead() async throws {
        let time = ManualClock()
        let counts = Mutex((asked: 0, read: 0))
        let clock = HostClock(
            now: time.clock.now,
            steady: {
                counts.withLock { $0.asked += 1 }
                return time.clock.steady()
            }, sleep: { _ in })
        let (gate, opener) = AsyncStream.makeStream(of: Void.self)
        let news = try Self.news()
        let channels = ListedChannels(clock: clock) {
            counts.withLock { $0.read += 1 }
            for await _ in gate {}
            return [news]
        }
        let asking = (0..<20).map { _ in Task { try await channels.all() } }
        try await eventually("all of them") { counts.withLock { $0.asked >= 20 && $0.read > 0 } }
        opener.finish()
        for task in asking { #expect(try await task.value == [news]) }
        #expect(counts.withLock { $0.read } == 1)
        time.advance(by: .seconds(Limits.listAgeSeconds))
        #expect(try await channels.all() == [news])
        #expect(counts.withLock { $0.read } == 2)
    }
}
