import Access
import HTTP
import JSON
import Timeline

/// Reads what a new playback token is to permit, and reports everything that is wrong together.
struct TokenReader {
    let now: Instant
    /// The zone of times that name none.
    let zone: InstantReading.Zone

    /// The channels that a document names; empty if it names all channels or wrong ones.
    static func channels(in document: JSONValue) -> [ChannelID] {
        var reader = ObjectReader(document, at: .root)
        return readChannels(&reader) ?? []
    }

    func grant(from document: JSONValue, id: TokenID) throws(Problem) -> PlaybackGrant {
        var reader = ObjectReader(document, at: .root)
        guard reader.faults.isEmpty else { throw .invalid(reader.faults) }
        let channels = Self.readChannels(&reader)
        let expires = reader.instant("expires_at", isRequired: true, zone: zone)
        if let expires {
            if expires <= now { reader.fail("expires_at", "must be later than now") }
            if expires - now > Limits.tokenSeconds * Microseconds.perSecond {
                let days = Limits.tokenSeconds / 86_400
                reader.fail("expires_at", "must be at most \(days) days from now")
            }
        }
        let begin = reader.instant("begin", isRequired: false, zone: zone)
        let end = reader.instant("end", isRequired: false, after: begin, zone: zone)
        if let begin, let end, end <= begin { reader.fail("end", "must be later than begin") }
        reader.refuseUnknownFields()
        guard let channels, let expires, reader.faults.isEmpty else { throw .invalid(reader.faults) }
        return PlaybackGrant(id: id, expires: expires, channels: channels, begin: begin, end: end)
    }

    /// The channels of a token, none for all; nil when they are wrong.
    private static func readChannels(_ reader: inout ObjectReader) -> [ChannelID]? {
        let rule = "must be a channel id, an array of ids, or \"*\" for every channel"
        var texts: [JSONValue] = []
        switch reader.take("channel") {
        case nil: reader.fail("channel", "is missing: it \(rule)")
        case .string("*")?: return []
        case .array(let items)? where !items.isEmpty: texts = items
        case let single?: texts = [single]
        }
        var (channels, known, bytes): ([ChannelID], Set<ChannelID>, Int) = ([], [], 0)
        for value in texts {
            guard case .string(let text) = value, let id = ChannelID(text) else {
                reader.fail("channel", rule)
                return nil
            }
            guard known.insert(id).inserted else { continue }
            channels.append(id)
            bytes += id.text.utf8.count + 1
            // What follows is not read: there may be a hundred thousand.
            guard bytes <= Access.Limits.channelBytes else {
                reader.fail(
                    "channel",
                    "has more than \(Access.Limits.channelBytes) characters in ids and what separates them, for which a token has no space; use \"*\" or several tokens"
                )
                return nil
            }
        }
        return channels.isEmpty ? nil : channels
    }
}

extension ObjectReader {
    /// A time in any form of the query parameters; null counts as absent unless it is required.
    ///
    /// An end is read `after` its begin.
    fileprivate mutating func instant(
        _ name: String, isRequired: Bool, after begin: Instant? = nil, zone: InstantReading.Zone,
    ) -> Instant? {
        let rule = "must be a string with a time: \(InstantReading.formats)"
        switch take(name) {
        case nil:
            if isRequired { fail(name, "is missing: it \(rule)") }
        case .null? where !isRequired: break
        case .string(let text)?:
            if let instant = InstantReading.reading(text, after: begin, zone: zone) { return instant }
            fail(name, rule)
        case .some: fail(name, rule)
        }
        return nil
    }
}
