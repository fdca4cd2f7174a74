/// The names that the glossary gives for code and tables are those of the sources and the migrations.
struct GlossaryRule {
    static let path = "docs/GLOSSARY.md"
    static let architecturePath = "docs/ARCHITECTURE.md"
    private static let codeCell = 2
    private static let tableCell = 3

    var identifiers: Set<String>
    var schema: Schema

    /// Reads the identifiers of `Sources`.
    init(files: [TextFile]) {
        schema = Schema(migrations: files)
        identifiers = Set(
            files.filter { $0.isSwift && $0.path.hasPrefix("Sources/") }.flatMap { file in
                SwiftCode.stripped(file.text).split { !($0.isLetter || $0.isNumber || $0 == "_") }
                    .map(String.init)
            })
    }

    func findings(in files: [TextFile]) -> [Finding] {
        guard let file = files.first(where: { $0.path == Self.path }) else {
            return [Finding(path: Self.path, reason: "is not there")]
        }
        let rows = file.tableRows
        let terms = rows.compactMap { row in row.cells.first.map { (row.line, $0) } }
        return rows.flatMap(unknown(in:)) + repeated(terms)
    }

    /// Types that the architecture names outside its table of modules, and that no source has.
    func unknownTypes(in files: [TextFile]) -> [Finding] {
        guard let file = files.first(where: { $0.path == Self.architecturePath }) else {
            return [Finding(path: Self.architecturePath, reason: "is not there")]
        }
        let modules = Set(file.tableRows(headed: "module").map(\.line))
        return file.lines.filter { !modules.contains($0.number) }.flatMap { number, text in
            text.matches(of: /`([A-Z][a-z]+[A-Z]\w*)`/).map { String($0.1) }.filter {
                !identifiers.contains($0)
            }.map { Finding(path: file.path, line: number, reason: "no source names \($0)") }
        }
    }

    private func unknown(in row: MarkdownRow) -> [Finding] {
        let code = row.code(inCell: Self.codeCell).filter { !identifiers.contains($0) }
        let tables = row.code(inCell: Self.tableCell).filter { !hasTable($0) }
        return code.map { Finding(path: Self.path, line: row.line, reason: "no source names \($0)") }
            + tables.map { Finding(path: Self.path, line: row.line, reason: "no migration makes \($0)") }
    }

    private func hasTable(_ text: String) -> Bool {
        let parts = text.split(separator: ".").map(String.init)
        guard let name = parts.first, let columns = schema.tables[name] else { return false }
        return parts.count == 1 || parts.count == 2 && columns.contains(parts[1])
    }

    private func repeated(_ terms: [(line: Int, text: String)]) -> [Finding] {
        var seen: Set<String> = []
        return terms.filter { !seen.insert($0.text).inserted }.map {
            Finding(path: Self.path, line: $0.line, reason: "explains a term twice")
        }
    }
}
