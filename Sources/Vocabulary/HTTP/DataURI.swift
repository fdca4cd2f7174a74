/// The bytes of a `data:` URI (RFC 2397).
package enum DataURI {
    /// Whether a reference is such a URI.
    package static func isDataURI(_ reference: some StringProtocol) -> Bool {
        reference.prefix(5).lowercased() == "data:"
    }

    /// Nil when the text is not one.
    package static func bytes(of uri: String) -> [UInt8]? {
        guard isDataURI(uri), let comma = uri.firstIndex(of: ","),
            let content = PercentEncoding.bytes(decoding: uri[uri.index(after: comma)...])
        else { return nil }
        return uri[..<comma].lowercased().hasSuffix(";base64") ? base64(content) : content
    }

    /// Decodes base64 (RFC 4648 §4), the padding of which may be missing; nil for other characters.
    private static func base64(_ text: [UInt8]) -> [UInt8]? {
        var digits = text[...]
        while digits.last == UInt8(ascii: "="), text.count - digits.count < 2 { digits.removeLast() }
        guard digits.count % 4 != 1 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 4 * 3 + 2)
        var (bits, count): (UInt32, Int) = (0, 0)
        for digit in digits {
            guard let value = value(of: digit) else { return nil }
            (bits, count) = (bits << 6 | UInt32(value), count + 6)
            guard count >= 8 else { continue }
            count -= 8
            bytes.append(UInt8(truncatingIfNeeded: bits >> count))
        }
        return bytes
    }

    private static func value(of digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): digit - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): digit - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0") + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
