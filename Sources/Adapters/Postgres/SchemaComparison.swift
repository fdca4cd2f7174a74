/// The program's migrations beside those the database has.
struct SchemaComparison: Sendable {
    /// One number, as the program and as the database know it; the digests are equal if the texts are.
    struct Entry: Sendable {
        var number: Int32
        var wanted: String?
        var applied: String?
        var isSameText: Bool
    }

    private let entries: [Entry]

    /// Takes the entries in order of number.
    init(_ entries: [Entry]) {
        self.entries = entries
    }

    /// What an applied migration has that the program's has not: then nothing may be applied on top.
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

    /// The numbers still to apply.
    var pending: [Int32] {
        entries.compactMap { $0.applied == nil ? $0.number : nil }
    }

    /// The first thing by which the database's schema is another than the program's.
    var difference: PostgresError? {
        if let conflict { return conflict }
        guard let missing = entries.first(where: { $0.applied == nil })?.wanted else { return nil }
        return PostgresError(.schema, "the database has not had migration \(missing)")
    }
}
