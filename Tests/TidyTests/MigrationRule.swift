import Digest
import Encoding

/// Migrations are applied in the order of their numbers: 0001-name.sql and on, without a hole.
enum MigrationRule {
    /// The digests of the migrations that have landed, as `sha256sum` writes them.
    static let digestsPath = "Tests/Fixtures/migrations.sha256"

    /// What differs between the migrations and the list of their digests.
    ///
    /// A database notes the digest of each migration that it got: the service does not start on a database
    /// whose migration has changed.
    static func changes(of migrations: [TextFile], digests: String) throws -> [Finding] {
        var expected: [String: Substring] = [:]
        for line in digests.split(separator: "\n") {
            let fields = line.split(separator: " ", omittingEmptySubsequences: true)
            guard fields.count == 2 else {
                return [Finding(path: digestsPath, reason: "has a line that is not DIGEST PATH")]
            }
            expected[String(fields[1])] = fields[0]
        }
        var findings: [Finding] = []
        for migration in migrations {
            let digest = Hexadecimal.encode(try SHA256.digest(of: Array(migration.text.utf8)))
            switch expected.removeValue(forKey: migration.path) {
            case nil:
                findings.append(Finding(path: migration.path, reason: "is not listed in \(digestsPath)"))
            case let listed? where listed != digest:
                findings.append(Finding(path: migration.path, reason: "has changed after it landed"))
            default: break
            }
        }
        for path in expected.keys.sorted() {
            findings.append(Finding(path: path, reason: "is listed in \(digestsPath), but gone"))
        }
        return findings
    }

    static func findings(_ paths: [String]) -> [Finding] {
        var findings: [Finding] = []
        var expected = 1
        for path in paths.sorted() {
            let name = path.split(separator: "/").last.map(String.init) ?? path
            guard let match = name.wholeMatch(of: /(\d{4})-[a-z0-9]+(?:-[a-z0-9]+)*\.sql/),
                let number = Int(match.1)
            else {
                findings.append(Finding(path: path, reason: "is not named like 0001-what-it-does.sql"))
                continue
            }
            if number != expected {
                findings.append(Finding(path: path, reason: "has number \(number), expected \(expected)"))
            }
            expected = number + 1
        }
        return findings
    }
}
