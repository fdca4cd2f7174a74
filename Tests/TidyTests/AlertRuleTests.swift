import Testing

@Suite("Alerts, paths and tests in documents")
struct AlertRuleTests {
    private func alerts(_ headings: String) -> [String] {
        AlertRule.findings(in: [
            TextFile(MetricRule.rulesPath, "- alert: BackcastDown\n- alert: BackcastGaps\n"),
            TextFile(AlertRule.document, headings),
        ]).map(\.reason)
    }

    @Test("An alert without a heading is found, and a heading without an alert")
    func alerts() {
        #expect(alerts("### BackcastDown\n\ntext\n### BackcastGaps\n").isEmpty)
        #expect(alerts("### BackcastDown\n") == ["does not explain the alert BackcastGaps"])
        #expect(
            alerts("### BackcastDown\n### BackcastGaps\n### BackcastOld\n")
                == ["explains BackcastOld, which is not an alert"])
    }

    @Test("A path of the admin interface that its document does not have is found")
    func paths() {
        let route = TextFile(
            "Sources/Delivery/AdminAPI/Route.swift", "case \"/\": .a\ncase \"/healthz\": .b")
        let findings = ["| `/` | x |\n| `/healthz` | x |", "| `/` | x |"].map { rows in
            let text = "| path | x |\n|---|---|\n\(rows)\n"
            return RouteRule.findings(in: [route, TextFile(RouteRule.document, text)]).map(\.reason)
        }
        #expect(findings == [[], ["does not have the path /healthz"]])
    }

    @Test(
        "A link to a test names a test of its file",
        arguments: [
            ("[It works](../Tests/ATests.swift)", 0), ("[ATests.swift](../Tests/ATests.swift)", 0),
            ("[It broke](../Tests/ATests.swift)", 1), ("[It works](../Tests/BTests.swift)", 1),
        ])
    func names(link: String, count: Int) {
        let tests = TextFile("Tests/ATests.swift", "@Test(\"It works\") func a() {}")
        #expect(NamedTestRule.findings(in: [tests, TextFile("docs/a.md", link)]).count == count)
    }
}
