import Logging

/// Shared parts of the line formats: cutting, escaping, and metadata as one text.
enum LogText {
    /// The text, cut at the module's limit.
    static func cut(_ text: String) -> String {
        let characters = text.unicodeScalars
        guard
            let end = characters.index(
                characters.startIndex, offsetBy: Limits.logTextCharacters, limitedBy: characters.endIndex),
            end != characters.endIndex
        else { return text }
        return String(characters[..<end]) + "…"
    }

    /// Control characters, line separators and direction marks as escapes, the backslash doubled; cut at the
    /// module's limit.
    static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in cut(text).unicodeScalars {
            if let escape = escape(scalar) {
                escaped += escape
            } else {
                escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    private static func escape(_ scalar: Unicode.Scalar) -> String? {
        switch scalar {
        case "\\": "\\\\"
        case "\n": "\\n"
        case "\r": "\\r"
        case "\t": "\\t"
        case _ where isUnsafe(scalar): "\\u{\(String(scalar.value, radix: 16))}"
        default: nil
        }
    }

    /// C0, DEL, C1, the line separators, and marks that reorder text on a terminal.
    private static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0, 0x2028...0x202E, 0x200E...0x200F, 0x2066...0x2069: true
        default: false
        }
    }

    /// A metadata value as one text; lists in brackets, dictionaries sorted by key in braces.
    static func flat(_ value: Logger.MetadataValue, depth: Int = 0) -> String {
        guard depth < Limits.logMetadataDepth else { return "…" }
        switch value {
        case .string(let text): return text
        case .stringConvertible(let other): return other.description
        case .array(let values):
            return "[\(values.map { flat($0, depth: depth + 1) }.joined(separator: ","))]"
        case .dictionary(let pairs):
            let texts = pairs.sorted { $0.key < $1.key }.map {
                "\($0.key):\(flat($0.value, depth: depth + 1))"
            }
            return "{\(texts.joined(separator: ","))}"
        }
    }
}
