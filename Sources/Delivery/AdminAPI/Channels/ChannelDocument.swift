import HTTP
import JSON
import Timeline

/// The JSON form of a channel: every field, so that a client can read it, change it and write it back.
enum ChannelDocument {
    static func document(of settings: ChannelSettings) -> JSONValue {
        let required: [JSONValue.Member] = [
            .init(name: "id", value: .string(settings.id.text)),
            .init(name: "sources", value: .array(settings.sources.map(document(of:)))),
        ]
        return .object(required + ChannelField.all.map { .init(name: $0.name, value: $0.value(settings)) })
    }

    private static func document(of source: SourceSettings) -> JSONValue {
        let headers = source.headers.sorted { $0.key < $1.key }
        return [
            "url": .string(source.url),
            "headers": .object(headers.map { JSONValue.Member(name: $0.key, value: .string($0.value)) }),
            "priority": .integer(Int64(source.priority)),
            "max_connections": .optional(source.maxConnections.map { Int64($0) }),
            "allow_invalid_certificate": .bool(source.allowInvalidCertificate),
            "inherit_query": .bool(source.inheritQuery),
            "ip_version": .optional(source.ipVersion.map { Int64($0) }),
            "header_hosts": .array(source.headerHosts.map { .string($0) }),
        ]
    }
}

extension JSONValue {
    static func optional(_ value: Int64?) -> JSONValue {
        value.map(JSONValue.integer) ?? .null
    }

    static func optional(_ value: String?) -> JSONValue {
        value.map(JSONValue.string) ?? .null
    }

    static func optional(_ instant: Instant?) -> JSONValue {
        .optional(instant?.rfc3339)
    }

    /// Seconds, rounded to the millisecond.
    static func seconds(microseconds: Int64) -> JSONValue {
        .number((Double(microseconds) / 1000).rounded() / 1000)
    }
}
