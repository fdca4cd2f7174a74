import Catalogue
import HTTP
import JSON
import Playback
import Timeline

extension WindowHandler {
    /// The recorded spans of a channel in the form of Flussonic, in whole seconds.
    ///
    /// Apps draw the archive from it; most ask for everything since a fixed time.
    func recordingStatus(_ asked: RequestedWindow) async throws -> HTTPResponse {
        let parameters = try CoverageParameters(
            query: asked.request.query, zone: Self.zone(of: asked.channel))
        let window = try parameters.window(at: asked.now)
        let spans = try await index.coverage(
            of: asked.channel, in: window, for: asked.request.client)
        let ranges = spans.map { span -> JSONValue in
            let from = span.begin.microseconds / Microseconds.perSecond
            let end = span.end.microseconds / Microseconds.perSecond
            return ["duration": .integer(max(1, end - from)), "from": .integer(from)]
        }
        let status: JSONValue = [["stream": .string(asked.channel.id.text), "ranges": .array(ranges)]]
        var headers = Fields.common
        headers["Content-Type"] = "application/json"
        headers["Cache-Control"] = "public, max-age=0, s-maxage=2"
        headers["Cache-Tag"] = "ch-\(asked.channel.id)"
        return HTTPResponse(status: .ok, headers: headers, body: .bytes(status.bytes))
    }
}

/// The query of a recording status: `from` and `to`, which defaults to now.
struct CoverageParameters {
    private let begin: Instant
    private let end: Instant?
    private let hasEnd: Bool

    init(query: String?, zone: @escaping InstantReading.Zone) throws(ParameterError) {
        let reader = try ParameterReader(query: query, known: ["from", "to"], zone: zone)
        for name in reader.items.repeatedNames where ["from", "to"].contains(name) {
            throw ParameterError(name, "\(name) is given more than once")
        }
        let begin = try reader.instant("from") ?? Instant(microseconds: 0)
        self.begin = begin
        end = reader.items["to"] == "now" ? nil : try reader.instant("to", after: begin)
        hasEnd = reader.has("to")
    }

    var requestedTime: RequestedTime { .coverage(begin: begin, end: end) }

    func window(at now: Instant) throws(ParameterError) -> TimeWindow {
        let window = TimeWindow(begin: begin, end: end ?? now)
        guard window.begin < window.end else {
            throw hasEnd
                ? ParameterError("to", "to is not after from")
                : ParameterError("from", "from is not in the past, and to defaults to now")
        }
        return window
    }
}
