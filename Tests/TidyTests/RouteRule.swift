/// The paths of the admin interface are in its document.
enum RouteRule {
    static let document = "docs/API.md"

    static func findings(in files: [TextFile]) -> [Finding] {
        let sources = files.filter {
            $0.path.hasPrefix("Sources/Delivery/AdminAPI/") && $0.name == "Route.swift"
        }
        let literals = Set(
            sources.flatMap { $0.text.matches(of: /case "(\/[a-z0-9\/._]*)"/).map { String($0.1) } })
        guard !literals.isEmpty else { return [Finding(path: document, reason: "the code has no path")] }
        let rows = files.first { $0.path == document }?.tableRows(headed: "path") ?? []
        let named = Set(rows.flatMap { $0.code(inCell: 0) })
        return literals.subtracting(named).sorted().map {
            Finding(path: document, reason: "does not have the path \($0)")
        }
    }
}
