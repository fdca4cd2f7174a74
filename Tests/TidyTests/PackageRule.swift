/// A `package` declaration is there for other modules: a function, a static member or a computed property
/// that none of them names is internal.
///
/// Found by text alone, so that a name that two modules share passes. Types and stored properties are left
/// out: they are seen through the signatures and the values that have them. So is what answers a protocol.
struct PackageRule {
    /// Requirements of protocols that are not of this package; the compiler asks for `package` there.
    static let foreignRequirements: Set<String> = [
        "appendLiteral", "appendInterpolation", "destroyCounter", "destroyFloatingPointCounter",
        "destroyMeter",
        "destroyRecorder", "destroyTimer", "makeFloatingPointCounter", "makeMeter", "makeRecorder",
    ]

    func findings(in files: [TextFile]) -> [Finding] {
        let swift = files.filter { $0.isSwift && $0.path != "Package.swift" }
        var users: [String: Set<String>] = [:]
        for file in swift {
            for word in file.words { users[word, default: []].insert(Self.module(of: file)) }
        }
        let sources = swift.filter { $0.path.hasPrefix("Sources/") && $0.text.contains("package ") }
        let requirements = Set(sources.flatMap(\.requirements))
        return sources.flatMap { unused(in: $0, users, requirements) }
    }

    private func unused(
        in file: TextFile, _ users: [String: Set<String>], _ requirements: Set<String>,
    ) -> [Finding] {
        let own: Set<String> = [Self.module(of: file), Self.module(of: file) + "Tests"]
        return file.packageMembers.compactMap { line, name -> Finding? in
            guard !Self.foreignRequirements.contains(name), !requirements.contains(name),
                users[name]?.isSubset(of: own) ?? true
            else {
                return nil
            }
            return Finding(path: file.path, line: line, reason: "no other module uses \(name): not package")
        }
    }

    /// The folder of a module, or of a suite or helper of tests.
    private static func module(of file: TextFile) -> String {
        let parts = file.path.split(separator: "/")
        let isShallow = parts.first == "Tests" && parts.count > 1 && parts[1].hasSuffix("Tests")
        return parts.dropFirst(isShallow ? 1 : 2).first.map(String.init) ?? ""
    }
}

extension TextFile {
    /// Every word that could be a name, those of comments and literals too.
    fileprivate var words: Set<String> {
        let parts = text.utf8.split { byte in
            !((0x61...0x7A).contains(byte | 0x20) || (0x30...0x39).contains(byte) || byte == 0x5F)
        }
        return Set(parts.map { String(Substring($0)) })
    }

    /// Functions, static members and computed properties that are declared as `package`.
    fileprivate var packageMembers: [(line: Int, name: String)] {
        codeLines.compactMap { number, text in
            guard text.contains("package "), let match = text.firstMatch(of: Self.packageMember) else {
                return nil
            }
            let isStored = !match.2.contains("static") && match.3 != "func" && !text.contains("{")
            return isStored ? nil : (number, String(match.4))
        }
    }

    /// What the protocols of a file require: their members are as open as the protocol itself.
    fileprivate var requirements: [String] {
        var isWithin = false
        return codeLines.flatMap { _, text -> [String] in
            if text.contains(/\bprotocol \w+/) { isWithin = true }
            defer { if text.hasPrefix("}") { isWithin = false } }
            return isWithin ? text.matches(of: /\b(?:func|var) (\w+)/).map { String($0.1) } : []
        }
    }

    private static var packageMember: Regex<(Substring, Substring, Substring, Substring, Substring)> {
        /\b(package) ((?:(?:static|mutating|consuming|nonisolated|convenience|override) )*)(func|var|let) `?([A-Za-z_]\w*)/
    }
}
