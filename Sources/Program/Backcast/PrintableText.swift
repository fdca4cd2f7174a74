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
}
