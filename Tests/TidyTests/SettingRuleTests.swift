import Testing

@Suite("Settings in documents and in the program")
struct SettingRuleTests {
    private static let rule = SettingRule(sources: [
        TextFile(
            "Sources/Program/Backcast/Settings/SettingKeys.swift", #"["BACKCAST_LISTEN", "BACKCAST_STATE"]"#),
        TextFile("Sources/Program/Backcast/Main.swift", #""BACKCAST_OTHER""#),
    ])

    private func findings(_ sample: String, readme: String = "") -> [Finding] {
        Self.rule.findings(in: [
            TextFile("deploy/backcast.env.sample", sample), TextFile("README.md", readme),
        ])
    }

    @Test("A sample that has every setting is fine, and so is a document that names some")
    func fine() {
        #expect(
            findings("#BACKCAST_LISTEN=a\nBACKCAST_STATE=b", readme: "`BACKCAST_STATE`, BACKCAST_…").isEmpty)
    }

    @Test("A setting that the program does not know is found with its line")
    func unknown() {
        let found = findings("BACKCAST_LISTEN=\nBACKCAST_STATE=\nBACKCAST_STALE=", readme: "BACKCAST_LISTENS")
        #expect(found.map(\.line) == [3, 1])
    }

    @Test("A setting that the sample does not have is found")
    func missing() {
        #expect(
            findings("BACKCAST_LISTEN=").map(\.reason) == ["does not have the program's BACKCAST_STATE"])
    }

    @Test("A program without settings is found")
    func none() {
        #expect(SettingRule(sources: []).findings(in: []).count == 1)
    }
}
