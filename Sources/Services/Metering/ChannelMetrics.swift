import Monitoring
import Telemetry
import Timeline

/// A value of a metric, and the labels that tell it from the others of its name.
typealias LabelledValue = (labels: [(String, String)], value: Double)

/// The metrics of the channels that this process records, as they are when a scrape asks.
struct ChannelMetrics: Sendable {
    let board: StatusBoard
    let now: @Sendable () -> Instant

    func register(in registry: MetricsRegistry) {
        registerTimes(in: registry)
        registerCounts(in: registry)
    }

    private func registerTimes(in registry: MetricsRegistry) {
        registry.onScrape(
            "backcast_channel_live_edge_lag_seconds", help: "How far the live edge is behind the clock."
        ) {
            perChannel { status in
                status.liveEdge.map { Microseconds.seconds(now() - $0) }
            }
        }
        registry.onScrape(
            "backcast_last_segment_timestamp_seconds",
            help: "Start of the newest stored segment, seconds since 1970."
        ) {
            perChannel { status in
                status.renditions.compactMap(\.lastSegment).max().map {
                    Microseconds.seconds($0.microseconds)
                }
            }
        }
        registry.onScrape(
            "backcast_channel_recording",
            help: "1 while segments arrive, 0 while the channel waits or has stalled."
        ) {
            perChannel { $0.state == .recording ? 1 : 0 }
        }
    }

    private func registerCounts(in registry: MetricsRegistry) {
        registry.onScrape(
            "backcast_segments_seen_total", help: "Segments that sources have listed.", kind: .counter
        ) {
            perChannel { Double($0.renditions.reduce(0) { $0 + $1.seen }) }
        }
        registry.onScrape(
            "backcast_segments_recorded_total", help: "Segments stored.", kind: .counter
        ) {
            perChannel { Double($0.renditions.reduce(0) { $0 + $1.stored }) }
        }
        registry.onScrape(
            "backcast_recorded_bytes_total", help: "Bytes of segments stored.", kind: .counter
        ) {
            perChannel { Double($0.renditions.reduce(0) { $0 + $1.bytes }) }
        }
        registry.onScrape(
            "backcast_segment_retries_total", help: "Tries for segments that failed and were repeated.",
            kind: .counter
        ) {
            perChannel { Double($0.renditions.reduce(0) { $0 + $1.retries }) }
        }
        registry.onScrape(
            "backcast_segment_parts", help: "Stored segments that are not whole, since recording began.",
            kind: .gauge
        ) {
            perChannel { Double($0.renditions.reduce(0) { $0 + $1.parts }) }
        }
        registry.onScrape(
            "backcast_segment_errors_total", help: "Segments lost, by reason.", kind: .counter
        ) { losses() }
    }

    private func perChannel(_ value: (ChannelStatus) -> Double?) -> [LabelledValue] {
        board.all.compactMap { channel, status in
            value(status).map { ([("channel", channel.text)], $0) }
        }
    }

    private func losses() -> [LabelledValue] {
        board.all.flatMap { channel, status -> [LabelledValue] in
            let lost = status.renditions.reduce(into: [GapReason: Int]()) { sum, rendition in
                sum.merge(rendition.lost, uniquingKeysWith: +)
            }
            return lost.map { ([("channel", channel.text), ("reason", $0.key.word)], Double($0.value)) }
        }
    }
}
