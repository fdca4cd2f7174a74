import Testing

@Suite("Metrics in alert rules and in the program")
struct MetricRuleTests {
    private static let rule = MetricRule(sources: [
        TextFile(
            "Sources/Delivery/AdminAPI/Metrics/Meter.swift", #"["backcast_up", "backcast_wait_seconds"]"#),
        TextFile("Sources/Stores/Catalogue/Other.swift", #""backcast_line""#),
    ])

    private func findings(_ rules: String) -> [Finding] {
        Self.rule.findings(in: [TextFile(MetricRule.rulesPath, rules)])
    }

    @Test("Metrics of the program are fine, and so are the parts of a histogram")
    func fine() {
        #expect(findings("expr: backcast_up == 0\nexpr: rate(backcast_wait_seconds_bucket[5m])").isEmpty)
    }

    @Test(
        "A metric that the program does not have is found with its line",
        arguments: ["backcast_down", "backcast_up_total", "backcast_line", "backcast_bucket"])
    func unknown(name: String) {
        #expect(findings("expr: backcast_up\nexpr: sum(\(name))").map(\.line) == [2])
    }

    @Test("Rules that are not there are found")
    func none() {
        #expect(Self.rule.findings(in: []).count == 1)
    }
}
