/// What the reading of every tag shares: the place, the bounds, the variables and the notes.
struct ReadingContext {
    let limits: ReadingLimits
    let source: VariableSource
    var variables: [String: [UInt8]] = [:]
    var line = 0
    var tag: PlaylistTag?
    private(set) var notes: [Note] = []

    init(limits: ReadingLimits, source: VariableSource) {
        self.limits = limits
        self.source = source
    }

    /// Remembers a deviation; the list of notes stays as short as there are kinds of them.
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

    /// Refuses the list when a count passes its bound.
    func check(_ count: Int, _ limit: PlaylistError.Limit, _ maximum: Int) throws(PlaylistError) {
        if count > maximum { throw error(.limit(limit, maximum: maximum)) }
    }
}

extension ReadingContext {
    /// Bytes as a string, without control characters, variables left as they are.
    mutating func text(_ bytes: ArraySlice<UInt8>) -> String {
        var clean = bytes
        if bytes.contains(where: ASCII.isControl) {
            note(.controlCharacter)
            clean = bytes.filter { !ASCII.isControl($0) }[...]
        }
        if let string = String(validating: clean, as: UTF8.self) { return string }
        note(.invalidUTF8)
        return String(decoding: clean, as: UTF8.self)
    }

    /// A URI line with variables put in; bytes that are not UTF-8 are percent-encoded, so that they keep their value.
    mutating func uri(_ bytes: ArraySlice<UInt8>) throws(PlaylistError) -> String {
        let whole = try substituted(bytes)
        let isOrdinary = !whole.contains { $0 >= 0x80 || ASCII.isControl($0) }
        if isOrdinary { return String(decoding: whole, as: UTF8.self) }
        if String(validating: whole, as: UTF8.self) != nil { return text(whole) }
        note(.invalidUTF8)
        return text(Self.percentEncodingHighBytes(of: whole)[...])
    }

    private static func percentEncodingHighBytes(of bytes: ArraySlice<UInt8>) -> [UInt8] {
        let digits = Array("0123456789ABCDEF".utf8)
        return bytes.flatMap { byte in
            byte < 0x80 ? [byte] : [ASCII.percent, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
    }
}
