/// A row of a Markdown table.
struct MarkdownRow {
    var line: Int
    /// The cells of the table's head.
    var head: [String]
    var cells: [String]

    /// What stands in backticks in one cell; empty when there is no such cell.
    func code(inCell index: Int) -> [String] {
        guard cells.indices.contains(index) else { return [] }
        return cells[index].matches(of: /`([^`]+)`/).map { String($0.1) }
    }
}

extension TextFile {
    /// The rows of all tables, without their heads.
    ///
    /// A bar inside a cell is written `\|`.
    var tableRows: [MarkdownRow] {
        var head: [String] = []
        var isInBody = false
        var rows: [MarkdownRow] = []
        for (number, text) in lines {
            if !text.hasPrefix("|") {
                isInBody = false
            } else if text.contains(/^\|[\s:|-]+\|$/) {
                isInBody = true
            } else if isInBody {
                rows.append(MarkdownRow(line: number, head: head, cells: Self.cells(of: text)))
            } else {
                head = Self.cells(of: text)
            }
        }
        return rows
    }

    /// The rows of the tables whose head begins with this cell.
    func tableRows(headed first: String) -> [MarkdownRow] {
        tableRows.filter { $0.head.first == first }
    }

    private static func cells(of line: Substring) -> [String] {
        let bar = "\u{0}"
        let parts = line.replacing("\\|", with: bar).split(separator: "|", omittingEmptySubsequences: false)
        return parts.dropFirst().dropLast().map { cell in
            String(cell.replacing(bar, with: "|")).split(separator: " ").joined(separator: " ")
        }
    }
}
