import Testing

@Suite("What the image is built of")
struct ImageRuleTests {
    private func reasons(_ lines: String, ignore: String) -> [String] {
        ImageRule.findings(in: TextFile(ImageRule.path, lines), ignore: ignore).map(\.reason)
    }

    @Test("What .dockerignore keeps outside cannot be copied")
    func found() {
        let lines = "FROM a\nCOPY --chmod=755 scripts/a.sh Sources/B /\nCOPY --from=build /out /out\n"
        #expect(
            reasons(lines, ignore: "*\n!Sources\n") == ["COPY scripts/a.sh, which .dockerignore leaves out"])
        #expect(reasons(lines, ignore: "*\n!Sources\n!scripts/a.sh\n").isEmpty)
    }
}
