import Catalogue
import Compression
import Concurrency
import Digest
import HTTP
import Synchronization
import Timeline

/// The lines of a uniform block as every playlist lists them, rendered on first use.
///
/// They assume that the previous segment has the same format and that neither a discontinuity nor a new date
/// is due. A playlist writes anything else that it needs at the first segment itself.
final class BlockText: Sendable {
    final class Lines: Sendable {
        let bytes: SharedBytes
        /// Where the lines of each segment begin, and the end of the last one.
        let offsets: [Int]
        /// SHA-256 of the bytes.
        let digest: [UInt8]
        /// Made when a playlist first begins or ends within the block.
        private let groupDigests = OnceReference<GroupDigests>()

        private final class GroupDigests: Sendable {
            let bytes: [UInt8]

            init(_ bytes: [UInt8]) {
                self.bytes = bytes
            }
        }

        init(_ bytes: [UInt8], offsets: [Int]) throws(PlaybackError) {
            self.bytes = SharedBytes(bytes)
            self.offsets = offsets
            digest = try SHA256.made(of: bytes)
        }

        var groupCount: Int { Self.groups(within: 0..<(offsets.count - 1)).count }

        /// SHA-256 of some full groups of `Limits.rowsPerGroup` rows, counted from the first, one after the
        /// other.
        func digests(_ groups: Range<Int>) throws(PlaybackError) -> ArraySlice<UInt8> {
            let places = (groups.lowerBound * SHA256.byteCount)..<(groups.upperBound * SHA256.byteCount)
            if let known = groupDigests.load() { return known.bytes[places] }
            var digests: [UInt8] = []
            digests.reserveCapacity(groupCount * SHA256.byteCount)
            for group in 0..<groupCount {
                digests += try SHA256.made(of: self.groups(group..<(group + 1)))
            }
            return groupDigests.storeIfNil(GroupDigests(digests)).bytes[places]
        }

        /// The bytes of some segments.
        func rows(_ range: Range<Int>) -> ArraySlice<UInt8> {
            bytes.bytes[offsets[range.lowerBound]..<offsets[range.upperBound]]
        }

        /// The bytes of some groups.
        func groups(_ range: Range<Int>) -> ArraySlice<UInt8> {
            rows((range.lowerBound * Limits.rowsPerGroup)..<(range.upperBound * Limits.rowsPerGroup))
        }

        /// The full groups within some segments.
        static func groups(within rows: Range<Int>) -> Range<Int> {
            let first = (rows.lowerBound + Limits.rowsPerGroup - 1) / Limits.rowsPerGroup
            return first..<max(first, rows.upperBound / Limits.rowsPerGroup)
        }
    }

    /// The lines, compressed separately.
    final class CompressedLines: Sendable {
        let deflated: DeflateBlock
        let bytes: SharedBytes

        init(_ deflated: DeflateBlock) {
            (self.deflated, bytes) = (deflated, SharedBytes(deflated.bytes))
        }
    }

    /// The full groups, each compressed separately.
    final class CompressedGroups: Sendable {
        private let bytes: [UInt8]
        /// Where each begins, and the end of the last one.
        private let offsets: [Int]
        /// Each without its bytes.
        private let blocks: [DeflateBlock]

        init(_ blocks: [DeflateBlock]) {
            bytes = blocks.flatMap(\.bytes)
            offsets = blocks.reduce(into: [0]) { $0.append(($0.last ?? 0) + $1.bytes.count) }
            self.blocks = blocks.map {
                DeflateBlock(bytes: [], checksum: $0.checksum, plainByteCount: $0.plainByteCount)
            }
        }

        /// The bytes of some groups, which are noted in the trailer.
        func bytes(_ groups: Range<Int>, _ trailer: inout GzipJoin.Trailer) -> ArraySlice<UInt8> {
            for group in groups { trailer.append(blocks[group]) }
            return bytes[offsets[groups.lowerBound]..<offsets[groups.upperBound]]
        }
    }

    /// Several whole blocks, compressed separately and joined.
    final class Strip: Sendable {
        /// The numbers of the texts that it has, in order.
        let texts: [Int]
        let compressedLines: CompressedLines

        init(_ texts: [BlockText]) throws(PlaybackError) {
            var blocks: [DeflateBlock] = []
            for text in texts { blocks.append(try text.deflated().deflated) }
            self.texts = texts.map(\.number)
            compressedLines = CompressedLines(.joining(blocks))
        }
    }

    /// Identifies the text: the address of a freed text may be used again by another one.
    let number = BlockText.numbers.add(1, ordering: .relaxed).newValue
    private static let numbers = Atomic(0)
    /// Which quarter of an hour since 1970 it lies in.
    let position: Int64
    let format: FormatText
    /// Whether the lines begin with EXT-X-KEY, as they must if the previous segment has another
    /// initialization vector.
    let beginsWithKey: Bool
    /// Writes the lines: their bytes, and where those of each row begin, with the end of the last one.
    typealias Written = (bytes: [UInt8], offsets: [Int])
    private let write: @Sendable () -> Written
    // Two threads that make the same at a time use the first one's.
    private let made = OnceReference<Lines>()
    private let compressedLines = OnceReference<CompressedLines>()
    /// The strips that begin with it, by length; another one replaces a strip when a later block was read
    /// again.
    private let strips = Mutex<[Int: Strip]>([:])
    private let compressedGroups = OnceReference<CompressedGroups>()

