/// A row of a Markdown table.
struct MarkdownRow {
    var line: Int
    /// The heading of level 2 above the table, empty when there is none.
    var section: String
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
        var section = ""
        var isInBody = false
        var rows: [MarkdownRow] = []
        for (number, text) in lines {
            if let match = text.firstMatch(of: /^##\s+(.*)$/) { section = String(match.1) }
            guard text.hasPrefix("|") else {
                isInBody = false
                continue
            }
            if text.contains(/^\|[\s:|-]+\|$/) {
                isInBody = true
            } else if isInBody {
                rows.append(MarkdownRow(line: number, section: section, cells: Self.cells(of: text)))
            }
        }
        return rows
    }

    private static func cells(of line: Substring) -> [String] {
        let bar = "\u{0}"
        let parts = line.replacing("\\|", with: bar).split(separator: "|", omittingEmptySubsequences: false)
        return parts.dropFirst().dropLast().map { cell in
            String(cell.replacing(bar, with: "|").trimmingPrefix(while: \.isWhitespace))
        }
    }
}
