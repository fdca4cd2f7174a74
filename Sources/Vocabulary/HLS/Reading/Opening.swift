/// The beginning of the text, which distinguishes a playlist from a web page (RFC 8216bis §4.4.1.1).
enum Opening {
    /// Where the lines begin, after a byte order mark.
    static func start(of bytes: [UInt8], context: inout ReadingContext) throws(PlaylistError) -> Int {
        if isUTF16(bytes) { throw context.error(.utf16) }
        guard bytes.starts(with: [0xEF, 0xBB, 0xBF]) else { return 0 }
        context.line = 1
        context.note(.byteOrderMark)
        return 3
    }

    /// Reads `#EXTM3U`; blank lines may precede it and text may follow it.
    static func readHeader(_ lines: inout LineCursor, context: inout ReadingContext) throws(PlaylistError) {
        while let line = lines.next() {
            context.line = lines.number
            guard !line.isEmpty else { continue }
            try check(line, context: &context)
            if lines.number > 1 || lines.wasTrimmed { context.note(.blankStart) }
            context.tag = .header
            if line.count > magic.count { context.note(.openingAttributes) }
            return
        }
        throw PlaylistError(line: 0, tag: nil, reason: .empty)
    }

    private static let magic = Array("#EXTM3U".utf8)

    private static func check(_ line: ArraySlice<UInt8>, context: inout ReadingContext) throws(PlaylistError)
    {
        let following = line.dropFirst(magic.count).first
        let endsWell = following.map { ASCII.isBlank($0) || $0 == ASCII.colon || $0 == ASCII.comma } ?? true
        guard line.starts(with: magic), endsWell else { throw context.error(.notAPlaylist(lookalike(line))) }
    }

    /// Whether the bytes begin with a byte order mark of UTF-16, or with `#` next to a zero byte.
    private static func isUTF16(_ bytes: [UInt8]) -> Bool {
        let pairs: [[UInt8]] = [[0xFF, 0xFE], [0xFE, 0xFF], [ASCII.hash, 0], [0, ASCII.hash]]
        return pairs.contains { bytes.starts(with: $0) }
    }

    private static func lookalike(_ line: ArraySlice<UInt8>) -> PlaylistError.Lookalike {
        let beginning = line.prefix(64).map { $0 >= 0x41 && $0 <= 0x5A ? $0 | 0x20 : $0 }
        if beginning.starts(with: [0x1F, 0x8B]) { return .gzip }
        switch beginning.first {
        case UInt8(ascii: "{"), UInt8(ascii: "["): return .json
        case UInt8(ascii: "g"): return line.contains(0) || line.contains(0xFF) ? .transportStream : .other
        case UInt8(ascii: "<"):
            let isXML =
                beginning.starts(with: Array("<?xml".utf8)) || beginning.starts(with: Array("<mpd".utf8))
            return isXML ? .xml : .html
        default: return .other
        }
    }
}
