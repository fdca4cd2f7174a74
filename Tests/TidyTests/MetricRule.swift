/// The metrics that alert rules ask for are the program's.
struct MetricRule {
    static let rulesPath = "deploy/prometheus-rules.yaml"
    private static let homes = [
        "Sources/Delivery/", "Sources/Services/Metering/", "Sources/Adapters/Telemetry/",
    ]

    /// Metrics of the program: the literals where it registers and writes them.
    var known: Set<String>

    init(sources: [TextFile]) {
        let files = sources.filter { file in Self.homes.contains { file.path.hasPrefix($0) } }
        known = Set(files.flatMap { $0.text.matches(of: /"(backcast_[a-z0-9_]+)"/).map { String($0.1) } })
    }

    func findings(in files: [TextFile]) -> [Finding] {
        guard let rules = files.first(where: { $0.path == Self.rulesPath }) else {
            return [Finding(path: Self.rulesPath, reason: "is not there")]
        }
        return rules.lines.flatMap { number, text in
            text.matches(of: /\bbackcast_[a-z0-9_]+/).map { String($0.0) }.filter { !isKnown($0) }.map {
                Finding(path: rules.path, line: number, reason: "the program has no metric \($0)")
            }
        }
    }

    /// A histogram is asked for by the names of its parts.
    private func isKnown(_ name: String) -> Bool {
        let parts = ["", "_bucket", "_sum", "_count"].filter(name.hasSuffix)
        return parts.contains { known.contains(String(name.dropLast($0.count))) }
    }
}
