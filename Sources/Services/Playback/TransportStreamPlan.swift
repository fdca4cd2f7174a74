import Digest
import Encoding
package import Timeline

/// A window as one transport stream: which files, in which order, and how long each is once it is clear.
package struct TransportStreamPlan: Sendable {
    /// One segment of the stream.
    package struct Part: Sendable, Equatable {
        package var key: ArchiveKey
        /// Bytes that it adds to the stream, after decryption.
        package var byteCount: UInt64
        package var cipher: Cipher?
    }

    /// What decrypts a part with AES-128-CBC.
    package struct Cipher: Sendable, Equatable {
        package var key: ArchiveKey
        package var iv: [UInt8]
    }

    package let parts: [Part]
    package let byteCount: UInt64
    /// Equal when the stream is, on every replica: the opaque part of an entity tag.
    package let tag: String

    /// Plans the stream of one rendition; nil takes the best video.
    package init(
        _ window: PlaylistContents, channel: ChannelID, rendition wanted: RenditionID?,
    ) throws(PlaybackError) {
        let rendition = try Self.rendition(of: window, wanted)
        var parts: [Part] = []
        parts.reserveCapacity(rendition.segments.count)
        for segment in rendition.segments {
            parts.append(try Self.part(segment, of: rendition, in: window, channel))
        }
        self.parts = parts
        byteCount = parts.reduce(0) { $0 + $1.byteCount }
        do {
            let text = parts.map { "\($0.key.path) \($0.byteCount)" }.joined(separator: "\n")
            tag = Hexadecimal.encode(try SHA256.digest(of: Array(text.utf8)).prefix(16))
        } catch {
            throw .system("\(error)")
        }
    }

    /// A rendition that nobody named must be complete in itself.
    private static func rendition(
        of window: PlaylistContents, _ wanted: RenditionID?,
    ) throws(PlaybackError) -> ListedRendition {
        if let wanted {
            guard let rendition = window[wanted] else { throw .noSuchRendition(wanted) }
            return rendition
        }
        guard let leading = window.leading else { throw .nothingRecorded(available: []) }
        let isSilent = leading.segments.contains { segment in
            window.formats[segment.formatID].map { $0.hasVideo && !$0.hasAudio } ?? false
        }
        if isSilent && window.renditions.contains(where: { $0.id.kind == .audio }) {
            throw .notOneStream("this channel's audio is a separate rendition")
        }
        return leading
    }

    private static func part(
        _ segment: RecordedSegment, of rendition: ListedRendition, in window: PlaylistContents,
        _ channel: ChannelID,
    ) throws(PlaybackError) -> Part {
        guard let format = window.formats[segment.formatID], format.container == .transportStream else {
            throw .notOneStream("\(rendition.id) is not recorded as a transport stream")
        }
        guard format.initName == nil else {
            throw .notOneStream("\(rendition.id) has its tables in a separate initialization section")
        }
        let name = SegmentName(
            start: segment.start, revision: segment.revision, fileExtension: .transportStream)
        var part = Part(
            key: .segment(channel, rendition.id, name), byteCount: UInt64(max(0, segment.plainBytes)),
            cipher: nil)
        if format.keyMethod != nil || !format.drmTags.isEmpty {
            guard format.keyMethod == "AES-128", let key = format.keyName, let iv = segment.iv else {
                throw .notOneStream("\(rendition.id) is encrypted in a way that only players can decrypt")
            }
            part.cipher = Cipher(key: .key(channel, key), iv: iv)
        }
        return part
    }
}
