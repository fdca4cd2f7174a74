/// Text of others, made safe for a line on a terminal.
enum PrintableText {
    /// The text with a question mark for each character that controls the terminal or the direction of text.
    static func line(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { scalar in
                    let isControl = scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value)
                    return isControl || scalar.properties.isBidiControl ? "?" : scalar
                }))
    }

    /// The columns of a terminal that a text takes: two for each wide character of East Asian scripts.
    static func columns(of text: some StringProtocol) -> Int {
        text.reduce(0) { $0 + columns(of: $1) }
    }

    /// As much of the beginning of a text as fits into so many columns.
    static func beginning(of text: String, columns limit: Int) -> String {
        var count = 0
        return String(
            text.prefix { character in
                count += columns(of: character)
                return count <= limit
            })
    }

    private static func columns(of character: Character) -> Int {
        let first = character.unicodeScalars.first?.value ?? 0
        return wideScalars.contains { $0.contains(first) } ? 2 : 1
    }

    /// The blocks of scalars that are wide or full-width (Unicode Standard Annex 11), without their few gaps.
    private static let wideScalars: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97C, 0xAC00...0xD7A3,
        0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F,
        0x1F680...0x1F6FF, 0x1F900...0x1F9FF, 0x20000...0x3FFFD,
    ]
}
