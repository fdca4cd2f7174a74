/// The form of the admin API's bearer token.
enum AdminToken {
    /// Whether a text has the characters that a bearer token may have (RFC 6750 §2.1).
    static func isWellFormed(_ text: String) -> Bool {
        let others = Set("-._~+/=".utf8)
        let isAllowed = { (byte: UInt8) in
            others.contains(byte) || (byte | 0x20 >= 0x61 && byte | 0x20 <= 0x7A)
                || (byte >= 0x30 && byte <= 0x39)
        }
        return !text.isEmpty && text.utf8.count <= Limits.tokenCharacters && text.utf8.allSatisfy(isAllowed)
    }
}