    /// Creates a text whose lines `write` makes on first use.
    ///
    /// `position` is the number of the quarter of an hour since 1970. `beginsWithKey` says whether the lines
    /// begin with EXT-X-KEY.
    init(
        position: Int64, format: FormatText, beginsWithKey: Bool = false,
        _ write: @escaping @Sendable () -> Written,
    ) {
        (self.position, self.format, self.beginsWithKey) = (position, format, beginsWithKey)
        self.write = write
    }

    /// Nil if playlists cannot share the lines.
    convenience init?(
        _ segments: [RecordedSegment], formats: [Int32: SegmentFormat], summary: BlockSummary,
        quarter: Quarter, rendition: RenditionID,
    ) {
        guard summary.isUniform, let first = segments.first, let format = formats[first.formatID] else {
            return nil
        }
        let (text, entry) = (FormatText(format, rendition: rendition), EntryRenderer(rendition: rendition))
        let next = segments.count > 1 ? segments[1].iv : nil
        let beginsWithKey = text.key != nil && first.iv != next
        self.init(
            position: quarter.begin / Quarter.microseconds, format: text, beginsWithKey: beginsWithKey
        ) {
            Self.written(segments, text, entry, beginsWithKey: beginsWithKey)
        }
    }

    func lines() throws(PlaybackError) -> Lines {
        if let known = made.load() { return known }
        let (bytes, offsets) = write()
        return made.storeIfNil(try Lines(bytes, offsets: offsets))
    }

    /// Whether the text, or also its compressed form, is in memory.
    func isReady(isCompressed: Bool) -> Bool {
        isCompressed ? compressedLines.load() != nil : made.load() != nil
    }

    /// Makes the text, or also its compressed form.
    func prepare(isCompressed: Bool) throws(PlaybackError) {
        if isCompressed { _ = try deflated() } else { _ = try lines() }
    }

    /// Makes the texts of many blocks, several at a time.
    static func prepare(_ texts: [BlockText], isCompressed: Bool) async throws(PlaybackError) {
        try await texts.inChunks(of: Limits.textsPerTask) { (part) async throws(PlaybackError) in
            for text in part { try text.prepare(isCompressed: isCompressed) }
        }
    }

    /// The lines, compressed separately.
    func deflated() throws(PlaybackError) -> CompressedLines {
        if let known = compressedLines.load() { return known }
        let block = try DeflateBlock.made(of: lines().bytes.bytes, level: Limits.blockLevel)
        return compressedLines.storeIfNil(CompressedLines(block))
    }

    /// The strip of some texts, of which this is the first.
    func strip(of texts: [BlockText]) throws(PlaybackError) -> CompressedLines {
        let known = strips.withLock { $0[texts.count] }
        if let known, known.texts.elementsEqual(texts.lazy.map(\.number)) { return known.compressedLines }
        let made = try Strip(texts)
        strips.withLock { $0[texts.count] = made }
        return made.compressedLines
    }

    /// The full groups, each compressed separately: a playlist that begins or ends within the block
    /// compresses only the few segments beside them.
    func deflatedGroups() throws(PlaybackError) -> CompressedGroups {
        if let known = compressedGroups.load() { return known }
        let lines = try lines()
        var blocks: [DeflateBlock] = []
        for group in 0..<lines.groupCount {
            blocks.append(try .made(of: Array(lines.groups(group..<(group + 1))), level: Limits.blockLevel))
        }
        return compressedGroups.storeIfNil(CompressedGroups(blocks))
    }

    private static func written(
        _ segments: [RecordedSegment], _ format: FormatText, _ entry: EntryRenderer, beginsWithKey: Bool,
    ) -> Written {
        var buffer = TextBuffer(capacity: segments.count * Limits.usualEntryBytes)
        var mapAndKey = MapAndKeyTags()
        mapAndKey.passed(format, iv: beginsWithKey ? [] : segments.first?.iv)
        var offsets: [Int] = []
        offsets.reserveCapacity(segments.count + 1)
        // A uniform block without a key has nothing to state before its entries.
        let hasKeys = !format.isClear
        let rows = segments.span
        for row in rows.indices {
            offsets.append(buffer.count)
            if hasKeys { mapAndKey.write(format, iv: rows[row].iv, isFresh: false, to: &buffer) }
            entry.write(rows, row, format, to: &buffer)
        }
        offsets.append(buffer.count)
        return (buffer.finish(), offsets)
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
    static func made(of bytes: some Collection<UInt8>) throws(PlaybackError) -> [UInt8] {
        do {
            return try digest(of: Array(bytes))
        } catch {
            throw .system("\(error)")
        }
    }
}
