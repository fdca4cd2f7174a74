import Testing

@Suite("Migrations: their numbers, and that they stay as they landed")
struct MigrationRuleTests {
    /// What `printf 'SELECT 1;\n' | sha256sum` prints.
    private static let digest = "b4e0497804e46e0a0b0b8c31975b062152d551bac49c3c2e80932567b4085dcd"

    @Test(
        "A migration that changed, one that is new, one that is gone and a bad line are each found once",
        arguments: [
            ([("a", "SELECT 2;\n")], "\(digest)  migrations/a"),
            ([("a", "SELECT 1;\n"), ("b", "")], "\(digest)  migrations/a"),
            ([], "\(digest)  migrations/a"), ([], "migrations/a"),
        ])
    func changed(files: [(String, String)], digests: String) throws {
        let files = files.map { TextFile("migrations/\($0.0)", $0.1) }
        #expect(try MigrationRule.changes(of: files, digests: digests + "\n").count == 1)
    }

    @Test("A migration as it was listed is fine")
    func unchanged() throws {
        let file = TextFile("migrations/a", "SELECT 1;\n")
        #expect(try MigrationRule.changes(of: [file], digests: "\(Self.digest)  migrations/a\n").isEmpty)
    }

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
