import Encoding

/// The bytes of a `data:` URI (RFC 2397).
enum DataURI {
    /// Nil when the text is not one.
    static func bytes(of uri: String) -> [UInt8]? {
        guard uri.lowercased().hasPrefix("data:"), let comma = uri.firstIndex(of: ",") else { return nil }
        let content = unescaped(uri[uri.index(after: comma)...])
        return uri[..<comma].lowercased().hasSuffix(";base64") ? base64(content) : content
    }

    private static func unescaped(_ text: Substring) -> [UInt8] {
        var result: [UInt8] = []
        var bytes = Array(text.utf8)[...]
        while let byte = bytes.popFirst() {
            let digits = bytes.prefix(2).compactMap(Hexadecimal.value)
            guard byte == UInt8(ascii: "%"), digits.count == 2 else {
                result.append(byte)
                continue
            }
            result.append(digits[0] << 4 | digits[1])
            bytes = bytes.dropFirst(2)
        }
        return result
    }

    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    private static func base64(_ text: [UInt8]) -> [UInt8]? {
        var bytes: [UInt8] = []
        var (bits, bitCount): (UInt32, Int) = (0, 0)
        for byte in text where byte != UInt8(ascii: "=") {
            guard let value = alphabet.firstIndex(of: byte) else { return nil }
            bits = bits << 6 | UInt32(value)
            bitCount += 6
            guard bitCount >= 8 else { continue }
            bitCount -= 8
            bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(bitCount)))
            bits &= (1 << UInt32(bitCount)) - 1
        }
        return bytes
    }
}
