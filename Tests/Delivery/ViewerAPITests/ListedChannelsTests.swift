import Catalogue
import Concurrency
import Synchronization
import TestSupport
import Testing
import Timeline

@testable import ViewerAPI

@Suite("The channels of lists", .timeLimit(.minutes(5)))
struct ListedChannelsTests {
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
        let id = try #require(ChannelID("news"))
        let news = ListedChannel(
            channel: Channel(
                row: 1,
                settings: ChannelSettings(id: id, title: "News", sources: [], retentionSeconds: 86_400),
                version: 1),
            oldest: nil)
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
