/// Migrations are applied in the order of their numbers: 0001-name.sql and on, without a hole.
enum MigrationRule {
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
