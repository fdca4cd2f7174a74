import Catalogue
import Digest
import TestSupport
import Timeline

/// What a channel has recorded, written down by hand.
struct Recording {
    var channel: String
    var playlistForm: PlaylistForm? = .media
    var retentionSeconds: Int64? = 7 * 86_400
    var timeZone = "UTC"
    var title: String?
    var logo: String?
    var group: String?
    var renditions: [RenditionDescription] = []
    var segments: [Segment] = []
    var keys: [String: [UInt8]] = [:]
    var markers: [Marker] = []
    var watermark: Double
    var targetSeconds = 4
    var starts: [DiscontinuityStart] = []
    /// Seconds after its end that each segment is first listed.
    var lag: Double = 0

    struct Segment {
        var rendition: RenditionID
        var number: Int64
        var start: Double
        var duration: Double = 4
        var discontinuitySequence: Int32 = 0
        var format: SegmentFormat = .muxed
        var plain: [UInt8]
        var stored: [UInt8]
        var iv: [UInt8]?
        var keyFrames: KeyFrames?

        func key(of channel: ChannelID) -> ArchiveKey {
            .segment(
                channel, rendition,
                SegmentName(start: at(start), revision: 0, fileExtension: format.container))
        }
    }

    /// A channel of one muxed rendition.
    init(_ channel: String = "cctv2", seconds: Int = 40) {
        self.channel = channel
        watermark = Double(seconds)
        add("v0", from: 0, count: seconds / 4)
    }

    /// Adds segments of four seconds that follow each other.
    mutating func add(
        _ id: String, from start: Double, count: Int, sequence: Int32 = 0, format: SegmentFormat = .muxed,
        describe: (inout RenditionDescription) -> Void = { _ in }
    ) {
        guard let rendition = RenditionID(id) else { return }
        if !renditions.contains(where: { $0.id == rendition }) {
            var description = RenditionDescription(id: rendition)
            describe(&description)
            renditions.append(description)
        }
        let first = Int64(segments.count { $0.rendition == rendition })
        for index in 0..<count {
            let number = first + Int64(index)
            let bytes = Self.bytes("\(channel) \(id) \(number)")
            segments.append(
                Segment(
                    rendition: rendition, number: number, start: start + Double(index) * 4,
                    discontinuitySequence: sequence,
                    format: format, plain: bytes, stored: bytes))
        }
    }

    /// Encrypts every segment with AES-128, the IV of each being its number.
    mutating func encrypt(key: [UInt8], name: String) throws {
        keys[name] = key
        for index in segments.indices {
            let iv = [UInt8](repeating: 0, count: 15) + [UInt8(truncatingIfNeeded: segments[index].number)]
            var cipher = try AES128CBC(.encrypt, key: key, iv: iv)
            segments[index].stored = try cipher.update(segments[index].plain)
            segments[index].stored += try cipher.finish()
            segments[index].iv = iv
            segments[index].format.keyMethod = "AES-128"
            segments[index].format.keyName = name
        }
    }

    /// Bytes that no other segment has; their number is not a multiple of the cipher's block.
    private static func bytes(_ seed: String) -> [UInt8] {
        Array(repeating: Array("\(seed) ".utf8), count: 61).flatMap { $0 }
    }

    func batch(_ channel: Channel, fence: Int64) -> Batch {
        let sequence = segments.map(\.discontinuitySequence).max() ?? 0
        var batch = Batch(
            channel: channel.row, fence: fence,
            publishedHead: PublishedHeadUpdate(
                discontinuitySequence: sequence, end: at(watermark), watermark: at(watermark),
                targetSeconds: targetSeconds))
        (batch.renditions, batch.markers) = (renditions, markers)
        batch.discontinuityStarts = starts
        batch.segments = segments.map { segment in
            DecidedSegment(
                fact: SegmentFact(
                    channel: channel.id,
                    identity: SegmentIdentity(rendition: segment.rendition, run: 1, number: segment.number),
                    start: at(segment.start), duration: Int64(segment.duration * 1_000_000),
                    format: segment.format, flags: segment.keyFrames == nil ? [] : .hasKeyFrames,
                    storedBytes: Int64(segment.stored.count), plainBytes: Int64(segment.plain.count),
                    iv: segment.iv, arrived: at(segment.start + 4 + lag), digest: [], fence: fence,
                    keyFrames: segment.keyFrames),
                number: segment.number, discontinuitySequence: segment.discontinuitySequence)
        }
        return batch
    }
}

extension SegmentFormat {
    static let muxed = SegmentFormat(
        container: .transportStream, tracks: "video:h264,audio:aac", codecs: "avc1.64001f,mp4a.40.2")
    static let silent = SegmentFormat(
        container: .transportStream, tracks: "video:h264", codecs: "avc1.64001f")
    static let audio = SegmentFormat(container: .aac, tracks: "audio:aac", codecs: "mp4a.40.2")
}
