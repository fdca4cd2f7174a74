import HTTP
import JSON
import Timeline

/// Reads the settings of a channel from JSON and reports everything that is wrong together.
struct ChannelReader {
    let defaultRetentionSeconds: Int64
    let refusalOfAddress: @Sendable (String, UInt16) -> String?

    /// The settings of a document, with defaults for absent fields.
    ///
    /// `path` is the id in the request's path; the document's own id must be equal or absent. URLs in
    /// `stored` are not checked against the address policy again: each request to a source is checked anyway.
    func settings(
        from document: JSONValue, path: ChannelID? = nil, stored: [String] = [],
    ) throws(Problem) -> ChannelSettings {
        var reader = ObjectReader(document, at: .root)
        guard reader.faults.isEmpty else { throw .invalid(reader.faults) }
        let id = readID(&reader, path: path)
        let sources = readSources(
            &reader, SourceReader(refusalOfAddress: refusalOfAddress, storedURLs: Set(stored)))
        var settings = id.map {
            ChannelSettings(
                id: $0, title: $0.text, sources: sources, retentionSeconds: defaultRetentionSeconds)
        }
        for field in ChannelField.all { field.read(&reader, &settings) }
        reader.refuseUnknownFields()
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

    private func readSources(_ reader: inout ObjectReader, _ source: SourceReader) -> [SourceSettings] {
        let single = reader.take("source_url")
        let list = reader.take("sources")
        if let single {
            if list != nil { reader.fail("source_url", "cannot be combined with sources") }
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
            var item = ObjectReader(item, at: place)
            let settings = source.settings(from: &item)
            reader.add(item.faults)
            return settings
        }
    }
}
