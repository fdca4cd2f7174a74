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
        let reader = try ParameterReader(
            query: asked.request.query, known: ["from", "to"], zone: Self.zone(of: asked.channel))
        let items = reader.items
        for name in items.repeatedNames where ["from", "to"].contains(name) {
            throw ParameterError(name, "\(name) is given more than once")
        }
        let begin = try reader.instant("from") ?? Instant(microseconds: 0)
        let end = items["to"] == "now" ? asked.now : try reader.instant("to", after: begin) ?? asked.now
        guard begin < end else {
            throw reader.has("to")
                ? ParameterError("to", "to is not after from")
                : ParameterError("from", "from is not in the past, and to is now where it is not given")
        }
        let spans = try await index.coverage(
            of: asked.channel, in: TimeWindow(begin: begin, end: end), for: asked.request.client)
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
