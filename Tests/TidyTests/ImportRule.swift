/// A module imports what the table of Package.swift gives it, no less and no more.
struct ImportRule {
    /// Part of the toolchain or of the system: no row of the table.
    static let toolchain: Set<String> = [
        "Swift", "Foundation", "FoundationEssentials", "FoundationNetworking", "Glibc", "Dispatch",
        "Synchronization", "Testing",
    ]

    /// A use for Foundation that the Vocabulary layer has to do without.
    static let foundation: Set<String> = ["Foundation", "FoundationEssentials", "FoundationNetworking"]

    /// What Swift's module of the C library lacks.
    static let cLibrary = "CLinux"

    var graph: ModuleGraph

    /// Imports that the table does not declare.
    ///
    /// The compiler does not refuse these: it takes whatever another target has built.
    func undeclared(in files: [TextFile]) -> [Finding] {
        findings(in: files) { module, name in
            guard !Self.toolchain.contains(name), !module.uses.contains(name) else { return nil }
            return "\(module.name) imports \(name), which Package.swift does not give it"
        }
    }

    /// Values and pure rules do without Foundation.
    func foundation(in files: [TextFile]) -> [Finding] {
        findings(in: files) { module, name in
            guard module.layer == "Vocabulary", !module.isTest, Self.foundation.contains(name) else {
                return nil
            }
            return "\(module.name) is Vocabulary and does without \(name)"
        }
    }

    /// A library has one adapter, and only that imports it; what the C library has besides serves all.
    func libraries(in files: [TextFile]) -> [Finding] {
        let libraries = Set(graph.modules.filter { $0.layer == "Libraries" }.map(\.name))
        var owner: [String: String] = [:]
        return findings(in: files) { module, name in
            guard libraries.contains(name) else { return nil }
            if module.layer != "Adapters" { return "\(name) is imported outside the Adapters" }
            guard name != Self.cLibrary, let other = owner[name], other != module.name else {
                owner[name] = module.name
                return nil
            }
            return "\(name) is \(other)'s already: one library, one adapter"
        }
    }

    /// Rows that promise an edge that no source uses.
    func unused(in files: [TextFile]) -> [Finding] {
        graph.modules.filter { !$0.isTest && $0.layer != "Libraries" && $0.layer != "Support" }.flatMap {
            module in
            let imported = Set(files.filter(module.holds).flatMap(\.imports).map(\.name))
            return module.uses.subtracting(imported).sorted().map {
                Finding(path: "Package.swift", reason: "\(module.name) never imports \($0)")
            }
        }
    }

    private func findings(
        in files: [TextFile], _ objection: (ModuleGraph.Module, String) -> String?
    ) -> [Finding] {
        var findings: [Finding] = []
        for file in files where file.isSwift {
            guard let module = graph.modules.first(where: { $0.holds(file) }) else { continue }
            for (line, name) in file.imports {
                guard let reason = objection(module, name) else { continue }
                findings.append(Finding(path: file.path, line: line, reason: reason))
            }
        }
        return findings
    }
}

extension TextFile {
    /// The modules that a Swift file imports.
    var imports: [(line: Int, name: String)] {
        codeLines.compactMap { number, text in
            guard text.contains("import ") else { return nil }
            let pattern =
                /^\s*(?:@\w+(?:\(\w+\))?\s+)*(?:(?:package|public|internal|private|fileprivate)\s+)?import\s+(?:(?:struct|class|enum|protocol|func|var|let|typealias)\s+)?(\w+)/
            guard let match = text.firstMatch(of: pattern) else { return nil }
            return (number, String(match.1))
        }
    }
}
