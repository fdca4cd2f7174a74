import Testing

@Suite("Dangerous constructs")
struct DangerRuleTests {
    static let path = "Sources/Stores/Journal/Frame.swift"

    @Test(
        "Each is found",
        arguments: [
            (DangerousConstruct.uncheckedSendable, "final class A: @unchecked Sendable {}"),
            (.nonisolatedUnsafe, "nonisolated(unsafe) var a = 1"),
            (.detachedTask, "Task.detached { }"),
            (.forcedTry, "let a = try! b()"),
            (.fatalCall, "guard a else { fatalError(\"b\") }"),
            (.failedPrecondition, "default: preconditionFailure()"),
            (.unsafe, "let a = unsafe b(c)"),
            (.unsafe, "try unsafe b.withUnsafeBytes { 1 }"),
        ])
    func found(construct: DangerousConstruct, line: String) {
        let findings = DangerRule(exceptions: []).findings(in: [TextFile(Self.path, "\n\(line)\n")])
        #expect(
            findings == [
                Finding(
                    path: Self.path, line: 2, reason: "\(construct.rawValue) without a reason in the list")
            ])
    }

    @Test(
        "Prose and other words are none",
        arguments: [
            "// try! and unsafe code", "let a = \"fatalError\"", "final class A: Sendable {}",
            "let unsafe = 1",
            "a.unsafe(b)", "try b()", "func isunsafe () {}",
        ])
    func harmless(line: String) {
        #expect(DangerRule(exceptions: []).findings(in: [TextFile(Self.path, line)]).isEmpty)
    }

    @Test("unsafe is at home in the Adapters")
    func home() {
        let file = TextFile("Sources/Adapters/Digest/Handle.swift", "let a = unsafe b(c)")
        #expect(DangerRule(exceptions: []).findings(in: [file]).isEmpty)
    }

    @Test("A listed one is allowed in its file only")
    func listed() {
        let exception = ListedException(
            construct: .forcedTry, path: Self.path, reason: "the pattern is a literal")
        let files = [TextFile(Self.path, "try! a()"), TextFile("Sources/Stores/Journal/B.swift", "try! a()")]
        #expect(DangerRule(exceptions: [exception]).findings(in: files).map(\.path) == [files[1].path])
    }

    @Test(
        "An entry that no longer applies, or gives no reason, is found",
        arguments: [("a()", "the pattern is a literal"), ("try! a()", "because")])
    func stale(code: String, reason: String) {
        let exception = ListedException(construct: .forcedTry, path: Self.path, reason: reason)
        #expect(DangerRule(exceptions: [exception]).findings(in: [TextFile(Self.path, code)]).count == 1)
    }
}
