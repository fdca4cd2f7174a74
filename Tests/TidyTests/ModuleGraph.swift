import Foundation

/// The table of modules as the package manager reads it from Package.swift.
struct ModuleGraph {
    struct Module {
        var name: String
        var path: String
        var isTest: Bool
        /// Modules of the package and products of others; a product has its module's name.
        var uses: Set<String>

        /// The folder above the module's own, which is its layer.
        var layer: String { path.split(separator: "/").dropLast().last.map(String.init) ?? "" }

        func holds(_ file: TextFile) -> Bool { file.path.hasPrefix(path + "/") }
    }

    struct Unreadable: Error, CustomStringConvertible {
        var description: String
    }

    var modules: [Module]

    /// Asks `swift package dump-package` in a scratch folder of its own: the package's is locked by the test
    /// run.
    static func ofPackage() async throws -> ModuleGraph {
        let scratch = FileManager.default.temporaryDirectory.appending(
            path: "backcast-tidy-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: scratch) }
        let output = scratch.appending(path: "package.json")
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [
            "swift", "package", "--package-path", Repository.root.path, "--scratch-path", scratch.path,
            "dump-package",
        ]
        try Data().write(to: output)
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardInput = FileHandle.nullDevice
        try await run(process)
        return try ModuleGraph(json: Data(contentsOf: output))
    }

    private static func run(_ process: Process) async throws {
        let status: Int32 = try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do {
                try process.run()
            } catch {
                process.terminationHandler = nil
                continuation.resume(throwing: error)
            }
        }
        guard status == 0 else { throw Unreadable(description: "dump-package ended with \(status)") }
    }

    init(modules: [Module]) {
        self.modules = modules
    }

    /// Reads what `dump-package` writes.
    init(json: Data) throws {
        let manifest = try JSONDecoder().decode(Manifest.self, from: json)
        modules = try manifest.targets.map { target in
            guard let path = target.path else {
                throw Unreadable(description: "\(target.name) has no path")
            }
            return Module(
                name: target.name, path: path, isTest: target.type == "test",
                uses: Set(target.dependencies.compactMap(\.name)))
        }
    }

    private struct Manifest: Decodable {
        struct Target: Decodable {
            var name: String
            var type: String
            var path: String?
            var dependencies: [Dependency]
        }

        /// `{"byName": [name, …]}` or `{"product": [name, …]}`.
        struct Dependency: Decodable {
            var name: String?

            init(from decoder: any Decoder) throws {
                let parts = try [String: [Part]](from: decoder)
                name = parts.values.first?.first?.text
            }
        }

        /// A member that is a name, or anything else.
        struct Part: Decodable {
            var text: String?

            init(from decoder: any Decoder) throws {
                text = try? decoder.singleValueContainer().decode(String.self)
            }
        }

        var targets: [Target]
    }
}
