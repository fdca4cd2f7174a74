import Digest
import Encoding
package import Timeline

/// A window as one transport stream: which segments, in which order, and how long they are once decrypted.
///
/// The cost of a plan is that of its runs: it does not look at each segment, unless they are encrypted.
package struct TransportStreamPlan: Sendable {
    /// One segment of the stream.
    struct Part: Sendable, Equatable {
        var key: ArchiveKey
        /// Bytes that it adds to the stream, after decryption.
        var byteCount: UInt64
        var cipher: Cipher?
    }

    /// What decrypts a part with AES-128-CBC.
    struct Cipher: Sendable, Equatable {
        var key: ArchiveKey
        var iv: [UInt8]
    }

    let runs: [SegmentRun]
    package let byteCount: UInt64
    /// Equal for equal streams, on every replica: the opaque part of an entity tag.
    package let tag: String
    private let channel: ChannelID
    private let rendition: RenditionID
    private let formats: [Int32: SegmentFormat]

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
        if known.contains(where: { formats[$0]?.isEncrypted == true }) {
            let isDecryptable = runs.allSatisfy { run in
                run.segments.allSatisfy { $0.iv != nil || formats[$0.formatID]?.isEncrypted == false }
            }
            guard isDecryptable else { throw .notDecryptable(rendition) }
        }
        self.channel = channel
        self.rendition = rendition
        self.formats = formats
        self.runs = runs
        byteCount = runs.reduce(0) { $0 + $1.plainBytes }
        do {
            let identity = Array("\(channel)/\(rendition) ".utf8) + runs.flatMap(\.digest)
            tag = Hexadecimal.encode(try SHA256.digest(of: identity).prefix(16))
        } catch {
            throw .digest(error)
        }
    }

    private static func check(_ format: SegmentFormat, _ rendition: RenditionID) throws(ExportError) {
        guard format.container == .transportStream else { throw .otherContainer(rendition) }
        guard format.initName == nil else { throw .separateTables(rendition) }
        guard !format.isEncrypted || format.keyMethod == "AES-128" && format.keyName != nil else {
            throw .notDecryptable(rendition)
        }
    }

    /// A segment as a part of the stream.
    func part(_ segment: RecordedSegment) -> Part {
        let name = SegmentName(
            start: segment.start, revision: segment.revision, fileExtension: .transportStream)
        var part = Part(
            key: .segment(channel, rendition, name), byteCount: UInt64(max(0, segment.plainBytes)))
        if let format = formats[segment.formatID], format.isEncrypted, let key = format.keyName,
            let iv = segment.iv
        {
            part.cipher = Cipher(key: .key(channel, key), iv: iv)
        }
        return part
    }
}

extension SegmentFormat {
    var isEncrypted: Bool { keyMethod != nil || !drmTags.isEmpty }
}
