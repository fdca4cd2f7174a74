import Compression
import Digest
import HTTP
import Synchronization
import Timeline

/// The lines of a uniform block as every playlist lists them, rendered on first use.
///
/// They assume that the previous segment has the same format and that neither a discontinuity nor a new date
/// is due. A playlist writes anything else that it needs at the first segment itself.
final class BlockText: Sendable {
    struct Lines: Sendable {
        let bytes: SharedBytes
        /// Where the lines of each segment begin, and the end of the last one.
        let offsets: [Int]
        /// SHA-256 of the bytes.
        let digest: [UInt8]
    }

    let format: FormatText
    /// Whether the lines begin with EXT-X-KEY, as they must if the previous segment has another
    /// initialization vector.
    let beginsWithKey: Bool
    private let segments: [RecordedSegment]
    private let entry: EntryText
    private let made = Mutex<Lines?>(nil)
    private let packed = Mutex<DeflateBlock?>(nil)

    /// Nil if playlists cannot share the lines.
    init?(
        _ segments: [RecordedSegment], formats: [Int32: SegmentFormat], summary: BlockSummary,
        rendition: RenditionID,
    ) {
        guard summary.isUniform, let first = segments.first, let format = formats[first.formatID] else {
            return nil
        }
        self.segments = segments
        self.format = FormatText(format, rendition: rendition)
        entry = EntryText(rendition: rendition)
        let next = segments.count > 1 ? segments[1].iv : nil
        beginsWithKey = self.format.key != nil && first.iv != next
    }

    func lines() throws(PlaybackError) -> Lines {
        try made.withLock { made throws(PlaybackError) in
            if let made { return made }
            let lines = try written()
            made = lines
            return lines
        }
    }

    /// Whether the text, or also its compressed form, is in memory.
    func isReady(isCompressed: Bool) -> Bool {
        isCompressed ? packed.withLock { $0 != nil } : made.withLock { $0 != nil }
    }

    /// Makes the text, or also its compressed form.
    func prepare(isCompressed: Bool) throws(PlaybackError) {
        if isCompressed { _ = try deflated() } else { _ = try lines() }
    }

    /// The lines, compressed separately.
    func deflated() throws(PlaybackError) -> DeflateBlock {
        let bytes = try lines().bytes.bytes
        return try packed.withLock { packed throws(PlaybackError) in
            if let packed { return packed }
            let block = try DeflateBlock.made(of: bytes, level: Limits.blockLevel)
            packed = block
            return block
        }
    }

    private func written() throws(PlaybackError) -> Lines {
        var buffer = TextBuffer(capacity: segments.count * Limits.usualEntry)
        var sticky = StickyTags()
        sticky.passed(format, iv: beginsWithKey ? [] : segments.first?.iv)
        var offsets: [Int] = []
        offsets.reserveCapacity(segments.count + 1)
        for segment in segments {
            offsets.append(buffer.count)
            sticky.write(format, iv: segment.iv, isFresh: false, to: &buffer)
            entry.write(segment, format, to: &buffer)
        }
        offsets.append(buffer.count)
        let bytes = buffer.finish()
        return Lines(bytes: SharedBytes(bytes), offsets: offsets, digest: try SHA256.made(of: bytes))
    }
}

extension DeflateBlock {
    static func made(of bytes: [UInt8], level: Int) throws(PlaybackError) -> DeflateBlock {
        do {
            return try compressing(bytes, level: level)
        } catch {
            throw .system("\(error)")
        }
    }
}

extension SHA256 {
    static func made(of bytes: [UInt8]) throws(PlaybackError) -> [UInt8] {
        do {
            return try digest(of: bytes)
        } catch {
            throw .system("\(error)")
        }
    }
}
