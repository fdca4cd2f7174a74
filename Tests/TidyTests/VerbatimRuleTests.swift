import Testing

@Suite("Text in SQL")
struct VerbatimRuleTests {
    static let path = "Sources/Stores/Catalogue/Channels.swift"

    private func findings(_ line: String) -> [Finding] {
        let declaration = "    static let columns = \"slug\"\n    static var changing: String { a }\n"
        return VerbatimRule().findings(in: [TextFile(Self.path, declaration + line)])
    }

    @Test(
        "A static member is fine", arguments: ["Self.columns", "Channel.columns", "Catalogue.Row.columns"])
    func fine(argument: String) {
        #expect(findings("\"SELECT \\(verbatim: \(argument)) FROM channel\"").isEmpty)
    }

    @Test(
        "Anything else is found with its line",
        arguments: [
            "columns", "name", "row.columns", "Self.changing", "Self.other", "String(day)", "\"a\" + name",
            "Self.columns + name",
        ])
    func found(argument: String) {
        #expect(findings("\"SELECT \\(verbatim: \(argument)) FROM channel\"").map(\.line) == [3])
        #expect(findings("Statement(verbatim: \(argument))").map(\.line) == [3])
    }

    @Test("The word in a comment is none")
    func comment() {
        #expect(findings("    /// Lines verbatim: parts of a segment").isEmpty)
    }

    @Test("Every one of a line is found")
    func several() {
        #expect(findings("\"\\(verbatim: a) \\(verbatim: Self.columns) \\(verbatim: b)\"").count == 2)
    }
}
