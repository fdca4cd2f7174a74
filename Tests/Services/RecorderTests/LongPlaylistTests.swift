import Catalogue
import Monitoring
import Testing
import Timeline

@testable import Recorder

/// Two-second segments, each of which takes a fifth of a second.
@Suite("A playlist with thousands of new segments")
struct LongPlaylistTests {
    /// Nothing answers until a time; then it is asked again within half a minute.
    private static func source(listing count: Int, from begin: Double) -> SimulatedSource {
        var source = SimulatedSource(
            url: "http://one.test/live.m3u8", renditions: [video(0)], faults: [.unreachable(0...begin)])
        (source.segmentDuration, source.listed) = (2, count)
        return source
    }

    @Test("of a source that is new is recorded from the oldest that is taken, each once and in its turn")
    func firstContact() throws {
        var channel = SimulatedChannel([Self.source(listing: Limits.backlogSegments, from: 4_010)])
        channel.run(until: 4_300)
        channel.stop()
        let asked = channel.requested.map(\.number)
        let first = try #require(asked.first)
        #expect(asked.count > Limits.backlogSegments + 100)
        #expect(asked == (0..<Int64(asked.count)).map { first + $0 })
        let published = channel.published(video(0))
        #expect(published.map(\.fact.identity.number) == asked)
        #expect(published.map(\.number) == (0..<Int64(asked.count)).map { $0 })
        #expect(zip(published, published.dropFirst()).allSatisfy { $0.fact.end == $1.fact.start })
        Self.expectNothingLost(channel)
        #expect(channel.losses.isEmpty && channel.discontinuityStarts.count == 1)
    }

    /// The queue holds 4,000.
    @Test("that a process comes back to is recorded in turns, each once, the live edge first")
    func comingBack() throws {
        let known = (0..<10).map { number in
            KnownSegment(
                run: 7, number: Int64(number), start: at(Double(number) * 2), duration: 2 * seconds,
                isLost: false, digest: Array("v0-0-\(number).ts".utf8))
        }
        let head = RenditionHead(
            description: RenditionDescription(id: video(0)), nextNumber: 10, known: known)
        var channel = SimulatedChannel([Self.source(listing: 5_300, from: 10_020)], heads: [head])
        channel.run(until: 10_100)
        let time = channel.status?.liveEdge.map { PublisherStage.seconds($0) } ?? 0
        #expect(time > 10_080)
        channel.run(until: 10_400)
        channel.stop()
        let asked = channel.requested.map(\.number)
        #expect(asked.count > Limits.waitingSegments + 1_000)
        #expect(asked.sorted() == (0..<Int64(asked.count)).map { 10 + $0 })
        let edge = asked.prefix(Limits.edgeSegments)
        let (oldest, newest) = (try #require(edge.first), try #require(edge.last))
        #expect(Array(edge) == Array(oldest...newest) && newest >= 5_008)
        #expect(asked.filter { $0 < oldest } == Array(10..<oldest))
        #expect(Set(channel.segments.map(\.fact.identity.number)) == Set(asked))
        #expect(channel.segments.count == asked.count)
        Self.expectNothingLost(channel)
    }

    /// What is still to be fetched may be late for a growing playlist, which does not make it lost.
    private static func expectNothingLost(_ channel: SimulatedChannel) {
        #expect(!channel.batches.contains { !$0.lost.isEmpty })
        #expect(channel.status?.renditions.map(\.lost) == [[:]])
        #expect(channel.trimmed.count == channel.journal.count)
    }
}
