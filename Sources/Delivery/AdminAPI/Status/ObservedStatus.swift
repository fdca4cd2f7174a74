import Catalogue
import HTTP
import Recorder
import Timeline

/// What the catalogue alone says of a channel's state: for a process that does not record it.
struct ObservedStatus {
    let channel: Channel
    let now: Instant

    /// Beyond three targets a source may list its segments this much behind the clock before it counts as stalled, microseconds.
    private static let latencyAllowance: Int64 = 30 * Microseconds.perSecond

    func report(on standing: Standing) -> StatusReport {
        let edge = Self.liveEdge(of: standing.line)
        let state = state(of: standing.line)
        return StatusReport(
            state: state, detail: Self.detail(of: state, edge), liveEdge: edge,
            source: standing.newestFeed.map { source($0.source) },
            clock: standing.newestFeed?.clock ?? (channel.settings.clock == .source ? "source" : "arrival"),
            renditions: standing.renditions.map {
                StatusReport.Rendition(
                    id: $0.id, lastSegment: $0.lastSegment, bitsPerSecond: $0.bitsPerSecond)
            })
    }

    /// The source of a feed, which the catalogue knows without user info and query; one that is not in the settings any
    /// more has no priority.
    private func source(_ url: String) -> StatusReport.Source {
        let listed = channel.settings.sources.first { (try? HTTPURL($0.url))?.description == url }
        return StatusReport.Source(
            url: url, priority: listed?.priority,
            allowsInvalidCertificate: listed?.allowInvalidCertificate ?? false)
    }

    /// Nil before the first segment.
    static func liveEdge(of line: Line) -> Instant? {
        line.watermark.microseconds > 0 ? line.watermark : nil
    }

    private func state(of line: Line) -> ChannelStatus.State {
        if !channel.settings.recording { return .paused }
        guard let edge = Self.liveEdge(of: line) else { return .waiting }
        let patience = 3 * Int64(line.targetSeconds) * Microseconds.perSecond + Self.latencyAllowance
        return now - edge > patience ? .stalled : .recording
    }

    private static func detail(of state: ChannelStatus.State, _ liveEdge: Instant?) -> String? {
        switch state {
        case .recording, .ended: nil
        case .paused: "recording is switched off"
        case .waiting: "no segment has been recorded yet"
        case .stalled: "no new segment since \(liveEdge?.rfc3339 ?? "the start")"
        }
    }
}

extension AdminAPI {
    func status(of id: ChannelID, _ request: HTTPRequest) async throws -> HTTPResponse {
        _ = try Query(request, knows: [])
        let channel = try await existingChannel(id)
        if let status = board.status(of: id) {
            return .json(StatusReport(status).document(of: id, now: now()))
        }
        let report = ObservedStatus(channel: channel, now: now()).report(
            on: try await catalogue.standing(of: channel.row))
        return .json(report.document(of: id, now: now()))
    }
}
