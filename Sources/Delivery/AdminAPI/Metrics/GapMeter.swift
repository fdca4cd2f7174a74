package import Catalogue
package import Logging
package import Telemetry
import Timeline
import Synchronization

/// Measures how much of the channels is missing, step by step behind the live edge, and shows it to scrapes.
///
/// Losses that are repaired later stay counted: the metric says how often viewers were without pictures.
package final class GapMeter: Sendable {
    private struct Measure {
        var upTo: Instant
        var seconds: [GapReason: Double] = [:]
    }

    private let catalogue: Catalogue
    private let logger: Logger
    private let measures = Mutex<[ChannelID: Measure]>([:])

    package init(catalogue: Catalogue, registry: MetricsRegistry, logger: Logger) {
        self.catalogue = catalogue
        self.logger = logger
        registry.onScrape(
            "backcast_gap_seconds_total",
            help: "Time that was to be recorded and is missing in all renditions, since the process started.",
            kind: .counter
        ) { [weak self] in self?.values ?? [] }
    }

    /// Measures until cancelled; a failed round is reported and made up for by the next one.
    package func run() async {
        while !Task.isCancelled {
            do {
                try await measure()
            } catch {
                if !Task.isCancelled {
                    logger.warning("Gaps were not measured", metadata: ["cause": "\(error)"])
                }
            }
            try? await Task.sleep(for: .seconds(Limits.gapRoundSeconds))
        }
    }

    /// One round over all channels that are not deleted.
    package func measure() async throws(CatalogueError) {
        var known: Set<ChannelID> = []
        var page = try await catalogue.channels(limit: Int(Limits.pageItems.upperBound))
        while let last = page.last {
            for channel in page {
                known.insert(channel.id)
                try await measure(channel)
            }
            page = try await catalogue.channels(after: last.id.text, limit: Int(Limits.pageItems.upperBound))
        }
        measures.withLock { $0 = $0.filter { known.contains($0.key) } }
    }

    /// Looks at what has passed the live edge since the round before; the first round finds where to begin.
    private func measure(_ channel: Channel) async throws(CatalogueError) {
        let edge = try await catalogue.line(of: channel.row).watermark
        guard let upTo = measures.withLock({ $0[channel.id]?.upTo }), upTo.microseconds > 0 else {
            measures.withLock { $0[channel.id] = Measure(upTo: edge) }
            return
        }
        guard upTo < edge else { return }
        let gaps = try await catalogue.timeline(of: channel, in: TimeWindow(begin: upTo, end: edge)).gaps
        measures.withLock { measures in
            measures[channel.id]?.upTo = edge
            for gap in gaps where gap.rendition == nil {
                let seconds = Microseconds.seconds(gap.window.microseconds)
                measures[channel.id]?.seconds[gap.reason, default: 0] += seconds
            }
        }
    }

    private var values: [ChannelMetrics.Value] {
        measures.withLock { $0 }.flatMap { channel, measure -> [ChannelMetrics.Value] in
            measure.seconds.map { ([("channel", channel.text), ("reason", $0.key.word)], $0.value) }
        }
    }
}
