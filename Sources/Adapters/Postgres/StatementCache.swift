/// The prepared statements of a connection; the least recently used is removed first.
struct StatementCache {
    /// Statements are the same when text and types are.
    private struct Key: Hashable {
        let sql: String
        let types: [PostgresType]
    }

    private struct Entry {
        let name: String
        var lastUse: Int
    }

    private let capacity: Int
    private var entries: [Key: Entry] = [:]
    private var clock = 0

    init(capacity: Int) {
        self.capacity = capacity
    }

    var count: Int { entries.count }

    /// The name under which a statement is prepared.
    mutating func name(of statement: Statement) -> String? {
        clock += 1
        let key = Key(sql: statement.sql, types: statement.parameters.types)
        entries[key]?.lastUse = clock
        return entries[key]?.name
    }

    /// A name that has not been used before.
    func freshName() -> String { "s\(clock)" }

    /// Adds a prepared statement and returns the name of the one to remove, if any.
    mutating func insert(_ statement: Statement, as name: String) -> String? {
        let key = Key(sql: statement.sql, types: statement.parameters.types)
        entries[key] = Entry(name: name, lastUse: clock)
        guard entries.count > capacity else { return nil }
        guard let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse }) else { return nil }
        entries[oldest.key] = nil
        return oldest.value.name
    }

    /// Removes a statement and returns its name.
    mutating func remove(_ statement: Statement) -> String? {
        entries.removeValue(forKey: Key(sql: statement.sql, types: statement.parameters.types))?.name
    }
}
