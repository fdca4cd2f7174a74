import Encoding

/// Classes of bytes in the grammars of HTTP and URIs.
extension UInt8 {
    var isDigit: Bool { self >= 0x30 && self <= 0x39 }
    var isLetter: Bool { (self | 0x20) >= 0x61 && (self | 0x20) <= 0x7A }
    var isBlank: Bool { self == 0x20 || self == 0x09 }
    var isControl: Bool { self < 0x20 || self == 0x7F }
    var lowercased: UInt8 { self >= 0x41 && self <= 0x5A ? self | 0x20 : self }

    /// A byte of a token (RFC 9110 §5.6.2).
    package var isTokenByte: Bool {
        isDigit || isLetter || "!#$%&'*+-.^_`|~".utf8.contains(self)
    }

    /// A byte that never needs escaping in a URI (RFC 3986 §2.3).
    var isUnreserved: Bool {
        isDigit || isLetter || self == UInt8(ascii: "-") || self == UInt8(ascii: ".")
            || self == UInt8(ascii: "_") || self == UInt8(ascii: "~")
    }

    /// A delimiter that a URI component may use for itself (RFC 3986 §2.2).
    var isSubDelimiter: Bool { "!$&'()*+,;=".utf8.contains(self) }

    /// The value of a hexadecimal digit in either case.
    var hexValue: UInt8? { Hexadecimal.value(of: self) }
}

/// A text with ASCII letters in lower case and everything else unchanged.
func lowercasedASCII(_ text: some StringProtocol) -> String {
    String(decoding: text.utf8.map(\.lowercased), as: UTF8.self)
}

/// An unsigned decimal of at least one digit and nothing else; values beyond 64 bits become the largest.
func saturatingDecimal(_ bytes: some Collection<UInt8>) -> UInt64? {
    guard !bytes.isEmpty else { return nil }
    var value: UInt64 = 0
    for byte in bytes {
        guard byte.isDigit else { return nil }
        let (tens, overflowed) = value.multipliedReportingOverflow(by: 10)
        let (sum, carried) = tens.addingReportingOverflow(UInt64(byte - 0x30))
        value = overflowed || carried ? .max : sum
        // Ten times a saturated value overflows again, so it stays the largest.
    }
    return value
}
