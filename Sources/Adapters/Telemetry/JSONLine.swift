import Logging

/// A log line for machines (RFC 8259).
enum JSONLine {
    static func line(
        time: String, level: Logger.Level, label: String, message: String, metadata: Logger.Metadata,
    ) -> String {
        var members = [
            "\"time\":\(string(time))", "\"level\":\(string(level.rawValue))", "\"label\":\(string(label))",
            "\"message\":\(string(message))",
        ]
        if !metadata.isEmpty { members.append("\"metadata\":\(value(.dictionary(metadata), depth: 0))") }
        return "{\(members.joined(separator: ","))}"
    }

    private static func value(_ value: Logger.MetadataValue, depth: Int) -> String {
        guard depth <= Limits.logMetadataDepth else { return string("…") }
        switch value {
        case .string(let text): return string(text)
        case .stringConvertible(let other): return string(other.description)
        case .array(let values):
            return "[\(values.map { self.value($0, depth: depth + 1) }.joined(separator: ","))]"
        case .dictionary(let pairs):
            let members = pairs.sorted { $0.key < $1.key }
                .map { "\(string($0.key)):\(self.value($0.value, depth: depth + 1))" }
            return "{\(members.joined(separator: ","))}"
        }
    }

    private static func string(_ text: String) -> String {
        var escaped = "\""
        for scalar in text.unicodeScalars.prefix(Limits.logTextCharacters) {
            switch scalar {
            case "\"": escaped += "\\\""
            case "\\": escaped += "\\\\"
            case "\n": escaped += "\\n"
            case _ where LogText.isUnsafe(scalar): escaped += unicodeEscape(scalar)
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped + (text.unicodeScalars.count > Limits.logTextCharacters ? "…\"" : "\"")
    }

    /// Every unsafe character is in the basic plane, so four digits suffice.
    private static func unicodeEscape(_ scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16)
        return "\\u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}
