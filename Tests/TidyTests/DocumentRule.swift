/// A table of a document has one row for each name that the code has, and no other.
struct DocumentRule {
    /// The document.
    var path: String
    /// The first cell of the table's head.
    var head: String
    /// What the code has.
    var known: Set<String>

    func findings(in files: [TextFile]) -> [Finding] {
        guard let file = files.first(where: { $0.path == path }) else {
            return [Finding(path: path, reason: "is not there")]
        }
        guard !known.isEmpty else { return [Finding(path: path, reason: "the code has no \(head)")] }
        var missing = known
        var findings: [Finding] = []
        for row in file.tableRows(headed: head) {
            guard let name = row.code(inCell: 0).first else {
                findings.append(
                    Finding(path: path, line: row.line, reason: "a row without a name in backticks"))
                continue
            }
            if missing.remove(name) == nil {
                let reason = known.contains(name) ? "is there twice" : "is not in the code"
                findings.append(Finding(path: path, line: row.line, reason: "\(head) \(name) \(reason)"))
            }
        }
        return findings
            + missing.sorted().map { Finding(path: path, reason: "does not have the \(head) \($0)") }
    }
}

extension DocumentRule {
    /// Parameters of the viewer interface: the set that the parameter reader knows.
    static func parameters(in files: [TextFile]) -> DocumentRule {
        let reader = files.filter { $0.name == "ParameterReader.swift" && $0.path.hasPrefix("Sources/") }
        let lists = reader.flatMap { $0.text.matches(of: /known: Set<String> = \[([^\]]*)\]/).map(\.1) }
        let names = lists.flatMap { $0.matches(of: /"(\w+)"/).map { String($0.1) } }
        return DocumentRule(path: "docs/API.md", head: "parameter", known: Set(names))
    }

    static func settings(_ known: Set<String>) -> DocumentRule {
        DocumentRule(
            path: "docs/OPERATIONS.md", head: "variable",
            known: known.filter { $0.hasPrefix("BACKCAST_") && $0 != "BACKCAST_" && $0 != "BACKCAST_CONFIG" })
    }

    static func metrics(_ known: Set<String>) -> DocumentRule {
        DocumentRule(path: "docs/OPERATIONS.md", head: "metric", known: known)
    }

    static func tables(_ schema: Schema) -> DocumentRule {
        DocumentRule(path: "docs/DATA-MODEL.md", head: "table", known: Set(schema.tables.keys))
    }

    static func modules(_ graph: ModuleGraph) -> DocumentRule {
        DocumentRule(
            path: "docs/ARCHITECTURE.md", head: "module", known: Set(graph.documented.map(\.name)))
    }
}
