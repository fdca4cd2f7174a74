import Catalogue
import Concurrency
import HTTP
import Monitoring
import Timeline

/// The state of a channel on which no node reports, as the catalogue shows it.
struct CatalogueStatus {
    let channel: Channel
    let now: Instant

    /// How long a source may take, beyond three target durations, before it counts as stalled; microseconds.
    private static let latencyAllowance: Int64 = 30 * Microseconds.perSecond

    func report(on summary: RecordingSummary) -> StatusReport {
        let edge = Self.liveEdge(of: summary.publishedHead)
        let state = state(of: summary)
        return StatusReport(
            state: state, detail: Self.detail(of: state, Self.lastMove(of: summary)), liveEdge: edge,
            source: summary.newestSourceRun.map { source($0.source) },
            clock: summary.newestSourceRun?.clock
                ?? (channel.settings.clock == .source ? "source" : "arrival"),
            renditions: summary.renditions.map {
                StatusReport.Rendition(
                    id: $0.id, lastSegment: $0.lastSegment, bitsPerSecond: $0.bitsPerSecond)
            })
    }

    /// The source of a source run, which the catalogue stores without user info and query.
    ///
    /// A source that is no longer in the settings has no priority. Some rows have the
    /// URL as logs show it.
    private func source(_ url: String) -> StatusReport.Source {
        let listed = channel.settings.sources.first { source in
            (try? HTTPURL(source.url)).map { [$0.identity, $0.description].contains(url) } ?? false
        }
        return StatusReport.Source(
            url: url, priority: listed?.priority,
            allowsInvalidCertificate: listed?.allowInvalidCertificate ?? false)
    }

    /// Nil before the first segment.
    static func liveEdge(of publishedHead: PublishedHead) -> Instant? {
        publishedHead.watermark.microseconds > 0 ? publishedHead.watermark : nil
    }

    /// When the live edge last moved, by this host's clock (the source's dates may be behind); nil before the
    /// first segment.
    private static func lastMove(of summary: RecordingSummary) -> Instant? {
        liveEdge(of: summary.publishedHead).map { summary.arrivals.lastMove(watermark: $0) }
    }

    private func state(of summary: RecordingSummary) -> ChannelStatus.State {
        if !channel.settings.recording { return .paused }
        guard let lastMove = Self.lastMove(of: summary) else { return .waiting }
        let targets = 3 * Int64(summary.publishedHead.targetSeconds) * Microseconds.perSecond
        return now - lastMove > targets + Self.latencyAllowance ? .stalled : .recording
    }

    private static func detail(of state: ChannelStatus.State, _ lastMove: Instant?) -> String? {
        switch state {
        case .recording, .ended: nil
        case .paused: "recording is switched off"
        case .waiting: "no segment has been recorded yet"
        case .stalled: "no new segment since \(lastMove?.rfc3339 ?? "the start")"
        }
    }
}

extension AdminAPI {
    func status(of id: ChannelID, _ request: HTTPRequest) async throws -> HTTPResponse {
        _ = try Query(request, knows: [])
        let channel = try await existingChannel(id)
        if let status = try await currentStatus(of: channel) {
            return .json(StatusReport(status).document(of: id, now: clock.now()))
        }
        let report = CatalogueStatus(channel: channel, now: clock.now()).report(
            on: try await catalogue.recordingSummary(of: channel.row))
        return .json(report.document(of: id, now: clock.now()))
    }

    /// What the recorder of a channel reports, in this process or on another node; nil if none records it.
    func currentStatus(of channel: Channel) async throws -> ChannelStatus? {
        if let status = board.status(of: channel.id) { return status }
        guard channel.settings.recording, !channel.isDeleted else { return nil }
        return try await catalogue.reportedStatus(of: channel.row, as: ChannelStatus.self)
    }
}
