import Testing

@Suite("Tables of the migrations")
struct SchemaTests {
    private func schema(_ texts: String...) -> [String: Set<String>] {
        let files = texts.enumerated().map { TextFile("migrations/000\($0 + 1)-a.sql", $1) }
        return Schema(migrations: files.reversed()).tables
    }

    @Test("A table has its columns, without constraints and comments")
    func created() {
        let text = """
            -- CREATE TABLE other (x int);
            CREATE TABLE one (
                a_id int PRIMARY KEY, -- a, (b
                -- c int,
                name text CHECK (name IN ('x-y', 'z')),
                PRIMARY KEY (a_id, name) INCLUDE (name)
            ) PARTITION BY LIST (name);
            CREATE TABLE one_x PARTITION OF one FOR VALUES IN ('x');
            """
        #expect(schema(text) == ["one": ["a_id", "name"]])
    }

    @Test("Later migrations change what earlier ones made")
    func altered() {
        let first = "CREATE TABLE one (a int, b int); CREATE TABLE two (c int);"
        let second = """
            ALTER TABLE one ADD COLUMN d int NOT NULL DEFAULT -1, DROP COLUMN b;
            ALTER TABLE one RENAME COLUMN a TO e;
            ALTER TABLE one RENAME TO three;
            DROP TABLE two;
            """
        #expect(schema(first, second) == ["three": ["d", "e"]])
    }
}
