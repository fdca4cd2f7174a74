import Testing

@Suite("Declarations for other modules")
struct PackageRuleTests {
    static let path = "Sources/Stores/Journal/Journal.swift"

    private func findings(_ line: String, _ others: TextFile...) -> [Finding] {
        PackageRule().findings(in: [TextFile(Self.path, "\n\(line)\n")] + others)
    }

    @Test(
        "A member that no other module names is found with its line",
        arguments: [
            "package func replay() {}", "    package static let replay = 7", "package var replay: Int { 7 }",
            "package mutating func replay() {}", "package static func replay<A>(_ a: A) {}",
        ])
    func unused(line: String) {
        #expect(findings(line).map(\.line) == [2])
        let own = TextFile("Sources/Stores/Journal/Other.swift", "replay()")
        let tests = TextFile("Tests/Stores/JournalTests/JournalTests.swift", "replay()")
        #expect(findings(line, own, tests).map(\.line) == [2])
    }

    @Test(
        "A member that another module names is fine, and so are other suites and helpers of tests",
        arguments: [
            "Sources/Services/Recorder/A.swift", "Tests/Services/RecorderTests/A.swift",
            "Tests/Support/TestSupport/A.swift", "Tests/EndToEndTests/A.swift",
        ])
    func used(path: String) {
        #expect(findings("package func replay() {}", TextFile(path, "journal.replay()")).isEmpty)
    }

    @Test("What a protocol of the package requires is left out")
    func required() {
        let code =
            "package protocol Replaying {\n    static var pace: Int { get }\n}\npackage static var pace: Int { 7 }"
        #expect(findings(code).isEmpty)
    }

    @Test(
        "Types, stored properties, requirements of others and what is not package are left out",
        arguments: [
            "package struct Replay {}", "package var replay: Int", "package let replay: Int",
            "package func appendLiteral(_ literal: String) {}", "func replay() {}",
            "// package func replay()",
        ])
    func leftOut(line: String) {
        #expect(findings(line).isEmpty)
    }
}
