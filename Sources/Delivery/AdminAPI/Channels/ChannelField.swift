import HTTP
import JSON
import TimeZones
import Timeline

/// A field of a channel: its name in JSON, how it is written, and how it is read with its bounds.
///
/// The table is the one place where this API knows a field; openapi.json describes it to clients.
struct ChannelField {
    let name: String
    let value: (ChannelSettings) -> JSONValue
    /// Takes the field out of an object and changes the settings; a wrong value leaves a fault in the reader.
    let read: (inout ObjectReader, inout ChannelSettings?) -> Void

    /// Every field beside the id and the sources, in the order of the document.
    static var all: [ChannelField] {
        [
            line("title", \.title, characters: 1...Limits.titleCharacters),
            flag("recording", \.recording),
            nullableInteger("retention_seconds", \.retentionSeconds, in: ChannelSettings.retentionBounds),
            nullableInteger("max_bytes", \.maxBytes, in: Limits.maxBytes),
            renditions("renditions", \.renditions),
            choice("clock", \.clock),
            choice("encryption", \.encryption),
            timeZone("time_zone", \.timeZone),
            nullableURL("logo", \.logo),
            nullableLine("group", \.group, characters: 1...Limits.groupCharacters),
        ]
    }
}

/// The forms that fields have.
extension ChannelField {
    private typealias Path<Value> = WritableKeyPath<ChannelSettings, Value>

    private static func line(
        _ name: String, _ path: Path<String>, characters: ClosedRange<Int>,
    ) -> ChannelField {
        ChannelField(name: name, value: { .string($0[keyPath: path]) }) { reader, settings in
            if let text = reader.line(name, characters: characters) { settings?[keyPath: path] = text }
        }
    }

    private static func nullableLine(
        _ name: String, _ path: Path<String?>, characters: ClosedRange<Int>,
    ) -> ChannelField {
        ChannelField(name: name, value: { .optional($0[keyPath: path]) }) { reader, settings in
            if reader.takeNull(name) {
                settings?[keyPath: path] = nil
            } else if let text = reader.line(name, characters: characters) {
                settings?[keyPath: path] = text
            }
        }
    }

    /// An http or https URL without user information: viewers see it.
    private static func nullableURL(_ name: String, _ path: Path<String?>) -> ChannelField {
        ChannelField(name: name, value: { .optional($0[keyPath: path]) }) { reader, settings in
            if reader.takeNull(name) {
                settings?[keyPath: path] = nil
                return
            }
            guard let text = reader.line(name, characters: 1...Limits.logoCharacters) else { return }
            guard let url = try? HTTPURL(text), url.userInfo == nil,
                url.absoluteString.utf8.count <= Limits.logoCharacters
            else {
                reader.fail(name, "must be an http or https URL without user and password")
                return
            }
            settings?[keyPath: path] = url.absoluteString
        }
    }

    private static func flag(_ name: String, _ path: Path<Bool>) -> ChannelField {
        ChannelField(name: name, value: { .bool($0[keyPath: path]) }) { reader, settings in
            if let flag = reader.bool(name) { settings?[keyPath: path] = flag }
        }
    }

    private static func nullableInteger(
        _ name: String, _ path: Path<Int64?>, in bounds: ClosedRange<Int64>,
    ) -> ChannelField {
        ChannelField(name: name, value: { .optional($0[keyPath: path]) }) { reader, settings in
            if let number = reader.nullableInteger(name, in: bounds) { settings?[keyPath: path] = number }
        }
    }

    private static func choice<Choice>(_ name: String, _ path: Path<Choice>) -> ChannelField
    where Choice: RawRepresentable<String> & CaseIterable {
        ChannelField(name: name, value: { .string($0[keyPath: path].rawValue) }) { reader, settings in
            if let choice = reader.choice(name, of: Choice.self) { settings?[keyPath: path] = choice }
        }
    }

    private static func timeZone(_ name: String, _ path: Path<String>) -> ChannelField {
        ChannelField(name: name, value: { .string($0[keyPath: path]) }) { reader, settings in
            guard let zone = reader.string(name) else { return }
            if NamedZone(zone) != nil {
                settings?[keyPath: path] = zone
            } else {
                reader.fail(name, "must be the name of an IANA time zone, for example Europe/Berlin")
            }
        }
    }

    private static func renditions(_ name: String, _ path: Path<RenditionChoice>) -> ChannelField {
        ChannelField(name: name, value: { $0[keyPath: path].value }) { reader, settings in
            guard let value = reader.take(name) else { return }
            if let choice = RenditionChoice(reading: value) {
                settings?[keyPath: path] = choice
            } else {
                let words = "\"all\", \"highest\", \"lowest\""
                reader.fail(
                    name,
                    "must be \(words) or an array of 1 to \(Limits.renditions) different ids such as \"v0\"")
            }
        }
    }
}

extension RenditionChoice {
    fileprivate init?(reading value: JSONValue) {
        switch value {
        case "all": self = .all
        case "highest": self = .highest
        case "lowest": self = .lowest
        case .array(let items) where (1...Limits.renditions).contains(items.count):
            let ids = items.compactMap { item -> RenditionID? in
                if case .string(let text) = item { RenditionID(text) } else { nil }
            }
            guard ids.count == items.count, Set(ids).count == ids.count else { return nil }
            self = .named(ids)
        default: return nil
        }
    }

    fileprivate var value: JSONValue {
        switch self {
        case .all: "all"
        case .highest: "highest"
        case .lowest: "lowest"
        case .named(let ids): .array(ids.map { .string($0.description) })
        }
    }
}
