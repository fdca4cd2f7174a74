/// Layer and uses of a module are those of Package.swift.
enum ModuleTableRule {
    static func findings(in files: [TextFile], graph: ModuleGraph) -> [Finding] {
        let rule = DocumentRule.modules(graph)
        let rows = files.first { $0.path == rule.path }?.tableRows(headed: rule.head) ?? []
        let names = Set(graph.documented.map(\.name))
        return rows.compactMap { row in
            let name = row.code(inCell: 0).first
            guard let module = graph.documented.first(where: { $0.name == name }) else { return nil }
            let uses = module.uses.intersection(names)
            guard row.cells.count < 3 || row.cells[1] != module.layer || Set(row.code(inCell: 2)) != uses
            else {
                return nil
            }
            let list = uses.sorted().map { "`\($0)`" }.joined(separator: ", ")
            return Finding(
                path: rule.path, line: row.line,
                reason: "\(module.name) is in \(module.layer) and uses \(list.isEmpty ? "nothing" : list)")
        }
    }
}

extension ModuleGraph {
    /// The modules of the product: neither tests nor their support.
    var documented: [Module] { modules.filter { !$0.isTest && $0.layer != "Support" } }
}
