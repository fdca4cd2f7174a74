import Digest
import Encoding
package import Timeline

/// A window as one transport stream: which files, in which order, and how long each is once it is decrypted.
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

    let parts: [Part]
    package let byteCount: UInt64
    /// Equal for equal streams, on every replica: the opaque part of an entity tag.
    package let tag: String

    /// Plans the stream of one rendition of a channel.
    ///
    /// `formats` are those of its segments by id. With `separateAudio` the channel has audio renditions
    /// beside this one: a video that carries no audio is then refused as incomplete.
    package init(
        channel: ChannelID, rendition: RenditionID, segments: some Sequence<RecordedSegment>,
        formats: [Int32: SegmentFormat], separateAudio: Bool = false,
    ) throws(ExportError) {
        var parts: [Part] = []
        for segment in segments {
            guard let format = formats[segment.formatID] else { throw .otherContainer(rendition) }
            if separateAudio && format.hasVideo && !format.hasAudio { throw .separateAudio }
            parts.append(try Self.part(segment, format, rendition, channel))
        }
        self.parts = parts
        byteCount = parts.reduce(0) { $0 + $1.byteCount }
        let text = parts.map { "\($0.key.path) \($0.byteCount)" }.joined(separator: "\n")
        do {
            tag = Hexadecimal.encode(try SHA256.digest(of: Array(text.utf8)).prefix(16))
        } catch {
            throw .digest(error)
        }
    }

    private static func part(
        _ segment: RecordedSegment, _ format: SegmentFormat, _ rendition: RenditionID, _ channel: ChannelID,
    ) throws(ExportError) -> Part {
        guard format.container == .transportStream else { throw .otherContainer(rendition) }
        guard format.initName == nil else { throw .separateTables(rendition) }
        let name = SegmentName(
            start: segment.start, revision: segment.revision, fileExtension: .transportStream)
        var part = Part(
            key: .segment(channel, rendition, name), byteCount: UInt64(max(0, segment.plainBytes)))
        if format.keyMethod != nil || !format.drmTags.isEmpty {
            guard format.keyMethod == "AES-128", let key = format.keyName, let iv = segment.iv else {
                throw .notDecryptable(rendition)
            }
            part.cipher = Cipher(key: .key(channel, key), iv: iv)
        }
        return part
    }
}
