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

    /// Reads `#EXTM3U` and returns the comments before it; blank lines may precede it and text may follow it.
    static func readHeader(
        _ lines: inout LineCursor, context: inout ReadingContext
    ) throws(PlaylistError) -> [String] {
        var comments: [String] = []
        var hasBlanks = false
        while let trimmed = lines.next() {
            context.line = lines.number
            try context.check(lines.number, .lines, context.limits.lineCount)
            try context.check(trimmed.count, .lineBytes, context.limits.lineByteCount)
            hasBlanks = hasBlanks || lines.hadBlanks || trimmed.isEmpty
            let line = context.clean(trimmed)
            if line.isEmpty {
                if lines.hadControls { context.note(.controlCharacter) }
                continue
            }
            if isComment(line), comments.count < context.limits.openingCommentCount {
                context.note(.openingComments)
                comments.append(context.text(line))
                continue
            }
            guard isHeader(line) else { throw context.error(.notAPlaylist(detectedContent(lines.untrimmed))) }
            if lines.hadControls { context.note(.controlCharacter) }
            if hasBlanks { context.note(.blankStart) }
            context.tag = .header
            if line.count > magic.count { context.note(.openingAttributes) }
            return comments
        }
        throw PlaylistError(line: 0, tag: nil, reason: .empty)
    }

    private static let magic = Array("#EXTM3U".utf8)

    private static func isHeader(_ line: ArraySlice<UInt8>) -> Bool {
        guard line.starts(with: magic) else { return false }
        let following = line.dropFirst(magic.count).first
        return following.map { ASCII.isBlank($0) || $0 == ASCII.colon || $0 == ASCII.comma } ?? true
    }

    /// A line that begins with `#` and is no tag (RFC 8216bis §4.1).
    private static func isComment(_ line: ArraySlice<UInt8>) -> Bool {
        line.first == ASCII.hash && !line.starts(with: "#EXT".utf8)
    }

    /// Whether the bytes begin with a byte order mark of UTF-16, or with `#` next to a zero byte.
    private static func isUTF16(_ bytes: [UInt8]) -> Bool {
        let pairs: [[UInt8]] = [[0xFF, 0xFE], [0xFE, 0xFF], [ASCII.hash, 0], [0, ASCII.hash]]
        return pairs.contains { bytes.starts(with: $0) }
    }

    private static func detectedContent(_ whole: ArraySlice<UInt8>) -> PlaylistError.DetectedContent {
        let line = whole.drop(while: ASCII.isBlank)
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
