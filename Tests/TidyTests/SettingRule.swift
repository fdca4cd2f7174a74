/// The settings that documents and samples name are the program's, and the sample has them all.
struct SettingRule {
    /// Set for building and for scripts; the program does not read them.
    static let ofScripts: Set<String> = ["BACKCAST_WARNINGS_AS_ERRORS", "BACKCAST_SUITES"]

    static let samplePath = "deploy/backcast.env.sample"
    static let documentFolders = ["deploy/", "docker/", "scripts/", "docs/"]

    /// Settings of the program: the literals in Setting….swift.
    var known: Set<String>

    init(sources: [TextFile]) {
        let home = "Sources/Program/Backcast/"
        let files = sources.filter { $0.path.hasPrefix(home) && $0.name.hasPrefix("Setting") }
        known = Set(files.flatMap { $0.text.matches(of: /"(BACKCAST_[A-Z0-9_]+)"/).map { String($0.1) } })
    }

    func findings(in files: [TextFile]) -> [Finding] {
        guard !known.isEmpty else {
            return [Finding(path: "Sources/Program/Backcast", reason: "no Setting….swift names a setting")]
        }
        return unknown(in: files) + missing(in: files)
    }

    private func unknown(in files: [TextFile]) -> [Finding] {
        files.filter(Self.isDocument).flatMap { file in
            file.settings.filter { !known.contains($0.name) && !Self.ofScripts.contains($0.name) }.map {
                Finding(path: file.path, line: $0.line, reason: "the program does not know \($0.name)")
            }
        }
    }

    private func missing(in files: [TextFile]) -> [Finding] {
        let sample = files.first { $0.path == Self.samplePath }
        let named = Set(sample?.settings.map(\.name) ?? [])
        return known.subtracting(named).sorted().map {
            Finding(path: Self.samplePath, reason: "does not have the program's \($0)")
        }
    }

    private static func isDocument(_ file: TextFile) -> Bool {
        file.path == "README.md" || documentFolders.contains { file.path.hasPrefix($0) }
    }
}

extension TextFile {
    /// Every setting that is named in full; `BACKCAST_…` in prose is none.
    fileprivate var settings: [(line: Int, name: String)] {
        lines.flatMap { number, text in
            text.matches(of: /\bBACKCAST_[A-Z0-9]+(?:_[A-Z0-9]+)*\b/).map { (number, String($0.0)) }
        }
    }
}
