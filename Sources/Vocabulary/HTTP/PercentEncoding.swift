import Encoding

/// Percent-encoding (RFC 3986 §2.1) of text as UTF-8.
package enum PercentEncoding {
    /// Decodes a path segment or a query component; nil when an escape is not two hexadecimal digits or the
    /// bytes are not UTF-8.
    ///
    /// `plusIsSpace` is the rule of HTML forms. Decoded text may contain "/" and control characters.
    package static func decoded(_ text: some StringProtocol, plusIsSpace: Bool = false) -> String? {
        let isPlain = text.utf8.allSatisfy {
            $0 != UInt8(ascii: "%") && !(plusIsSpace && $0 == UInt8(ascii: "+"))
        }
        if isPlain { return String(text) }
        return bytes(decoding: text, plusIsSpace: plusIsSpace).flatMap {
            String(validating: $0, as: UTF8.self)
        }
    }

    /// The bytes of a text with escapes, which need not be UTF-8; nil when an escape is not two hexadecimal
    /// digits.
    package static func bytes(decoding text: some StringProtocol, plusIsSpace: Bool = false) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        var rest = text.utf8.makeIterator()
        while let byte = rest.next() {
            if byte == UInt8(ascii: "%") {
                guard let high = rest.next()?.hexValue, let low = rest.next()?.hexValue else { return nil }
                bytes.append(high << 4 | low)
            } else {
                bytes.append(plusIsSpace && byte == UInt8(ascii: "+") ? 0x20 : byte)
            }
        }
        return bytes
    }

    /// A path in which unreserved characters are not escaped, which means the same (RFC 3986 §6.2.2.2).
    ///
    /// All other escapes stay, so that no delimiter appears; unchanged when an escape is not two hexadecimal
    /// digits.
    package static func normalized(_ path: String) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(path.utf8.count)
        var rest = path.utf8.makeIterator()
        while let byte = rest.next() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let first = rest.next(), let second = rest.next(), let high = first.hexValue,
                let low = second.hexValue
            else { return path }
            let value = high << 4 | low
            bytes += value.isUnreserved ? [value] : [byte, first, second]
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Encodes everything except unreserved characters, so that the result fits every component of a URL.
    package static func encoded(_ text: some StringProtocol) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        for byte in text.utf8 { append(byte, escaping: !byte.isUnreserved, to: &bytes) }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends a byte as it is or as an escape.
    static func append(_ byte: UInt8, escaping: Bool, to bytes: inout [UInt8]) {
        guard escaping else {
            bytes.append(byte)
            return
        }
        bytes.append(UInt8(ascii: "%"))
        bytes += Hexadecimal.digits(of: byte, uppercase: true)
    }
}
