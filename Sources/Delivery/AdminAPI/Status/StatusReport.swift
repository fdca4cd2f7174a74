import JSON
import Monitoring
import Timeline

/// The content of the status answer: how the recording of a channel goes.
struct StatusReport: Sendable {
    var state: ChannelStatus.State
    /// What is wrong, in words.
    var detail: String?
    var liveEdge: Instant?
    /// Nil before a source has answered.
    var source: Source?
    var clock: String
    var clockOffsetSeconds: Double?
    /// This and the next four fields are nil when no node reports on the channel.
    var zoneCorrectionSeconds: Int64?
    var clockStepSeconds: Double?
    var driftSeconds: Double?
    var sourceChanges: Int?
    /// Where the source's playlists deviate from the standard, in words.
    var deviations: [String]?
    /// When counting began; nil when no node reports of the channel.
    var since: Instant?
    var renditions: [Rendition]

    struct Source: Sendable {
        /// Without user info and query.
        var url: String
        var priority: Int?
        var allowsInvalidCertificate: Bool
    }

    struct Rendition: Sendable {
        var id: RenditionID
        var lastSegment: Instant?
        var bitsPerSecond: Int64
        /// Nil when no node reports of the channel.
        var counts: Counts?
    }

    struct Counts: Sendable {
        var seen: Int
        var stored: Int
        var lost: [GapReason: Int]
        /// Tries that failed and were repeated.
        var retries: Int
        /// Stored segments that are not whole.
        var parts: Int
    }
}

extension StatusReport {
    /// What a recorder reports.
    init(_ status: ChannelStatus) {
        state = status.state
        detail = status.detail
        liveEdge = status.liveEdge
        source = status.sourceURL.map {
            Source(
                url: $0, priority: status.sourcePriority,
                allowsInvalidCertificate: status.acceptsInvalidCertificate)
        }
        clock = status.clock
        clockOffsetSeconds = status.clockOffsetSeconds
        zoneCorrectionSeconds = status.zoneCorrectionSeconds
        clockStepSeconds = status.clockStepSeconds
        driftSeconds = status.driftSeconds
        sourceChanges = status.sourceChanges
        deviations = status.deviations
        since = status.since
        renditions = status.renditions.map {
            Rendition(
                id: $0.id, lastSegment: $0.lastSegment, bitsPerSecond: $0.bitsPerSecond,
                counts: .init(
                    seen: $0.seen, stored: $0.stored, lost: $0.lost, retries: $0.retries, parts: $0.parts))
        }
    }
}

extension StatusReport {
    func document(of channel: ChannelID, now: Instant) -> JSONValue {
        [
            "channel": .string(channel.text),
            "state": .string(state.rawValue),
            "detail": .optional(detail),
            "live_edge": .optional(liveEdge),
            "lag_seconds": liveEdge.map { .seconds(microseconds: now - $0) } ?? .null,
            "source": source?.document ?? .null,
            "clock": .string(clock),
            "clock_offset_seconds": Self.milliseconds(clockOffsetSeconds),
            "zone_correction_seconds": zoneCorrectionSeconds.map { .integer($0) } ?? .null,
            "clock_step_seconds": Self.milliseconds(clockStepSeconds),
            "drift_seconds": Self.milliseconds(driftSeconds),
            "source_changes": .optional(sourceChanges.map { Int64($0) }),
            "deviations": deviations.map { .array($0.map { .string($0) }) } ?? .null,
            "since": .optional(since),
            "renditions": .array(renditions.sorted { $0.id < $1.id }.map(\.document)),
        ]
    }
}

extension StatusReport {
    /// Seconds with three decimals.
    private static func milliseconds(_ seconds: Double?) -> JSONValue {
        seconds.map { .number(($0 * 1000).rounded() / 1000) } ?? .null
    }
}

extension StatusReport.Source {
    var document: JSONValue {
        [
            "url": .string(url),
            "priority": .optional(priority.map { Int64($0) }),
            "allow_invalid_certificate": .bool(allowsInvalidCertificate),
        ]
    }
}

extension StatusReport.Rendition {
    var document: JSONValue {
        [
            "id": .string(id.description),
            "kind": .string(id.kind.rawValue),
            "last_segment": .optional(lastSegment),
            "bits_per_second": .integer(bitsPerSecond),
            "seen": .optional(counts.map { Int64($0.seen) }),
            "stored": .optional(counts.map { Int64($0.stored) }),
            "lost": counts?.lostDocument ?? .null,
            "retries": .optional(counts.map { Int64($0.retries) }),
            "parts": .optional(counts.map { Int64($0.parts) }),
        ]
    }
}

extension StatusReport.Counts {
    fileprivate var lostDocument: JSONValue {
        let reasons = lost.sorted { $0.key.rawValue < $1.key.rawValue }
        return .object(reasons.map { .init(name: $0.key.word, value: .integer(Int64($0.value))) })
    }
}
