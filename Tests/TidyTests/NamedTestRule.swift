/// A link of a document to a file of tests names a test of that file.
enum NamedTestRule {
    static func findings(in files: [TextFile]) -> [Finding] {
        files.filter { $0.path.hasSuffix(".md") }.flatMap { document in
            document.lines.flatMap { number, line in
                line.matches(of: /\[([^\]]+)\]\(([^)\s]*Tests\/[^)\s]+\.swift)\)/).compactMap { match in
                    objection(String(match.1), String(match.2), document, files).map {
                        Finding(path: document.path, line: number, reason: $0)
                    }
                }
            }
        }
    }

    private static func objection(
        _ name: String, _ target: String, _ document: TextFile, _ files: [TextFile],
    ) -> String? {
        guard let path = LinkRule.resolve(target, from: document.path),
            let file = files.first(where: { $0.path == path })
        else { return "\(target) leads nowhere" }
        guard name != file.name, !file.text.contains("\"\(name)\"") else { return nil }
        return "\(file.name) has no test \"\(name)\""
    }
}
