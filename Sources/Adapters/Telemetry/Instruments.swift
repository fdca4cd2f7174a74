import CoreMetrics
import Synchronization

/// A metric value that can be written as lines of a family.
protocol Instrument: AnyObject, Sendable {
    /// Lines that this instrument writes, which count towards the registry's bound.
    var lineCount: Int { get }
    func write(name: String, labels: LabelSet, to text: inout String)
}

/// A count that only increases; it stays at the largest number instead of overflowing.
final class CountInstrument: Instrument, CounterHandler {
    private let count = Mutex<Int64>(0)

    let lineCount = 1

    func increment(by amount: Int64) {
        guard amount > 0 else { return }
        count.withLock { value in
            let (sum, overflow) = value.addingReportingOverflow(amount)
            value = overflow ? .max : sum
        }
    }

    func reset() {
        count.withLock { $0 = 0 }
    }

    func write(name: String, labels: LabelSet, to text: inout String) {
        text += "\(name)\(labels.braced) \(count.withLock { $0 })\n"
    }
}

/// A sum of fractions that only increases.
final class SumInstrument: Instrument, FloatingPointCounterHandler {
    private let sum = Mutex<Double>(0)

    let lineCount = 1

    func increment(by amount: Double) {
        guard amount > 0, amount.isFinite else { return }
        sum.withLock { $0 += amount }
    }

    func reset() {
        sum.withLock { $0 = 0 }
    }

    func write(name: String, labels: LabelSet, to text: inout String) {
        text += "\(name)\(labels.braced) \(Number.text(sum.withLock { $0 }))\n"
    }
}

/// The last value: a swift-metrics meter, or a recorder that does not aggregate.
final class GaugeInstrument: Instrument, MeterHandler, RecorderHandler {
    private let value = Mutex<Double>(0)

    let lineCount = 1

    func set(_ newValue: Int64) { set(Double(newValue)) }

    func set(_ newValue: Double) {
        value.withLock { $0 = newValue }
    }

    func increment(by amount: Double) {
        value.withLock { $0 += amount }
    }

    func decrement(by amount: Double) {
        value.withLock { $0 -= amount }
    }

    func record(_ newValue: Int64) { set(Double(newValue)) }

    func record(_ newValue: Double) { set(newValue) }

    func write(name: String, labels: LabelSet, to text: inout String) {
        text += "\(name)\(labels.braced) \(Number.text(value.withLock { $0 }))\n"
    }
}
