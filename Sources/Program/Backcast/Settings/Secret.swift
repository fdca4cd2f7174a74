/// A text that must not appear in a log, message or dump.
struct Secret: Sendable, Hashable {
    /// The text itself, for the one place that needs it.
    let revealed: String

    init(_ text: String) {
        revealed = text
    }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    var description: String { "(secret)" }
    var debugDescription: String { description }
    var customMirror: Mirror { Mirror(self, children: []) }
}

extension Secret {
    /// The placeholders for tokens and secrets in the samples of all versions: they are publicly known.
    static let sampleTokens: Set<String> = [
        "change-me-to-a-long-random-text", "trial-token-for-this-machine-only",
        "a-long-random-text-of-your-own",
    ]

    /// Whether a text can be a token that is too long to guess and not from a sample.
    static func isStrong(_ text: String) -> Bool {
        text.utf8.count >= Limits.minTokenCharacters && !sampleTokens.contains(text) && isBearerToken(text)
    }

    /// Whether a text has only the characters that a bearer token may have (RFC 6750 §2.1).
    static func isBearerToken(_ text: String) -> Bool {
        let others = Set("-._~+/=".utf8)
        let isAllowed = { (byte: UInt8) in
            let isLetter = (0x61...0x7A).contains(byte | 0x20)
            let isDigit = (0x30...0x39).contains(byte)
            return isLetter || isDigit || others.contains(byte)
        }
        return !text.isEmpty && text.utf8.count <= Limits.tokenCharacters && text.utf8.allSatisfy(isAllowed)
    }
}
