import Testing

@Suite("Links of documents")
struct LinkRuleTests {
    private func findings(_ text: String) -> [Finding] {
        let other = TextFile("docs/other.md", "# A heading: with `code`\n")
        let file = TextFile("docs/page.md", text)
        let paths = ["README.md", "docs", "docs/other.md", "docs/page.md"]
        return LinkRule(exists: paths.contains, document: { $0 == other.path ? other : nil }).findings(in: [
            file
        ])
    }

    @Test(
        "A link to nothing is found",
        arguments: [
            "[a](missing.md)", "![a](missing.png)", "[a](../../out.md)", "[a](other.md#nothing)",
            "[a](#nothing)",
            "[a](<missing.md>)", "[a](missing.md \"title\")",
        ])
    func dead(text: String) {
        #expect(findings("\n\(text)\n").map(\.line) == [2])
    }

    @Test(
        "A link to a file, a folder, a heading or the web is fine, and code is none",
        arguments: [
            "[a](other.md)", "[a](../README.md)", "[a](../docs)", "[a](other.md#a-heading-with-code)",
            "# Here\n[a](#here)", "[a](https://example.org/x#y)", "[a](mailto:a@example.org)",
            "`[a](missing.md)`",
            "```\n[a](missing.md)\n```",
        ])
    func alive(text: String) {
        #expect(findings(text).isEmpty)
    }
}
