/// The kind of a family's series; the raw value is the word of the TYPE line.
package enum MetricKind: String, Sendable {
    case counter
    case gauge
    case histogram
}

/// The description of a family.
struct MetricDescription: Sendable {
    var help: String
    var unit: String?
    var bounds: [Double]?

    /// The text of the HELP line, which includes the unit because the format has no line for it.
    var text: String {
        let text = unit.map { "\(help) (\($0))" } ?? help
        return text.replacing("\\", with: "\\\\").replacing("\n", with: "\\n")
    }
}

/// All series of one name.
struct MetricFamily {
    let kind: MetricKind
    var series: [LabelSet: any Instrument] = [:]

    /// Lines of every series, in the order of their labels.
    func write(name: String, to text: inout String) {
        for (labels, instrument) in series.sorted(by: { $0.key < $1.key }) {
            instrument.write(name: name, labels: labels, to: &text)
        }
    }
}

/// Upper bounds of histogram buckets.
package enum HistogramBounds {
    /// Seconds: from an answer from memory to a transfer at its deadline.
    package static let seconds: [Double] = [
        0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60,
    ]
    /// Quantities of unknown unit: powers of four.
    static let quantities: [Double] = (0..<16).map { Double(UInt64(1) << (2 * $0)) }
}
