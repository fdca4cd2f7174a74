import Testing

@Suite("Tables of documents")
struct DocumentRuleTests {
    private static let path = "docs/API.md"
    private static let rule = DocumentRule(path: path, head: "parameter", known: ["begin", "end"])

    private func findings(_ rows: String) -> [Finding] {
        let text = "| path | x |\n|---|---|\n| `other` | y |\n\n| parameter | x |\n|---|---|\n\(rows)"
        return Self.rule.findings(in: [TextFile(Self.path, text)])
    }

    @Test("A row for each name is fine, in any order, and other tables do not count")
    func fine() {
        #expect(findings("| `end` | a |\n| `begin` | `c` \\| d |\n").isEmpty)
    }

    @Test(
        "A missing, unknown, repeated or unnamed row is found",
        arguments: [
            ("| `begin` | a |\n", nil), ("| `begin` | a |\n| `end` | a |\n| `next` | a |\n", 9),
            ("| `begin` | a |\n| `end` | a |\n| `end` | a |\n", 9),
            ("| `begin` | a |\n| `end` | a |\n| c | a |\n", 9),
        ] as [(String, Int?)])
    func wrong(rows: String, line: Int?) {
        #expect(findings(rows).map(\.line) == [line])
    }

    @Test("A document that is not there, and code without names, are found")
    func none() {
        #expect(Self.rule.findings(in: []).count == 1)
        let empty = DocumentRule(path: Self.path, head: "parameter", known: [])
        #expect(empty.findings(in: [TextFile(Self.path, "")]).count == 1)
    }

    @Test("The parameters are those of the reader")
    func parameters() {
        let reader = TextFile(
            "Sources/Delivery/ViewerAPI/Request/ParameterReader.swift",
            "private static let known: Set<String> = [\n\"a\", \"b\",\n]")
        #expect(DocumentRule.parameters(in: [reader]).known == ["a", "b"])
    }

    @Test("A column too many or too few is found")
    func columns() {
        let migration = TextFile("migrations/0001-a.sql", "CREATE TABLE fact (a int, b int);")
        let schema = Schema(migrations: [migration])
        let findings = ["`a`, `b`", "`a`", "`a`, `b`, `c`"].map { columns in
            let text = "| table | columns | x |\n|---|---|---|\n| `fact` | \(columns) | y |\n"
            return ColumnRule.findings(in: [TextFile("docs/DATA-MODEL.md", text)], schema: schema).map(
                \.reason)
        }
        #expect(findings == [[], ["fact: b"], ["fact: c"]])
    }

    @Test(
        "A module in another layer or with other uses is found",
        arguments: [
            ("| `B` | Stores | `A` | x |", 0), ("| `B` | Adapters | `A` | x |", 1),
            ("| `B` | Stores | – | x |", 1),
            ("| `B` | Stores | `A`, `C` | x |", 1),
        ])
    func modules(row: String, count: Int) {
        let graph = ModuleGraph(modules: [
            .init(name: "A", path: "Sources/Adapters/A", isTest: false, uses: []),
            .init(name: "B", path: "Sources/Stores/B", isTest: false, uses: ["A", "Logging"]),
            .init(name: "BTests", path: "Tests/Stores/BTests", isTest: true, uses: ["B"]),
        ])
        let text = "| module | layer | uses | x |\n|---|---|---|---|\n\(row)\n"
        let found = ModuleTableRule.findings(in: [TextFile("docs/ARCHITECTURE.md", text)], graph: graph)
        #expect(found.count == count)
        #expect(DocumentRule.modules(graph).known == ["A", "B"])
    }
}
