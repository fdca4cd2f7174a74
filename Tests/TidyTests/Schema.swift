/// The tables that the migrations leave behind, with their columns.
///
/// Reads the statements that the migrations use: CREATE, ALTER, DROP TABLE. Partitions are no tables of their
/// own.
struct Schema {
    private(set) var tables: [String: Set<String>] = [:]

    init(migrations: [TextFile]) {
        let sorted = migrations.filter { $0.path.hasPrefix("migrations/") && $0.path.hasSuffix(".sql") }
            .sorted { $0.path < $1.path }
        for file in sorted {
            for statement in Self.statements(of: file.text) { apply(statement) }
        }
    }

    /// Statements without comments, each on one line.
    private static func statements(of text: String) -> [String] {
        let lines = text.split(separator: "\n").map { $0.replacing(/--.*/, with: "") }
        return lines.joined(separator: " ").split(separator: ";").map { statement in
            statement.split(separator: " ").joined(separator: " ")
        }
    }

    private mutating func apply(_ statement: String) {
        if statement.contains(/^CREATE TABLE \w+ PARTITION OF/) { return }
        if let match = statement.firstMatch(of: /^CREATE TABLE (?:IF NOT EXISTS )?(\w+) \((.*)\)/) {
            tables[String(match.1)] = Self.columns(of: String(match.2))
        } else if let match = statement.firstMatch(of: /^DROP TABLE (?:IF EXISTS )?(\w+)/) {
            tables[String(match.1)] = nil
        } else if let match = statement.firstMatch(of: /^ALTER TABLE (?:ONLY )?(\w+) (.*)$/) {
            alter(String(match.1), String(match.2))
        }
    }

    private mutating func alter(_ table: String, _ change: String) {
        if let match = change.firstMatch(of: /^RENAME TO (\w+)/) {
            tables[String(match.1)] = tables.removeValue(forKey: table)
            return
        }
        if let match = change.firstMatch(of: /^RENAME (?:COLUMN )?(\w+) TO (\w+)/) {
            tables[table]?.remove(String(match.1))
            tables[table]?.insert(String(match.2))
            return
        }
        for match in change.matches(of: /ADD COLUMN (?:IF NOT EXISTS )?(\w+)/) {
            tables[table]?.insert(String(match.1))
        }
        for match in change.matches(of: /DROP COLUMN (?:IF EXISTS )?(\w+)/) {
            tables[table]?.remove(String(match.1))
        }
    }

    /// The first word of each definition that is not a constraint.
    private static func columns(of body: String) -> Set<String> {
        let constraints: Set<String> = ["PRIMARY", "UNIQUE", "CHECK", "FOREIGN", "CONSTRAINT", "EXCLUDE"]
        var depth = 0
        var parts = [""]
        for character in body {
            if character == "(" { depth += 1 }
            if character == ")" { depth -= 1 }
            if depth < 0 { break }
            if character == ",", depth == 0 {
                parts.append("")
            } else {
                parts[parts.count - 1].append(character)
            }
        }
        let names = parts.compactMap { $0.split(separator: " ").first.map(String.init) }
        return Set(names).subtracting(constraints)
    }
}
