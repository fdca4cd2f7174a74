import Postgres
import TestSupport
import Timeline

@testable import Catalogue

/// Midnight of 2024-01-01 UTC, the beginning of a day, an hour and a quarter.
let midnight = Instant(seconds: 1_704_067_200)

let second: Int64 = 1_000_000
let minute: Int64 = 60 * second
let hour: Int64 = 60 * minute
let day: Int64 = 24 * hour

let video = RenditionID(kind: .video, index: 0)
let secondVideo = RenditionID(kind: .video, index: 1)
let audio = RenditionID(kind: .audio, index: 0)

func slug(_ text: String) throws -> ChannelID {
    guard let id = ChannelID(text) else { throw TestFailure("\(text) is no channel id") }
    return id
}

func settings(_ id: String, title: String = "A channel") throws -> ChannelSettings {
    ChannelSettings(
        id: try slug(id), title: title, sources: [SourceSettings(url: "http://origin.test/\(id).m3u8")],
        retentionSeconds: 604_800)
}

func window(_ begin: Int64, _ end: Int64) -> TimeWindow {
    TimeWindow(begin: midnight + begin, end: midnight + end)
}

/// A channel recorded by one node, from which segments and batches are made.
struct ChannelRecording: Sendable {
    static let node = "11111111-1111-1111-1111-111111111111"
    static let otherNode = "22222222-2222-2222-2222-222222222222"

    let channel: Channel
    var fence: Int64

    /// Creates a channel and takes its lease.
    init(_ id: String = "news", in test: TestCatalogue) async throws {
        channel = try await test.catalogue.create(try settings(id))
        try await test.catalogue.heartbeat(node: Self.node, seconds: 600)
        guard let lease = try await test.catalogue.takeLease(channel: channel.row, node: Self.node) else {
            throw TestFailure("the lease of a new channel is not free")
        }
        fence = lease.fence
    }

    var row: Int32 { channel.row }

    /// A segment of four seconds and 1,000 bytes by default; its time follows from its number.
    func fact(
        _ number: Int64, of rendition: RenditionID = video, run: Int64 = 1, at start: Int64? = nil,
        lasting duration: Int64 = 4 * second, bytes: Int64 = 1000, format: SegmentFormat = .plain,
    ) -> SegmentFact {
        SegmentFact(
            channel: channel.id, identity: SegmentIdentity(rendition: rendition, run: run, number: number),
            start: midnight + (start ?? number * 4 * second), duration: duration, format: format,
            storedBytes: bytes,
            plainBytes: bytes, arrived: midnight + (start ?? number * 4 * second) + duration,
            firstTimestamp: number * 360_000,
            digest: Array(repeating: UInt8(truncatingIfNeeded: number), count: 32),
            fence: fence)
    }

    /// Segments with these source numbers, published under the same numbers.
    func published(_ numbers: Range<Int64>, of rendition: RenditionID = video, sequence: Int32 = 0)
        -> [DecidedSegment]
    {
        numbers.map {
            DecidedSegment(fact: fact($0, of: rendition), number: $0, discontinuitySequence: sequence)
        }
    }

    /// A batch whose segments all lie before the watermark.
    func batch(_ segments: [DecidedSegment] = [], sequence: Int32 = 0, watermark: Int64? = nil) -> Batch {
        let end = segments.filter { $0.number != nil }.map(\.fact.end).max() ?? Instant(microseconds: 0)
        var batch = Batch(
            channel: channel.row, fence: fence,
            publishedHead: PublishedHeadUpdate(
                discontinuitySequence: sequence, end: end, watermark: watermark.map { midnight + $0 } ?? end,
                targetSeconds: 4))
        batch.segments = segments
        return batch
    }
}

extension SegmentFormat {
    static let plain = SegmentFormat(
        container: .transportStream, tracks: "video:h264,audio:aac", codecs: "avc1.64001f")
}

extension DecidedSegment {
    /// A segment that only goes to the archive.
    static func archived(_ fact: SegmentFact) -> DecidedSegment {
        DecidedSegment(fact: fact, number: nil, discontinuitySequence: nil)
    }
}

extension TestCatalogue {
    /// Sets a channel not to record, and ends its recording span.
    func switchOff(_ recording: ChannelRecording, at now: Instant) async throws {
        _ = try await pool.query(
            """
            UPDATE channel SET settings = settings || '{"recording": false}' WHERE channel_id = \(recording.row)
            """)
        try await catalogue.endRecording(channel: recording.row, at: now)
    }

    /// Commits published segments with these numbers.
    @discardableResult
    func publish(_ numbers: Range<Int64>, of rendition: RenditionID = video, on recording: ChannelRecording)
        async throws
        -> Bool
    {
        try await catalogue.commit(recording.batch(recording.published(numbers, of: rendition)))
    }

    /// Everything held of a rendition, ordered.
    func held(_ recording: ChannelRecording, _ rendition: RenditionID = video) async throws
        -> [RecordedSegment]
    {
        try RecordedSegment.reading(
            try await pool.query(
                """
                SELECT s.start_us, s.duration_us, s.number, s.epoch, s.revision, s.state_id, s.flags,
                    s.stored_bytes, s.plain_bytes, s.iv
                FROM segment s JOIN rendition r USING (rendition_id)
                WHERE r.channel_id = \(recording.row) AND r.name = \(rendition.description)
                ORDER BY s.start_us
                """))
    }

    /// The starts of held segments, microseconds after midnight.
    func starts(_ recording: ChannelRecording, _ rendition: RenditionID = video) async throws -> [Int64] {
        try await held(recording, rendition).map { $0.start - midnight }
    }
}
