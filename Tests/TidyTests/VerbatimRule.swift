/// Text goes into SQL only as a static member: nothing that a program puts together can be taken for SQL.
struct VerbatimRule {
    /// The type that makes a statement of a literal.
    static let home = "Sources/Adapters/Postgres/Statement.swift"

    func findings(in files: [TextFile]) -> [Finding] {
        let sources = files.filter { $0.isSwift && $0.path.hasPrefix("Sources/") }
        let members = Set(
            sources.flatMap { $0.text.matches(of: /\bstatic let (\w+)/).map { String($0.1) } })
        return sources.filter { $0.path != Self.home && $0.text.contains("verbatim:") }.flatMap { file in
            file.lines.filter { !$0.text.isComment }.flatMap { number, text in
                text.matches(of: /verbatim:\s*([^)]*)/).compactMap { match in
                    isStatic(match.1, members)
                        ? nil
                        : Finding(
                            path: file.path, line: number,
                            reason: "verbatim: takes a static member, not \(match.1)")
                }
            }
        }
    }

    /// `Self.name` or `Type.name`, which is declared with `static let`.
    private func isStatic(_ argument: Substring, _ members: Set<String>) -> Bool {
        guard let match = argument.wholeMatch(of: /(?:[A-Z]\w*\.)+([a-z]\w*)/) else { return false }
        return members.contains(String(match.1))
    }
}

extension Substring {
    /// Whether nothing but a comment stands in the line; literals, in which SQL stands, are no comments.
    fileprivate var isComment: Bool { drop { $0 == " " }.hasPrefix("//") }
}
