import CoreMetrics
import Synchronization

/// Observations in buckets with fixed upper bounds: an aggregating recorder, or a timer in seconds.
final class HistogramInstrument: Instrument, RecorderHandler, TimerHandler {
    /// The observations; `counts` has one more entry than there are bounds, for values above all of them.
    private struct Observations {
        var counts: [UInt64]
        var sum = 0.0
    }

    private let bounds: [Double]
    private let observations: Mutex<Observations>

    /// Bounds are finite and increasing; the infinite one is implied.
    init(bounds: [Double]) {
        self.bounds = bounds
        observations = Mutex(Observations(counts: Array(repeating: 0, count: bounds.count + 1)))
    }

    var lineCount: Int { bounds.count + 3 }

    func record(_ value: Int64) { record(Double(value)) }

    func record(_ value: Double) {
        guard value.isFinite else { return }
        let bucket = bounds.firstIndex { value <= $0 } ?? bounds.count
        observations.withLock {
            $0.counts[bucket] &+= 1
            $0.sum += value
        }
    }

    func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1e9) }

    func write(name: String, labels: LabelSet, to text: inout String) {
        let (counts, sum) = observations.withLock { ($0.counts, $0.sum) }
        var total: UInt64 = 0
        for (bound, count) in zip(bounds.map(Number.text) + ["+Inf"], counts) {
            total &+= count
            text += "\(name)_bucket\(labels.braced(upperBound: bound)) \(total)\n"
        }
        text += "\(name)_sum\(labels.braced) \(Number.text(sum))\n"
        text += "\(name)_count\(labels.braced) \(total)\n"
    }
}
