import Catalogue
import Compression
import Digest
import HTTP
import Synchronization

/// The lines of several whole blocks of a run, as one part of a playlist.
final class TextStrip: Sendable {
    private let texts: [BlockText]
    /// Of each `Limits.blocksPerDigest` blocks, one after the other.
    let digests: [UInt8]
    let bytes: [SharedBytes]
    let byteCount: Int
    private let compressedLines = OnceReference<BlockText.CompressedLines>()

    /// Nil if the lines of a block are not in memory.
    init?(_ texts: [BlockText]) {
        guard texts.allSatisfy({ $0.isReady(isCompressed: false) }) else { return nil }
        let lines = texts.compactMap { try? $0.lines() }
        guard lines.count == texts.count else { return nil }
        var digests: [UInt8] = []
        for first in stride(from: 0, to: texts.count, by: Limits.blocksPerDigest) {
            let group = texts[first...].prefix(Limits.blocksPerDigest)
            guard let digest = try? Self.digest(of: group) else { return nil }
            digests += digest
        }
        (self.texts, self.digests) = (texts, digests)
        bytes = lines.map(\.bytes)
        byteCount = bytes.reduce(0) { $0 + $1.bytes.count }
    }

    /// The digest of the lines of several blocks, made of theirs.
    static func digest(of texts: some Collection<BlockText>) throws(PlaybackError) -> [UInt8] {
        var digests: [UInt8] = []
        for text in texts { digests += try text.lines().digest }
        return try SHA256.made(of: digests)
    }

    /// Whether the blocks are in memory compressed.
    var isDeflated: Bool {
        compressedLines.load() != nil || texts.allSatisfy { $0.isReady(isCompressed: true) }
    }

    /// The lines, each block compressed separately.
    func deflated() throws(PlaybackError) -> BlockText.CompressedLines {
        if let known = compressedLines.load() { return known }
        guard let first = texts.first else { return BlockText.CompressedLines(.joining([])) }
        return compressedLines.storeIfNil(try first.strip(of: texts))
    }
}

/// The strips of a rendition, each made when it is first used.
final class TextStrips: Sendable {
    /// The strips of each of `Limits.stripLengths`, by the place of their first slot among those of that
    /// length.
    private typealias Known = [[TextStrip?]]

    /// Which quarter of an hour since 1970 the first slot is.
    private let first: Int
    private let known: Mutex<Known>

    /// `origin` is the start of the first slot, microseconds; `count` is the number of slots.
    ///
    /// The strips of the first `kept` slots are those of a previous span from the same origin.
    init(origin: Int64, count: Int, previous: TextStrips?, kept: Int) {
        let first = Int(origin / Quarter.microseconds)
        var own: Known = Limits.stripLengths.map { Array(repeating: nil, count: count / $0 + 1) }
        let others = previous?.known.withLock { $0 } ?? []
        for (kind, strips) in others.enumerated() {
            let length = Limits.stripLengths[kind]
            let offset = (length - first % length) % length
            // A strip's slots begin `offset` after a multiple of its length, and all have to be kept.
            for place in strips.indices where place * length + offset + length <= kept {
                own[kind][place] = strips[place]
            }
        }
        self.first = first
        known = Mutex(own)
    }

    /// Whole slots as parts of a playlist, as few as there can be.
    ///
    /// Nil if more than a few of them have to be written, or compressed, first.
    func pieces(
        _ slots: ArraySlice<BlockSpan.Slot>, isCompressed: Bool,
    ) -> [RenderedPlaylist.Piece]? {
        known.withLock { known in
            var (pieces, missing, index): ([RenderedPlaylist.Piece], Int, Int) = ([], 0, slots.startIndex)
            pieces.reserveCapacity(24)
            while index < slots.endIndex {
                if let (strip, length) = strip(from: index, slots, isCompressed: isCompressed, &known) {
                    pieces.append(.strip(strip))
                    index += length
                    continue
                }
                guard let text = slots[index].block.text else { return nil }
                if !text.isReady(isCompressed: isCompressed) { missing += 1 }
                guard missing <= Limits.textsWithoutTurn else { return nil }
                pieces.append(.shared(text))
                index += 1
            }
            return pieces
        }
    }

    /// The longest strip that begins with a slot, and its length.
    private func strip(
        from index: Int, _ slots: ArraySlice<BlockSpan.Slot>, isCompressed: Bool,
        _ known: inout Known,
    ) -> (TextStrip, length: Int)? {
        for (kind, length) in Limits.stripLengths.enumerated()
        where (first + index).isMultiple(of: length) && index + length <= slots.endIndex {
            // Two strips of a length are at least that far apart.
            let place = index / length
            if known[kind][place] == nil {
                let texts = slots[index..<(index + length)].compactMap(\.block.text)
                if texts.count == length { known[kind][place] = TextStrip(texts) }
            }
            if let strip = known[kind][place], !isCompressed || strip.isDeflated { return (strip, length) }
        }
        return nil
    }
}
