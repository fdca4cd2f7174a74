import Digest
import Encoding
package import Timeline

/// A window as one transport stream: which segments, in which order, and how long they are once decrypted.
///
/// Only the whole packets of an incomplete segment are sent: after a partial packet, programs would
/// not find the packets of the next one. The cost of a plan is that of its runs: it does not look at each
/// segment, unless they are encrypted.
package struct TransportStreamPlan: Sendable {
    let runs: [SegmentRun]
    package let byteCount: UInt64
    /// Equal for equal streams, on every replica: the opaque part of an entity tag.
    package let tag: String
    let channel: ChannelID
    let rendition: RenditionID
    let formats: [Int32: SegmentFormat]

    /// Plans the stream of one rendition of a channel.
    ///
    /// `formats` are those of its segments by id. With `separateAudio` the channel has audio renditions
    /// beside this one: a video that carries no audio is then refused as incomplete.
    package init(
        channel: ChannelID, rendition: RenditionID, runs: [SegmentRun], formats: [Int32: SegmentFormat],
        separateAudio: Bool = false,
    ) throws(ExportError) {
        var known: Set<Int32> = []
        for run in runs {
            for id in run.formatIDs where known.insert(id).inserted {
                guard let format = formats[id] else { throw .otherContainer(rendition) }
                if separateAudio && format.hasVideo && !format.hasAudio { throw .separateAudio }
                try Self.check(format, rendition)
            }
        }
        try SegmentOpener.check(runs, formats, rendition)
        self.channel = channel
        self.rendition = rendition
        self.formats = formats
        self.runs = runs
        byteCount = runs.reduce(0) { $0 + $1.packetByteCount }
        do {
            // Streams that lack partial packets were made with them by earlier versions.
            let lacked = runs.reduce(0) { $0 + $1.partialPacketBytes }
            let form = lacked > 0 ? "whole packets " : ""
            let identity = Array("\(form)\(channel)/\(rendition) ".utf8) + runs.flatMap(\.digest)
            tag = Hexadecimal.encode(try SHA256.digest(of: identity).prefix(16))
        } catch {
            throw .digest(error)
        }
    }

    private static func check(_ format: SegmentFormat, _ rendition: RenditionID) throws(ExportError) {
        guard format.container == .transportStream else { throw .otherContainer(rendition) }
        guard format.initName == nil else { throw .separateTables(rendition) }
    }
}

extension SegmentRun {
    /// Bytes in a transport stream.
    var packetByteCount: UInt64 { plainBytes - min(plainBytes, partialPacketBytes) }
}

extension RecordedSegment {
    /// Bytes in a transport stream.
    var packetByteCount: UInt64 { plainByteCount - partialPacketBytes }
}

extension SegmentFormat {
    var isEncrypted: Bool { keyMethod != nil || !drmTags.isEmpty }
}
