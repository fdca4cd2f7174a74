/// Links of the Markdown documents lead to files and headings that are there.
struct LinkRule {
    /// Whether a path from the root exists.
    var exists: (String) -> Bool
    /// The text of a document, by path from the root.
    var document: (String) -> TextFile?

    func findings(in files: [TextFile]) -> [Finding] {
        files.filter { $0.path.hasSuffix(".md") }.flatMap { file in
            file.links.compactMap { line, target in
                objection(to: target, from: file).map { Finding(path: file.path, line: line, reason: $0) }
            }
        }
    }

    private func objection(to target: String, from file: TextFile) -> String? {
        if target.contains(/^[a-z][a-z0-9+.-]*:/) { return nil }
        let parts = target.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        let relative = String(parts.first ?? "")
        guard let path = relative.isEmpty ? file.path : Self.resolve(relative, from: file.path) else {
            return "\(target) leads out of the repository"
        }
        guard exists(path) else { return "\(target) leads nowhere" }
        guard parts.count == 2, let linked = relative.isEmpty ? file : document(path) else { return nil }
        return linked.anchors.contains(String(parts[1])) ? nil : "\(target): no such heading"
    }

    static func resolve(_ relative: String, from path: String) -> String? {
        var parts = path.split(separator: "/").dropLast().map(String.init)
        for part in relative.split(separator: "/") where part != "." {
            if part != ".." {
                parts.append(String(part))
            } else if parts.popLast() == nil {
                return nil
            }
        }
        return parts.joined(separator: "/")
    }
}

extension TextFile {
    /// Targets of inline links and images, outside code.
    fileprivate var links: [(line: Int, target: String)] {
        proseLines.flatMap { number, text in
            text.replacing(/`[^`]*`/, with: "").matches(of: /\]\(<?([^)\s>]+)>?(?:\s+"[^"]*")?\)/).map {
                (number, String($0.1))
            }
        }
    }

    /// The anchors that a Markdown viewer makes of the headings.
    fileprivate var anchors: Set<String> {
        Set(
            proseLines.compactMap { _, text in
                guard let match = text.firstMatch(of: /^#{1,6}\s+(.*)$/) else { return nil }
                let kept = match.1.lowercased().filter { $0.isLetter || $0.isNumber || " -_".contains($0) }
                return kept.replacing(" ", with: "-")
            })
    }

    /// The lines outside fenced code.
    private var proseLines: [(number: Int, text: Substring)] {
        var isFenced = false
        return lines.filter { _, text in
            guard text.drop(while: { $0 == " " }).starts(with: "```") else { return !isFenced }
            isFenced.toggle()
            return false
        }
    }
}
