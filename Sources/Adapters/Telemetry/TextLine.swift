import Logging

/// A log line for people.
enum TextLine {
    static func line(
        time: String, level: Logger.Level, label: String, message: String, metadata: Logger.Metadata,
    ) -> String {
        var line = "\(time) \(level.rawValue) \(LogText.escaped(label)) \(LogText.escaped(message))"
        for (key, value) in metadata.sorted(by: { $0.key < $1.key }) {
            line += " \(word(key))=\(word(LogText.flat(value)))"
        }
        return line
    }

    /// Quoted when it could be mistaken for two words, for a pair, or for nothing.
    private static func word(_ text: String) -> String {
        let isPlain = !text.isEmpty && text.unicodeScalars.allSatisfy { $0 != " " && $0 != "\"" && $0 != "=" }
        let escaped = LogText.escaped(text)
        return isPlain ? escaped : "\"\(escaped.replacing("\"", with: "\\\""))\""
    }
}
