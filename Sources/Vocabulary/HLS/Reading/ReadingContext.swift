import Encoding

/// What all tags share while they are read: position, bounds, variables and notes.
struct ReadingContext {
    let limits: ReadingLimits
    let source: VariableSource
    var variables: [String: [UInt8]] = [:]
    var line = 0
    var tag: PlaylistTag?
    private(set) var notes: [Note] = []
    /// Bytes that variables have inserted so far.
    var insertedByteCount = 0

    init(limits: ReadingLimits, source: VariableSource) {
        self.limits = limits
        self.source = source
    }

    /// Records a deviation; there is at most one note per kind and tag.
    mutating func note(_ deviation: Deviation) {
        if let index = notes.firstIndex(where: { $0.deviation == deviation && $0.tag == tag }) {
            notes[index].count += 1
        } else {
            notes.append(Note(deviation: deviation, tag: tag, line: line))
        }
    }

    func error(_ reason: PlaylistError.Reason) -> PlaylistError {
        PlaylistError(line: line, tag: tag, reason: reason)
    }

    /// Throws when a count exceeds its bound.
    func check(_ count: Int, _ limit: PlaylistError.Limit, _ maximum: Int) throws(PlaylistError) {
        if count > maximum { throw error(.limit(limit, maximum: maximum)) }
    }
}

extension ReadingContext {
    /// A line without control characters, which neither tags nor URIs may contain (RFC 8216bis §4.1).
    mutating func clean(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard line.contains(where: ASCII.isControl) else { return line }
        note(.controlCharacter)
        return line.filter { !ASCII.isControl($0) }[...]
    }

    /// Bytes as a string; variables are not substituted.
    mutating func text(_ bytes: ArraySlice<UInt8>) -> String {
        if let string = String(validating: bytes, as: UTF8.self) { return string }
        note(.invalidUTF8)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// A URI line with variables substituted; bytes that are not UTF-8 are percent-encoded, which preserves
    /// their value.
    mutating func uri(_ bytes: ArraySlice<UInt8>) throws(PlaylistError) -> String {
        let whole = try substituted(bytes)
        if let string = String(validating: whole, as: UTF8.self) { return string }
        note(.invalidUTF8)
        return String(decoding: Self.percentEncodingHighBytes(of: whole), as: UTF8.self)
    }

    private static func percentEncodingHighBytes(of bytes: ArraySlice<UInt8>) -> [UInt8] {
        bytes.flatMap { byte in
            byte < 0x80 ? [byte] : [ASCII.percent] + Hexadecimal.digits(of: byte, uppercase: true)
        }
    }
}
