import HTTP
import Playback
import Timeline

/// Reads single parameters of a query.
struct ParameterReader {
    private(set) var items: QueryItems
    let zone: InstantReading.Zone
    /// The parameter that says that a playlist grows, or would say it.
    private(set) var growthName = "mode"

    private static let known: Set<String> = [
        "begintime", "endtime", "duration", "mode", "dvr", "delay", "timeshift", "rendition", "audio", "gaps",
        "tracks", "strict", "utc", "lutc", "playseek", "event",
    ]

    init(items: QueryItems, zone: @escaping InstantReading.Zone) {
        (self.items, self.zone) = (items, zone)
    }

    /// Reads a query.
    ///
    /// Malformed parameters are ignored unless they are in `known`: set-top boxes add titles in other
    /// encodings.
    init(
        query: String?, known: Set<String> = known, zone: @escaping InstantReading.Zone,
    ) throws(ParameterError) {
        guard let items = QueryItems(reading: query, skipsUnreadable: true) else {
            throw ParameterError("query", QueryItems.refusal)
        }
        if let name = items.unreadableNames.first(where: known.contains) {
            throw ParameterError(name, "\(name) has a malformed escape or is not UTF-8")
        }
        self.init(items: items, zone: zone)
    }

    /// Adds the parameters of the path.
    ///
    /// `event` decides whether a window with a begin grows.
    mutating func add(_ dialect: DialectWindow) throws(ParameterError) {
        let grows = try choice("event", [("true", true), ("false", false)]) ?? dialect.grows
        if dialect.isEndless, let name = ["duration", "endtime", "mode"].first(where: { items[$0] != nil }) {
            throw ParameterError(name, "\(name) is for a window, and what goes on from an instant has no end")
        }
        let canGrow =
            dialect.items.contains { $0.name == "utc" } && !dialect.isEndless && items["mode"] == nil
        if grows, canGrow, items["event"] != nil { growthName = "event" }
        items = items.appending(
            dialect.items + (grows && canGrow ? [.init(name: "mode", value: "event")] : []))
    }

    func refuseRepeated() throws(ParameterError) {
        if let name = items.repeatedNames.first(where: Self.known.contains) {
            throw ParameterError(name, "\(name) is given more than once")
        }
    }

    /// An instant; the end of a window is read after its begin.
    func instant(_ name: String, after begin: Instant? = nil) throws(ParameterError) -> Instant? {
        guard let text = items[name] else { return nil }
        return try instant(name, text: text, after: begin)
    }

    func instant(
        _ name: String, text: String, after begin: Instant? = nil,
    ) throws(ParameterError) -> Instant {
        guard let instant = InstantReading.reading(text, after: begin, zone: zone) else {
            throw ParameterError(name, "\(name) is not a valid time: use \(InstantReading.formats)")
        }
        return instant
    }

    /// A duration in microseconds.
    func duration(_ name: String, allowsZero: Bool) throws(ParameterError) -> Int64? {
        guard let text = items[name] else { return nil }
        guard let duration = DurationReading.microseconds(reading: text) else {
            throw ParameterError(
                name, "\(name) is not a valid duration: use seconds, or ISO 8601 such as PT1H30M")
        }
        guard duration > 0 || allowsZero else { throw ParameterError(name, "\(name) must be more than 0") }
        return duration
    }

    /// One of several words; nil when the parameter is absent.
    func choice<Value>(_ name: String, _ choices: @autoclosure () -> [(String, Value)]) throws(ParameterError)
        -> Value?
    {
        guard let text = items[name] else { return nil }
        let choices = choices()
        guard let chosen = choices.first(where: { $0.0 == text }) else {
            throw ParameterError(name, "\(name) must be one of \(choices.map(\.0).joined(separator: ", "))")
        }
        return chosen.1
    }

    /// Whether a parameter is present with its only valid value.
    func flag(_ name: String, value: String) throws(ParameterError) -> Bool {
        try choice(name, [(value, true)]) ?? false
    }

    func rendition(_ name: String = "rendition") throws(ParameterError) -> RenditionID? {
        guard let text = items[name] else { return nil }
        guard let id = RenditionID(text) else {
            throw ParameterError(name, "\(name) must be v, a or s and a number, such as v0")
        }
        return id
    }

    /// A rendition of audio.
    func audio() throws(ParameterError) -> RenditionID? {
        guard let id = try rendition("audio") else { return nil }
        guard id.kind == .audio else { throw ParameterError("audio", "audio must be a and a number") }
        return id
    }

    func has(_ name: String) -> Bool { items[name] != nil }
}

/// A parameter that cannot be used.
struct ParameterError: Error, Equatable {
    /// The parameter's name.
    var parameter: String
    /// A description of what is wrong.
    var reason: String

    init(_ parameter: String, _ reason: String) {
        self.parameter = parameter
        self.reason = reason
    }
}
