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

    /// How far back from the live edge the bit rate is measured, microseconds.
    static let measured: Int64 = 60 * Microseconds.perSecond

    /// The report on a channel of which the record holds the newest minute.
    func report(from record: WindowRecord) -> StatusReport {
        let edge = Self.liveEdge(of: record.line)
        let state = state(of: record.line)
        return StatusReport(
            state: state, detail: Self.detail(of: state, edge), liveEdge: edge,
            clock: channel.settings.clock == .source ? "source" : "arrival",
            renditions: record.renditions.map(Self.rendition))
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

    private static func rendition(_ record: RenditionRecord) -> StatusReport.Rendition {
        let bytes = record.segments.reduce(0) { $0 + Double($1.storedBytes) }
        let seconds = record.segments.reduce(0) { $0 + Microseconds.seconds($1.duration) }
        return StatusReport.Rendition(
            id: record.id, lastSegment: record.segments.last?.start,
            bitsPerSecond: seconds > 0 ? Int64((bytes * 8 / seconds).rounded()) : 0)
    }
}

extension AdminAPI {
    func status(of id: ChannelID, _ request: HTTPRequest) async throws -> HTTPResponse {
        _ = try Query(request, knows: [])
        let channel = try await existingChannel(id)
        if let status = board.status(of: id) {
            return .json(StatusReport(status).document(of: id, now: now()))
        }
        let line = try await catalogue.line(of: channel.row)
        let newest = TimeWindow(begin: line.end - ObservedStatus.measured, end: line.end)
        let record = try await catalogue.record(of: channel.row, in: newest, view: .archive)
        let report = ObservedStatus(channel: channel, now: now()).report(from: record)
        return .json(report.document(of: id, now: now()))
    }
}
