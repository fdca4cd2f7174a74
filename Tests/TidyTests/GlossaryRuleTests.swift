import Testing

@Suite("The glossary")
struct GlossaryRuleTests {
    private static let sources = [
        TextFile("Sources/Stores/A.swift", "struct Fact { var end: Int } // Ghost"),
        TextFile("migrations/0001-a.sql", "CREATE TABLE fact (end_us bigint);"),
    ]

    private func findings(_ row: String) -> [Finding] {
        let head = "| term | meaning | code | tables |\n|---|---|---|---|\n"
        let glossary = TextFile(GlossaryRule.path, head + row)
        return GlossaryRule(files: Self.sources).findings(in: [glossary])
    }

    @Test(
        "Names of sources and migrations are fine, and so is none",
        arguments: ["| a | b | `Fact`, `end` | `fact`, `fact.end_us` |", "| a | `Any` | – | – |"])
    func fine(row: String) {
        #expect(findings(row).isEmpty)
    }

    @Test(
        "A name that is not there is found, also one that only a comment has",
        arguments: [
            "| a | b | `Gone` | – |", "| a | b | `Ghost` | – |", "| a | b | – | `gone` |",
            "| a | b | – | `fact.gone` |",
        ])
    func unknown(row: String) {
        #expect(findings(row).map(\.line) == [3])
    }

    @Test("A term that is explained twice is found")
    func repeated() {
        #expect(findings("| a | b | – | – |\n| a | c | – | – |").map(\.line) == [4])
    }

    @Test("A glossary that is not there is found")
    func none() {
        #expect(GlossaryRule(files: []).findings(in: []).count == 1)
    }

    @Test("A type of the architecture that no source has is found, except in its table of modules")
    func types() {
        let sources = [TextFile("Sources/Stores/A.swift", "struct SegmentFact {}")]
        let text = "`SegmentFact` `GoneFact`, `Word`\n\n| module |\n|---|\n| `LiveOrigin` |\n"
        let architecture = TextFile(GlossaryRule.architecturePath, text)
        let rule = GlossaryRule(files: sources)
        #expect(rule.unknownTypes(in: [architecture]).map(\.reason) == ["no source names GoneFact"])
        #expect(rule.unknownTypes(in: []).count == 1)
    }
}
