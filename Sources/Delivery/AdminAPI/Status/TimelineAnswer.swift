import Catalogue
import Concurrency
import HLS
import HTTP
import JSON
import Monitoring
import TimeZones
import Timeline

extension AdminAPI {
    /// What is recorded and what is missing of a channel between two instants.
    func timeline(of id: ChannelID, _ request: HTTPRequest) async throws -> HTTPResponse {
        let query = try Query(request, knows: ["from", "to"])
        let channel = try await existingChannel(id)
        let window = try timelineWindow(query, zone: channel.settings.timeZone)
        let status = try await currentStatus(of: channel)
        let report = try await catalogue.timeline(
            of: channel, in: window, now: clock.now(),
            growing: status.map { $0.gapReason ?? .sourceStalled } ?? .recorderDown)
        return .json([
            "channel": .string(id.text),
            "from": .optional(window.begin),
            "to": .optional(report.end ?? window.end),
            "spans": .array(report.spans.map(Self.document(of:))),
            "gaps": .array(report.gaps.map(Self.document(of:))),
            "markers": .array(Self.markers(report).map(\.document)),
        ])
    }

    private static func markers(_ report: TimelineReport) -> [TimelineMarker] {
        let ranges = report.markers.filter { DateRange.cueTag(of: $0.attributes) == nil }
        let cueTags = TimelineMarker.cueTags(report.cueTags, with: report.markers)
        let all = ranges.map(TimelineMarker.init) + TimelineMarker.markers(of: cueTags)
        return all.enumerated().sorted { ($0.element.begin, $0.offset) < ($1.element.begin, $1.offset) }
            .map(\.element)
    }

    /// The requested window: `to` defaults to now, `from` to one day before the end.
    private func timelineWindow(_ query: Query, zone: String) throws(Problem) -> TimeWindow {
        let from = try instant("from", of: query, zone: zone)
        let end = try instant("to", after: from, of: query, zone: zone) ?? clock.now()
        let begin = from ?? end - Limits.defaultTimelineSeconds * Microseconds.perSecond
        guard begin < end else { throw .invalid([Fault(parameter: "from", "is not before to")]) }
        guard end - begin <= Limits.timelineSeconds * Microseconds.perSecond else {
            let days = Limits.timelineSeconds / 86_400
            throw .invalid([
                Fault(parameter: "to", "is more than \(days) days after from; request it in parts")
            ])
        }
        return TimeWindow(begin: begin, end: end)
    }

    private func instant(
        _ name: String, after begin: Instant? = nil, of query: Query, zone: String,
    ) throws(Problem) -> Instant? {
        guard let text = query[name] else { return nil }
        let read = InstantReading.reading(text, after: begin, zone: NamedZone.reading(zone))
        guard let instant = read else {
            throw .invalid([
                Fault(parameter: name, "is not a valid time: use \(InstantReading.formats)")
            ])
        }
        return instant
    }

    private static func document(of span: CoverageSpan) -> JSONValue {
        [
            "begin": .optional(span.window.begin),
            "end": .optional(span.window.end),
            "segments": .integer(Int64(span.segments)),
            "bytes": .integer(span.bytes),
        ]
    }

    private static func document(of gap: Gap) -> JSONValue {
        [
            "begin": .optional(gap.window.begin),
            "end": .optional(gap.window.end),
            "reason": .string(gap.reason.word),
            "rendition": .optional(gap.rendition?.description),
        ]
    }
}
