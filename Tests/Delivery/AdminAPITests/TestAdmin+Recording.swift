import Catalogue
import Postgres
import Testing
import Timeline

@testable import AdminAPI

extension TestAdmin {
    /// A channel as the catalogue has it, a deleted one too.
    func channel(_ id: String) async throws -> Channel {
        let found = try await catalogue.channel(try #require(ChannelID(id)))
        return try #require(found)
    }

    /// The node that records.
    static let node = "00000000-0000-0000-0000-000000000001"

    /// Enters segments of six seconds and 750 000 bytes that end with `end`, as a recorder would; numbers in
    /// `missing` are left out; each is listed `lag` microseconds after its end.
    func record(
        _ id: String, minutes: Int, until end: Instant = Self.now, missing: Set<Int> = [],
        losses: [Loss] = [], lag: Int64 = 0, cueTags: [Int: [String]] = [:], markers: [Marker] = [],
    ) async throws -> Channel {
        let channel = try await channel(id)
        let node = Self.node
        try await catalogue.heartbeat(node: node, seconds: 600)
        let lease = try #require(await catalogue.takeLease(channel: channel.row, node: node))
        let count = minutes * 10
        let begin = end - Int64(count) * 6 * Microseconds.perSecond
        try await catalogue.beginRecording(channel: channel.row, at: begin)
        var batch = Batch(
            channel: channel.row, fence: lease.fence,
            publishedHead: PublishedHeadUpdate(
                discontinuitySequence: 0, end: end, watermark: end, targetSeconds: 6))
        batch.renditions = [RenditionDescription(id: RenditionID(kind: .video, index: 0))]
        batch.sourceRuns = [
            SourceRun(id: 1, source: "http://origin.example/", began: begin, clock: "arrival")
        ]
        batch.discontinuityStarts = [
            DiscontinuityStart(sequence: 0, begin: begin, cause: .start, targetSeconds: 6)
        ]
        batch.losses = losses
        batch.markers = markers
        batch.segments = (0..<count).filter { !missing.contains($0) }.map { number in
            let start = begin + Int64(number) * 6 * Microseconds.perSecond
            var fact = Self.fact(channel.id, number: number, start: start, fence: lease.fence)
            fact.arrived = fact.end + lag
            fact.cueTags = cueTags[number] ?? []
            if !fact.cueTags.isEmpty { fact.flags.insert(.hasCueTags) }
            return DecidedSegment(fact: fact, number: Int64(number), discontinuitySequence: 0)
        }
        #expect(try await catalogue.commit(batch))
        return channel
    }

    private static func fact(_ id: ChannelID, number: Int, start: Instant, fence: Int64) -> SegmentFact {
        SegmentFact(
            channel: id,
            identity: SegmentIdentity(
                rendition: RenditionID(kind: .video, index: 0), run: 1, number: Int64(number)),
            start: start, duration: 6 * Microseconds.perSecond,
            format: SegmentFormat(container: .transportStream),
            storedBytes: 750_000, plainBytes: 750_000, arrived: start + 6 * Microseconds.perSecond,
            digest: [UInt8(truncatingIfNeeded: number)], fence: fence)
    }

    func expectNothingHeld(of channel: Channel) async throws {
        let held = try await pool.query(
            """
            SELECT start_us FROM segment JOIN rendition USING (rendition_id) WHERE channel_id = \(channel.row)
            """)
        #expect(held.isEmpty)
        #expect(try await catalogue.publishedHead(of: channel.row).expiredBefore >= Self.now)
    }
}
