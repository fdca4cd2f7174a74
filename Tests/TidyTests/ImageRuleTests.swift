import Testing

@Suite("What the image is built of")
struct ImageRuleTests {
    private func reasons(_ lines: String, ignore: String) -> [String] {
        ImageRule.findings(in: TextFile(ImageRule.path, lines), ignore: ignore).map(\.reason)
    }

    @Test("What .dockerignore keeps outside cannot be copied")
    func found() {
        let lines =
            "ARG A=a\nFROM ${A}\nCOPY --chmod=755 scripts/a.sh Sources/B /\nCOPY --from=build /out /out\n"
        #expect(
            reasons(lines, ignore: "*\n!Sources\n") == ["COPY scripts/a.sh, which .dockerignore leaves out"])
        #expect(reasons(lines, ignore: "*\n!Sources\n!scripts/a.sh\n").isEmpty)
    }

    @Test("A base image is the default of an argument, or a stage")
    func bases() {
        let lines = "ARG A=a:1\nARG B\nFROM ${A} AS one\nFROM one\nFROM ${B}\nFROM a:1 AS two\n"
        #expect(
            reasons(lines, ignore: "*\n") == [
                "FROM ${B}, which no argument has as its default",
                "FROM a:1, which no argument has as its default",
            ])
    }
}
