/// The labels of one series in their written form: escaped, sorted by name, each name once.
struct LabelSet: Hashable, Comparable, Sendable {
    let text: String

    /// The first value of a name is kept.
    init(_ labels: [(String, String)]) {
        var values: [String: String] = [:]
        for (name, value) in labels {
            let name = MetricName.label(name)
            if values[name] == nil { values[name] = Self.escaped(value) }
        }
        text = values.sorted { $0.key < $1.key }.map { "\($0.key)=\"\($0.value)\"" }.joined(separator: ",")
    }

    /// The labels in braces; empty without labels.
    var braced: String { text.isEmpty ? "" : "{\(text)}" }

    /// The labels with a bucket's upper bound as the last one.
    func braced(upperBound: String) -> String {
        text.isEmpty ? "{le=\"\(upperBound)\"}" : "{\(text),le=\"\(upperBound)\"}"
    }

    static func < (left: LabelSet, right: LabelSet) -> Bool {
        left.text < right.text
    }

    private static func escaped(_ value: String) -> String {
        var text = ""
        for scalar in value.unicodeScalars.prefix(Limits.labelValueCharacters) {
            switch scalar {
            case "\\": text += "\\\\"
            case "\"": text += "\\\""
            case "\n": text += "\\n"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}
