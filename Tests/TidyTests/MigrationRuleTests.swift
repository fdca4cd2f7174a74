import Testing

@Suite("Numbers of migrations")
struct MigrationRuleTests {
    @Test(
        "A hole, a double, a wrong begin and a wrong name are each found once",
        arguments: [
            ["0001-a.sql", "0003-b.sql"], ["0001-a.sql", "0001-b.sql", "0002-c.sql"],
            ["0002-a.sql", "0003-b.sql"],
            ["0001-a.sql", "2-b.sql"], ["0001-a.sql", "0002_B.sql"], ["0001-a.sql", "0002-b.txt"],
        ])
    func found(names: [String]) {
        #expect(MigrationRule.findings(names.map { "migrations/\($0)" }).count == 1)
    }

    @Test("Numbers in order are fine, in whatever order the files are listed")
    func fine() {
        #expect(MigrationRule.findings(["migrations/0002-b-c2.sql", "migrations/0001-a.sql"]).isEmpty)
    }
}
