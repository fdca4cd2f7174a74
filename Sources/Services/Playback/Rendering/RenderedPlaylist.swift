import Compression
import Digest
import Encoding
package import HTTP

/// The text of a playlist, in parts that are its own or shared with other answers.
package struct RenderedPlaylist: Sendable {
    /// What a playlist is written as.
    enum Piece: Sendable {
        case own([UInt8])
        /// All lines of a block.
        case shared(BlockText)
        /// All lines of several blocks.
        case strip(TextStrip)
        /// The lines of some segments of a block.
        case rows(BlockText, Range<Int>)
        /// The lines of one segment of a block, which are not shared.
        case line(BlockText, Int)
    }

    /// A unit that is compressed and digested as a whole; two `own` parts are never neighbours.
    private enum Part: Sendable {
        case own([UInt8])
        case block(BlockText, BlockText.Lines)
        case strip(TextStrip)
        case groups(BlockText, BlockText.Lines, Range<Int>)
    }

    private let parts: [Part]
    /// Identifies the text, with the same value on every replica; used as the opaque part of an entity tag.
    package let tag: String

    package init(_ bytes: [UInt8]) throws(PlaybackError) {
        try self.init([.own(bytes)])
    }

    init(_ pieces: [Piece]) throws(PlaybackError) {
        var (parts, own): ([Part], [UInt8]) = ([], [])
        parts.reserveCapacity(pieces.count + 2)
        func append(_ part: Part) {
            if !own.isEmpty { parts.append(.own(own)) }
            own = []
            parts.append(part)
        }
        for piece in pieces {
            switch piece {
            case .own(let bytes): own += bytes
            case .line(let text, let row): own += try text.lines().rows(row..<(row + 1))
            case .shared(let text): append(.block(text, try text.lines()))
            case .strip(let strip): append(.strip(strip))
            case .rows(let text, let rows):
                let lines = try text.lines()
                let groups = BlockText.Lines.groups(within: rows)
                guard !groups.isEmpty else {
                    own += lines.rows(rows)
                    continue
                }
                own += lines.rows(rows.lowerBound..<(groups.lowerBound * Limits.rowsPerGroup))
                append(.groups(text, lines, groups))
                own += lines.rows((groups.upperBound * Limits.rowsPerGroup)..<rows.upperBound)
            }
        }
        if !own.isEmpty { parts.append(.own(own)) }
        self.parts = parts
        tag = try Self.tag(of: parts)
    }

    /// A digest of digests, which exist already where the text is shared.
    private static func tag(of parts: [Part]) throws(PlaybackError) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(parts.count * SHA256.byteCount + 1024)
        var index = 0
        while index < parts.count {
            var count = 1
            switch parts[index] {
            case .own(let bytes):
                // Its length tells it apart from digests.
                for shift in stride(from: 0, to: 32, by: 8) {
                    text.append(UInt8(truncatingIfNeeded: bytes.count >> shift))
                }
                text += bytes
            case .block(_, let lines):
                let run = run(of: Limits.blocksPerDigest, from: index, in: parts)
                count = max(1, run.count)
                text += run.isEmpty ? lines.digest : try TextStrip.digest(of: run)
            case .strip(let strip): text += strip.digests
            case .groups(_, let lines, let groups): text += try lines.digests(groups)
            }
            index += count
        }
        return Hexadecimal.encode(try SHA256.made(of: text).prefix(16))
    }

    /// The text: a short one in one piece, a longer one in pieces that other answers share.
    package var body: [SharedBytes] {
        let byteCount = byteCount
        return byteCount <= Limits.joinedTextBytes ? [SharedBytes(joined(byteCount))] : pieces
    }

    /// Bytes that other answers do not share.
    var ownByteCount: Int {
        parts.reduce(0) { sum, part in
            if case .own(let bytes) = part { sum + bytes.count } else { sum }
        }
    }

    private var byteCount: Int {
        parts.reduce(0) { sum, part in
            switch part {
            case .own(let bytes): sum + bytes.count
            case .groups(_, let lines, let groups): sum + lines.groups(groups).count
            case .block(_, let lines): sum + lines.bytes.bytes.count
            case .strip(let strip): sum + strip.byteCount
            }
        }
    }

    private func joined(_ byteCount: Int) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(byteCount)
        for part in parts {
            switch part {
            case .own(let bytes): text += bytes
            case .groups(_, let lines, let groups): text += lines.groups(groups)
            case .block(_, let lines): text += lines.bytes.bytes
            case .strip(let strip): for piece in strip.bytes { text += piece.bytes }
            }
        }
        return text
    }

    /// Whole blocks as they are, and everything between them in one piece.
    var pieces: [SharedBytes] {
        var (pieces, own): ([SharedBytes], [UInt8]) = ([], [])
        pieces.reserveCapacity(parts.count + 64)
        for part in parts {
            switch part {
            case .own(let bytes): own += bytes
            case .groups(_, let lines, let groups): own += lines.groups(groups)
            case .block(_, let lines):
                if !own.isEmpty { pieces.append(SharedBytes(own)) }
                own = []
                pieces.append(lines.bytes)
            case .strip(let strip):
                if !own.isEmpty { pieces.append(SharedBytes(own)) }
                own = []
                pieces += strip.bytes
            }
        }
        if !own.isEmpty { pieces.append(SharedBytes(own)) }
        return pieces
    }

    /// The text compressed with gzip; only what is not shared is compressed for this answer.
    package func gzip() throws(PlaybackError) -> [SharedBytes] {
        var (pieces, own): ([SharedBytes], [UInt8]) = ([], GzipJoin.header)
        pieces.reserveCapacity(parts.count)
        var trailer = GzipJoin.Trailer()
        func append(_ compressedLines: BlockText.CompressedLines) {
            trailer.append(compressedLines.deflated)
            if !own.isEmpty { pieces.append(SharedBytes(own)) }
            own = []
            pieces.append(compressedLines.bytes)
        }
        var index = 0
        while index < parts.count {
            var count = 1
            switch parts[index] {
            case .own(let bytes) where bytes.count <= Limits.smallTextBytes:
                trailer.append(plain: bytes)
                own += SmallDeflate.compressing(bytes)
            case .own(let bytes):
                let block = try DeflateBlock.made(of: bytes, level: Limits.gzipLevel)
                trailer.append(block)
                own += block.bytes
            case .groups(let text, _, let groups):
                own += try text.deflatedGroups().bytes(groups, &trailer)
            case .block(let text, _):
                let texts = strip(from: index)
                count = max(1, texts.count)
                append(texts.isEmpty ? try text.deflated() : try text.strip(of: texts))
            case .strip(let strip): append(try strip.deflated())
            }
            index += count
        }
        own += trailer.bytes
        pieces.append(SharedBytes(own))
        return pieces
    }

    /// The texts of the longest strip that begins at a part; none if none does.
    private func strip(from index: Int) -> [BlockText] {
        for length in Limits.stripLengths {
            let run = Self.run(of: length, from: index, in: parts)
            if !run.isEmpty { return run }
        }
        return []
    }

    /// The texts of `length` consecutive blocks from a part on; empty if there are not so many.
    ///
    /// The position of the first block must be a multiple of `length`.
    private static func run(of length: Int, from index: Int, in parts: [Part]) -> [BlockText] {
        guard case .block(let first, _) = parts[index], first.position.isMultiple(of: Int64(length)),
            index + length <= parts.count, case .block = parts[index + length - 1]
        else { return [] }
        var texts: [BlockText] = []
        texts.reserveCapacity(length)
        for part in parts[index..<(index + length)] {
            guard case .block(let text, _) = part, text.position == first.position + Int64(texts.count)
            else { return [] }
            texts.append(text)
        }
        return texts
    }
}
