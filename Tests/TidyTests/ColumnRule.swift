/// The columns of a table are those that the migrations leave behind.
enum ColumnRule {
    static func findings(in files: [TextFile], schema: Schema) -> [Finding] {
        let rule = DocumentRule.tables(schema)
        let rows = files.first { $0.path == rule.path }?.tableRows(headed: rule.head) ?? []
        return rows.compactMap { row in
            guard let table = row.code(inCell: 0).first, let columns = schema.tables[table] else {
                return nil
            }
            let named = Set(row.code(inCell: 1))
            guard named != columns else { return nil }
            let wrong = named.symmetricDifference(columns).sorted().joined(separator: ", ")
            return Finding(path: rule.path, line: row.line, reason: "\(table): \(wrong)")
        }
    }
}
