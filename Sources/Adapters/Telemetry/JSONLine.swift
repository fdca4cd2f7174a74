import JSON
import Logging

/// A log line for machines.
enum JSONLine {
    static func line(
        time: String, level: Logger.Level, label: String, message: String, metadata: Logger.Metadata,
    ) -> String {
        var members: [JSONValue.Member] = [
            .init(name: "time", value: .string(time)), .init(name: "level", value: .string(level.rawValue)),
            .init(name: "label", value: text(label)), .init(name: "message", value: text(message)),
        ]
        if !metadata.isEmpty {
            members.append(.init(name: "metadata", value: value(.dictionary(metadata), depth: 0)))
        }
        return String(decoding: JSONValue.object(members).bytes, as: UTF8.self)
    }

    private static func value(_ value: Logger.MetadataValue, depth: Int) -> JSONValue {
        guard depth <= Limits.logMetadataDepth else { return "…" }
        switch value {
        case .string(let string): return text(string)
        case .stringConvertible(let other): return text(other.description)
        case .array(let values): return .array(values.map { self.value($0, depth: depth + 1) })
        case .dictionary(let pairs):
            return .object(
                pairs.sorted { $0.key < $1.key }
                    .map { .init(name: LogText.cut($0.key), value: self.value($0.value, depth: depth + 1)) })
        }
    }

    private static func text(_ text: String) -> JSONValue {
        .string(LogText.cut(text))
    }
}
