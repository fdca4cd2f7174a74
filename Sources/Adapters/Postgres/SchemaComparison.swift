/// Compares the program's migrations with those of the database.
struct SchemaComparison: Sendable {
    /// One number in the program and in the database; the digests are equal if the texts are.
    struct Entry: Sendable {
        var number: Int32
        var wanted: String?
        var applied: String?
        var isSameText: Bool
    }

    private let entries: [Entry]

    /// Compares entries in order of their numbers.
    init(_ entries: [Entry]) {
        self.entries = entries
    }

    /// An applied migration that the program does not have or has changed: nothing may be applied after it.
    var conflict: PostgresError? {
        let first = entries.first { $0.applied != nil && ($0.wanted == nil || !$0.isSameText) }
        guard let first, let applied = first.applied else { return nil }
        guard let wanted = first.wanted else {
            return PostgresError(
                .schema, "the database has migration \(applied), which this program does not know")
        }
        return PostgresError(
            .schema, "migration \(wanted) was changed after the database had applied it as \(applied)")
    }

    /// The numbers that are missing in the database.
    var pending: [Int32] {
        entries.compactMap { $0.applied == nil ? $0.number : nil }
    }

    /// The first difference between the database's schema and the program's.
    var difference: PostgresError? {
        if let conflict { return conflict }
        guard let missing = entries.first(where: { $0.applied == nil })?.wanted else { return nil }
        return PostgresError(.schema, "the database does not have migration \(missing)")
    }
}
