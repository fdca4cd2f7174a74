import HTTP
import JSON
import TimeZones
import Timeline

/// Reads the settings of a channel from JSON and names everything that is wrong at once.
struct ChannelReader {
    let defaultRetentionSeconds: Int64
    let refusalOfAddress: @Sendable (String, UInt16) -> String?

    /// The settings that a document says, defaults where it says nothing.
    ///
    /// `path` is the id in the request's path; the document's own must be the same or absent.
    func settings(from document: JSONValue, path: ChannelID? = nil) throws(Problem) -> ChannelSettings {
        var reader = ObjectReader(document, at: .root)
        guard reader.faults.isEmpty else { throw .invalid(reader.faults) }
        let id = readID(&reader, path: path)
        let sources = readSources(&reader)
        var settings = id.map {
            ChannelSettings(
                id: $0, title: $0.text, sources: sources, retentionSeconds: defaultRetentionSeconds)
        }
        readText(&reader, into: &settings)
        readBounds(&reader, into: &settings)
        readChoices(&reader, into: &settings)
        reader.refuseTheRest()
        guard let settings, reader.faults.isEmpty else { throw .invalid(reader.faults) }
        return settings
    }

    private func readID(_ reader: inout ObjectReader, path: ChannelID?) -> ChannelID? {
        let value = reader.take("id")
        guard case .string(let text)? = value, let id = ChannelID(text) else {
            if value == nil, let path { return path }
            let rule = "1 to 63 of a-z, 0-9, - and _ and begin with a letter or digit"
            reader.fail("id", value == nil ? "is missing" : "must be a string of \(rule)")
            return nil
        }
        if let path, path != id { reader.fail("id", "must be \(path), as in the path, or absent") }
        return id
    }

    private func readSources(_ reader: inout ObjectReader) -> [SourceSettings] {
        let single = reader.take("source_url")
        let list = reader.take("sources")
        if let single {
            if list != nil { reader.fail("source_url", "cannot stand beside sources") }
            let source = SourceReader(refusalOfAddress: refusalOfAddress)
            return [source.settings(fromURL: single, named: "source_url", of: &reader)]
        }
        guard let list else {
            reader.fail("sources", "is missing; give sources or source_url")
            return []
        }
        guard case .array(let items) = list, (1...Limits.sources).contains(items.count) else {
            reader.fail("sources", "must be an array of 1 to \(Limits.sources) sources")
            return []
        }
        return items.enumerated().map { index, item in
            let place = reader.place.appending("sources").appending(index)
            var source = ObjectReader(item, at: place)
            let settings = SourceReader(refusalOfAddress: refusalOfAddress).settings(from: &source)
            reader.add(source.faults)
            return settings
        }
    }

    private func readText(_ reader: inout ObjectReader, into settings: inout ChannelSettings?) {
        if let title = reader.line("title", characters: 1...Limits.titleCharacters) {
            settings?.title = title
        }
        if let zone = reader.string("time_zone") {
            if NamedZone(zone) != nil {
                settings?.timeZone = zone
            } else {
                reader.fail("time_zone", "must be the name of an IANA time zone, for example Europe/Berlin")
            }
        }
        switch reader.take("guide_id") {
        case nil, .null?: break
        case .string(let id)? where isGuideID(id): settings?.guideID = id
        default:
            reader.fail(
                "guide_id",
                "must be null or 1 to \(Limits.guideIDCharacters) characters without control characters")
        }
    }

    private func isGuideID(_ text: String) -> Bool {
        (1...Limits.guideIDCharacters).contains(text.unicodeScalars.count) && !text.hasControlCharacter
    }

    private func readBounds(_ reader: inout ObjectReader, into settings: inout ChannelSettings?) {
        if let seconds = reader.nullableInteger("retention_seconds", in: ChannelSettings.retentionBounds) {
            settings?.retentionSeconds = seconds
        }
        if let bytes = reader.nullableInteger("max_bytes", in: Limits.maxBytes) { settings?.maxBytes = bytes }
    }

    private func readChoices(_ reader: inout ObjectReader, into settings: inout ChannelSettings?) {
        if let recording = reader.bool("recording") { settings?.recording = recording }
        if let clock = reader.choice("clock", of: ClockChoice.self) { settings?.clock = clock }
        if let encryption = reader.choice("encryption", of: EncryptionChoice.self) {
            settings?.encryption = encryption
        }
        if let value = reader.take("renditions") {
            if let choice = Self.renditions(value) {
                settings?.renditions = choice
            } else {
                reader.fail(
                    "renditions",
                    "must be \"all\", \"highest\", \"lowest\" or an array of 1 to \(Limits.renditions) different ids such as \"v0\""
                )
            }
        }
    }

    private static func renditions(_ value: JSONValue) -> RenditionChoice? {
        switch value {
        case "all": return .all
        case "highest": return .highest
        case "lowest": return .lowest
        case .array(let items) where (1...Limits.renditions).contains(items.count):
            let ids = items.compactMap { item -> RenditionID? in
                if case .string(let text) = item { RenditionID(text) } else { nil }
            }
            return ids.count == items.count && Set(ids).count == ids.count ? .named(ids) : nil
        default: return nil
        }
    }
}
