/// Each alert has a heading in the operator's document, and each such heading an alert.
enum AlertRule {
    static let document = "docs/OPERATIONS.md"

    static func findings(in files: [TextFile]) -> [Finding] {
        let rules = files.first { $0.path == MetricRule.rulesPath }?.text ?? ""
        let text = files.first { $0.path == document }?.text ?? ""
        let alerts = Set(rules.matches(of: /- alert: (\w+)/).map { String($0.1) })
        let headings = Set(text.matches(of: /(?m)^### (Backcast\w+)$/).map { String($0.1) })
        guard !alerts.isEmpty else { return [Finding(path: MetricRule.rulesPath, reason: "has no alert")] }
        return alerts.subtracting(headings).sorted().map {
            Finding(path: document, reason: "does not explain the alert \($0)")
        }
            + headings.subtracting(alerts).sorted().map {
                Finding(path: document, reason: "explains \($0), which is not an alert")
            }
    }
}
