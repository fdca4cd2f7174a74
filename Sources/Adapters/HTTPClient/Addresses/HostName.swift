/// The form of host names (RFC 1123 §2.1), with the underscores of private networks.
enum HostName {
    /// Whether a text is a name, with or without the final dot, and not an address.
    ///
    /// A name whose last label has only digits is refused, because it would be read as an address.
    static func isValid(_ text: Substring) -> Bool {
        let name = text.hasSuffix(".") ? text.dropLast() : text
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        guard name.utf8.count <= 253, labels.allSatisfy(isLabel), let last = labels.last else { return false }
        return !last.utf8.allSatisfy(isDigit)
    }

    private static func isLabel(_ label: Substring) -> Bool {
        let hyphen = UInt8(ascii: "-")
        return (1...63).contains(label.utf8.count) && label.utf8.allSatisfy(isLabelByte)
            && label.utf8.first != hyphen && label.utf8.last != hyphen
    }

    private static func isLabelByte(_ byte: UInt8) -> Bool {
        isDigit(byte) || (0x61...0x7A).contains(byte | 0x20) || byte == UInt8(ascii: "-")
            || byte == UInt8(ascii: "_")
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}
