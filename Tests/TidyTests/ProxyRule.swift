/// What the Xtream Codes API has beside the folders of viewers passes every sample of a proxy, and is counted
/// as a list.
enum ProxyRule {
    static let source = "Sources/Delivery/ViewerAPI/Lists/XtreamRoute.swift"
    static let counted = "Sources/Delivery/AdminAPI/Metrics/RequestRoute.swift"

    static func findings(in files: [TextFile]) -> [Finding] {
        let code = files.first { $0.path == source }?.text ?? ""
        let paths = code.matches(of: /case "(\/[a-z_\/]+\.php)"/).map { String($0.1) }
        let samples = files.filter { $0.path.hasPrefix("deploy/") && $0.text.contains("xmltv") }
        guard !paths.isEmpty, !samples.isEmpty else {
            return [Finding(path: source, reason: "no path, or no sample of a proxy")]
        }
        let route = files.first { $0.path == counted }?.text ?? ""
        return paths.flatMap { path in
            samples.filter { !passes(path, $0) }.map {
                Finding(path: $0.path, reason: "does not pass \(path)")
            } + (route.contains("\"\(path)\"") ? [] : [Finding(path: counted, reason: "lacks \(path)")])
        }
    }

    /// Whether an expression of nginx or Varnish matches a path, or an Ingress has it exactly.
    private static func passes(_ path: String, _ sample: TextFile) -> Bool {
        sample.lines.contains { _, line in
            if let exact = line.firstMatch(of: /- path: (\S+)$/) { return exact.1 == path }
            guard let found = line.firstMatch(of: /location ~ (\S+) \{|req\.url !~ "([^"]+)"/),
                let pattern = found.1 ?? found.2, let expression = try? Regex(String(pattern))
            else { return false }
            return path.contains(expression)
        }
    }
}
