import HTTP
import JSON
import Timeline

/// Reads one source of a channel from JSON.
struct SourceReader {
    let refusalOfAddress: @Sendable (String, UInt16) -> String?
    /// The URLs that the channel already has.
    var storedURLs: Set<String> = []

    /// The settings in an object; everything that is wrong stays in the reader.
    func settings(from reader: inout ObjectReader) -> SourceSettings {
        guard reader.faults.isEmpty else { return SourceSettings(url: "") }
        let url = reader.take("url")
        if url == nil { reader.fail("url", "is missing") }
        var settings =
            url.map { self.settings(fromURL: $0, named: "url", of: &reader) } ?? SourceSettings(url: "")
        settings.headers = headers(&reader)
        settings.headerHosts = headerHosts(&reader)
        if let priority = reader.integer("priority", in: Limits.priority) {
            settings.priority = Int(priority)
        }
        if let connections = reader.nullableInteger("max_connections", in: Limits.maxConnections) {
            settings.maxConnections = connections.map { Int($0) }
        }
        if let allow = reader.bool("allow_invalid_certificate") { settings.allowInvalidCertificate = allow }
        if let inherit = reader.bool("inherit_query") { settings.inheritQuery = inherit }
        settings.ipVersion = ipVersion(&reader)
        reader.refuseUnknownFields()
        return settings
    }

    /// A source that is given by its URL only.
    func settings(fromURL value: JSONValue, named name: String, of reader: inout ObjectReader)
        -> SourceSettings
    {
        guard case .string(let text) = value else {
            reader.fail(name, "must be a string, not \(value.typeName)")
            return SourceSettings(url: "")
        }
        if let reason = refusal(of: text) { reader.fail(name, reason) }
        return SourceSettings(url: text)
    }

    /// Why a URL may not be fetched; nil when it may.
    ///
    /// Names are not resolved, and nothing is connected to.
    private func refusal(of text: String) -> String? {
        guard text.utf8.count <= Limits.urlBytes else { return "must have at most \(Limits.urlBytes) bytes" }
        guard text.utf8.first != 0x20, text.utf8.last != 0x20 else {
            return "must not begin or end with a space"
        }
        do throws(HTTPURLError) {
            let url = try HTTPURL(text)
            if storedURLs.contains(text) { return nil }
            return refusalOfAddress(url.host, url.port).map { "is refused: the address \($0)" }
        } catch {
            return "cannot be used: \(error)"
        }
    }

    private func headers(_ reader: inout ObjectReader) -> [String: String] {
        guard let value = reader.take("headers") else { return [:] }
        guard case .object(let members) = value, members.count <= Limits.headers else {
            reader.fail("headers", "must be an object of at most \(Limits.headers) names and values")
            return [:]
        }
        let place = reader.place.appending("headers")
        for member in members {
            if let reason = Self.refusal(ofHeader: member) {
                reader.add([Fault(place.appending(member.name), reason)])
            }
        }
        let pairs = members.compactMap { member -> (String, String)? in
            if case .string(let text) = member.value { (member.name, text) } else { nil }
        }
        let byteCount = pairs.reduce(0) { $0 + $1.0.utf8.count + $1.1.utf8.count }
        if byteCount > Limits.headersBytes {
            reader.fail("headers", "must have at most \(Limits.headersBytes) bytes in all")
        }
        return Dictionary(pairs, uniquingKeysWith: { first, _ in first })
    }

    private static func refusal(ofHeader member: JSONValue.Member) -> String? {
        let name = member.name.utf8
        guard !name.isEmpty, name.count <= Limits.headerNameCharacters, name.allSatisfy(\.isTokenByte) else {
            return "is not a valid header name"
        }
        guard case .string(let value) = member.value else {
            return "must be a string, not \(member.value.typeName)"
        }
        guard value.utf8.count <= Limits.headerValueBytes else {
            return "must have at most \(Limits.headerValueBytes) bytes"
        }
        return value.replacing("\t", with: " ").hasControlCharacter
            ? "must not contain control characters" : nil
    }

    private func headerHosts(_ reader: inout ObjectReader) -> [String] {
        guard let value = reader.take("header_hosts") else { return [] }
        guard case .array(let items) = value, items.count <= Limits.headerHosts else {
            reader.fail("header_hosts", "must be an array of at most \(Limits.headerHosts) hosts")
            return []
        }
        return items.enumerated().compactMap { index, item in
            if case .string(let host) = item, Self.isHost(host) { return host.lowercased() }
            let place = reader.place.appending("header_hosts").appending(index)
            reader.add([Fault(place, "must be a host name or address, with or without a port")])
            return nil
        }
    }

    private func ipVersion(_ reader: inout ObjectReader) -> Int? {
        switch reader.take("ip_version") {
        case nil, .null?: return nil
        case .integer(4)?: return 4
        case .integer(6)?: return 6
        default:
            reader.fail("ip_version", "must be null, 4 or 6")
            return nil
        }
    }

    /// Whether a text is a host as in a URL, an IPv6 address in brackets, with or without a port.
    private static func isHost(_ text: String) -> Bool {
        guard text.utf8.count <= Limits.hostCharacters, let url = try? HTTPURL("http://\(text)/"),
            url.userInfo == nil
        else { return false }
        let host = text.lowercased()
        return url.host == host || "\(url.host):\(url.port)" == host
    }
}
