import Catalogue
import Telemetry
import Timeline
import Synchronization

/// Measures how much of the channels is missing, step by step up to the live edge, for scrapes.
///
/// Gaps that are repaired later stay counted: the metric says how much viewers have missed at the live edge.
final class GapMeter: Sendable {
    private struct Measure {
        var upTo: Instant
        var seconds: [GapReason: Double] = [:]
    }

    private let catalogue: Catalogue
    private let measures = Mutex<[ChannelID: Measure]>([:])

    init(catalogue: Catalogue, registry: MetricsRegistry) {
        self.catalogue = catalogue
        registry.onScrape(
            "backcast_gap_seconds_total",
            help:
                "Time that should have been recorded and is missing in all renditions, since the process started.",
            kind: .counter
        ) { [weak self] in self?.values ?? [] }
    }

    /// One round over all channels that are not deleted.
    func measure() async throws(CatalogueError) {
        let edges = try await catalogue.liveEdges()
        var steps: [Int32: (channel: ChannelID, window: TimeWindow)] = [:]
        for edge in edges {
            if let window = step(to: edge) { steps[edge.row] = (edge.channel, window) }
        }
        let gaps = try await catalogue.commonGaps(in: steps.mapValues(\.window))
        measures.withLock { measures in
            let known = Set(edges.map(\.channel))
            measures = measures.filter { known.contains($0.key) }
            for (row, step) in steps {
                measures[step.channel]?.upTo = step.window.end
                for gap in gaps[row] ?? [] {
                    measures[step.channel]?.seconds[gap.reason, default: 0] += Microseconds.seconds(
                        gap.window.microseconds)
                }
            }
        }
    }

    /// What has passed the live edge since the previous round; nil in the first, which finds where to begin.
    private func step(to edge: LiveEdge) -> TimeWindow? {
        measures.withLock { measures in
            guard let upTo = measures[edge.channel]?.upTo, upTo.microseconds > 0 else {
                measures[edge.channel] = Measure(upTo: edge.watermark)
                return nil
            }
            guard upTo < edge.watermark else {
                // A channel that was reanchored is measured from its new live edge on.
                measures[edge.channel]?.upTo = edge.watermark
                return nil
            }
            let longest = upTo + Limits.gapStepSeconds * Microseconds.perSecond
            return TimeWindow(begin: upTo, end: min(edge.watermark, longest))
        }
    }

    private var values: [LabelledValue] {
        measures.withLock { $0 }.flatMap { channel, measure -> [LabelledValue] in
            measure.seconds.map { ([("channel", channel.text), ("reason", $0.key.word)], $0.value) }
        }
    }
}
