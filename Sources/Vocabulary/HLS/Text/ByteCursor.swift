/// A position in the bytes of one line; no input makes it trap.
struct ByteCursor {
    let bytes: ArraySlice<UInt8>
    private(set) var position: Int

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        position = bytes.startIndex
    }

    var isAtEnd: Bool { position >= bytes.endIndex }

    /// The byte at the position; nil at the end.
    var current: UInt8? { isAtEnd ? nil : bytes[position] }

    /// The bytes that have not been consumed.
    var rest: ArraySlice<UInt8> { bytes[position...] }

    mutating func advance() {
        if !isAtEnd { position += 1 }
    }

    /// Consumes one byte if it has this value.
    mutating func skip(_ byte: UInt8) -> Bool {
        guard current == byte else { return false }
        position += 1
        return true
    }

    mutating func skipBlanks() {
        while let current, ASCII.isBlank(current) { position += 1 }
    }

    /// Consumes bytes up to the first that matches, or all, and returns them.
    mutating func readBytes(until stop: (UInt8) -> Bool) -> ArraySlice<UInt8> {
        let start = position
        while let current, !stop(current) { position += 1 }
        return bytes[start..<position]
    }

    /// Consumes a digit and returns its value.
    mutating func digit() -> UInt64? {
        guard let current, ASCII.isDigit(current) else { return nil }
        position += 1
        return UInt64(current - ASCII.zero)
    }
}

/// The bytes that have a meaning in playlists.
enum ASCII {
    static let zero = UInt8(ascii: "0")
    static let lineFeed = UInt8(ascii: "\n")
    static let carriageReturn = UInt8(ascii: "\r")
    static let hash = UInt8(ascii: "#")
    static let comma = UInt8(ascii: ",")
    static let colon = UInt8(ascii: ":")
    static let equals = UInt8(ascii: "=")
    static let quote = UInt8(ascii: "\"")
    static let openBrace = UInt8(ascii: "{")
    static let closeBrace = UInt8(ascii: "}")
    static let dollar = UInt8(ascii: "$")
    static let percent = UInt8(ascii: "%")
    static let dot = UInt8(ascii: ".")
    static let minus = UInt8(ascii: "-")
    static let plus = UInt8(ascii: "+")
    static let at = UInt8(ascii: "@")
    static let space = UInt8(ascii: " ")
    static let delete: UInt8 = 0x7F

    static func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }
    static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
    /// A control character other than the tabulator (RFC 8216bis §4.1 allows none).
    static func isControl(_ byte: UInt8) -> Bool { (byte < 0x20 && byte != 0x09) || byte == delete }

    static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7A }
}
