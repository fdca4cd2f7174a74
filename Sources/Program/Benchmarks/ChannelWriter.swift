import ArgumentParser
import Catalogue
import Timeline

/// Commits segments of a channel as its recorder would.
struct ChannelWriter: Sendable {
    let channel: Channel
    private let planned: PlannedChannel
    private let catalogue: Catalogue
    private let fence: Int64

    /// Takes the lease of a channel, which is created if it is not there.
    init(_ planned: PlannedChannel, catalogue: Catalogue) async throws {
        guard let id = ChannelID(planned.name) else {
            throw ValidationError("\(planned.name) is no channel id")
        }
        self.planned = planned
        self.catalogue = catalogue
        if let known = try await catalogue.channel(id) {
            channel = known
        } else {
            var settings = ChannelSettings(
                id: id, title: planned.name, sources: [], retentionSeconds: 31_536_000)
            // A service that records leaves the channel to this program.
            settings.recording = false
            channel = try await catalogue.create(settings)
        }
        guard let lease = try await catalogue.takeLease(channel: channel.row, node: Self.node) else {
            throw ValidationError("another node records \(planned.name)")
        }
        fence = lease.fence
    }

    private static let node = "bbbbbbbb-bbbb-bbbb-bbbb-bbbbbbbbbbbb"

    /// Publishes segments of all renditions; their numbers count from an instant on.
    func commit(_ numbers: Range<Int64>, from begin: Instant) async throws {
        let end = begin + numbers.upperBound * planned.duration
        var batch = Batch(
            channel: channel.row, fence: fence, node: Self.node,
            publishedHead: PublishedHeadUpdate(
                discontinuitySequence: 0, end: end, watermark: end, targetSeconds: Int(planned.seconds)))
        if numbers.lowerBound == 0 {
            batch.renditions = planned.renditions.map(description)
            batch.sourceRuns = [SourceRun(id: run, source: planned.name, began: begin, clock: "source")]
            batch.discontinuityStarts = [
                DiscontinuityStart(
                    sequence: 0, begin: begin, cause: .start, targetSeconds: Int(planned.seconds))
            ]
        }
        batch.segments = planned.renditions.flatMap { rendition, byteCount in
            numbers.map { number in
                DecidedSegment(
                    fact: fact(number, of: rendition, byteCount, from: begin), number: number,
                    discontinuitySequence: 0)
            }
        }
        guard try await catalogue.commit(batch) else {
            throw ValidationError("the lease of \(planned.name) is lost")
        }
    }

    /// The id of the channel's only source run.
    private var run: Int64 { Int64(channel.row) }

    private func description(_ rendition: RenditionID, _ byteCount: Int64) -> RenditionDescription {
        var description = RenditionDescription(id: rendition, position: rendition.index)
        description.bandwidth = byteCount * 8 / planned.seconds
        description.resolution = "1280x720"
        return description
    }

    private func fact(
        _ number: Int64, of rendition: RenditionID, _ byteCount: Int64, from begin: Instant,
    ) -> SegmentFact {
        let start = begin + number * planned.duration
        var format = SegmentFormat(
            container: .transportStream, tracks: "video:h264,audio:aac", codecs: "avc1.64001f,mp4a.40.2")
        (format.width, format.height, format.sampleRate) = (1280, 720, 48_000)
        let keyFrames = keyFrames(byteCount)
        return SegmentFact(
            channel: channel.id, identity: SegmentIdentity(rendition: rendition, run: run, number: number),
            start: start, duration: planned.duration, format: format, flags: [.independent, .hasKeyFrames],
            storedBytes: byteCount, plainBytes: byteCount, arrived: start + planned.duration,
            digest: Array(repeating: UInt8(truncatingIfNeeded: rendition.index), count: 32), fence: fence,
            keyFrames: keyFrames)
    }

    /// One each two seconds, as most encoders make them.
    private func keyFrames(_ byteCount: Int64) -> KeyFrames {
        let count = max(1, Int(planned.seconds / 2))
        let distance = Int(byteCount) / count
        return KeyFrames(
            tableByteCount: 564,
            frames: (0..<count).map {
                KeyFrame(
                    offset: 564 + $0 * distance, byteCount: distance / 4, milliseconds: $0 * 2000)
            })
    }
}
