extension JSONReader {
    /// A number; a whole number that fits 64 bits is an integer, in any notation.
    mutating func number() throws(JSONError) -> JSONValue {
        let start = position
        _ = take(UInt8(ascii: "-"))
        let isPlain = try digits(leadingZero: false)
        if take(UInt8(ascii: ".")) { _ = try digits(leadingZero: true) }
        if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
            if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
            _ = try digits(leadingZero: true)
        }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        if isPlain, let whole = Int64(text) { return .integer(whole) }
        guard let value = Double(text), value.isFinite else { throw fault("a number is too large") }
        return Int64(exactly: value).map(JSONValue.integer) ?? .number(value)
    }

    private mutating func digits(leadingZero: Bool) throws(JSONError) -> Bool {
        let start = position
        while let byte = peek, (0x30...0x39).contains(byte) { position += 1 }
        let count = position - start
        guard count > 0, leadingZero || count == 1 || bytes[start] != 0x30 else {
            throw fault("a value is missing or not JSON")
        }
        return true
    }

    mutating func string() throws(JSONError) -> String {
        position += 1
        var text: [UInt8] = []
        while let byte = peek {
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\"): text += try escape()
            case 0..<0x20: throw fault("a string contains a control character")
            default: text.append(byte)
            }
        }
        throw fault("a string does not end")
    }

    private mutating func escape() throws(JSONError) -> [UInt8] {
        guard let byte = peek else { throw fault("a string does not end") }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [byte]
        case UInt8(ascii: "b"): return [0x08]
        case UInt8(ascii: "f"): return [0x0C]
        case UInt8(ascii: "n"): return [0x0A]
        case UInt8(ascii: "r"): return [0x0D]
        case UInt8(ascii: "t"): return [0x09]
        case UInt8(ascii: "u"): return Array(String(Character(try scalar())).utf8)
        default: throw fault("an escape is unknown")
        }
    }

    /// The character of one escape, or of the two of a surrogate pair (RFC 8259 §7).
    private mutating func scalar() throws(JSONError) -> Unicode.Scalar {
        let first = try codeUnit()
        if let scalar = Unicode.Scalar(first) { return scalar }
        guard (0xD800..<0xDC00).contains(first), take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) else {
            throw fault("a surrogate is not part of a pair")
        }
        let second = try codeUnit()
        guard (0xDC00..<0xE000).contains(second),
            let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
        else { throw fault("a surrogate is not part of a pair") }
        return scalar
    }

    private mutating func codeUnit() throws(JSONError) -> UInt32 {
        let end = position + 4
        guard end <= bytes.count, bytes[position..<end].allSatisfy(Self.isHexDigit),
            let value = UInt32(String(decoding: bytes[position..<end], as: UTF8.self), radix: 16)
        else { throw fault("an escape is not four hexadecimal digits") }
        position = end
        return value
    }

    private static func isHexDigit(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte | 0x20)
    }
}
