import Foundation

/// The files that people write and read.
enum Repository {
    static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// What is made by programs, not by people.
    private static let foreignFolders: Set<String> = [".build", ".git", ".swiftpm", "var", "node_modules"]

    private static let textExtensions: Set<String> = [
        "swift", "h", "modulemap", "sql", "md", "sh", "py", "yaml", "yml", "json", "service", "sample",
        "conf", "html",
        "js", "css", "sha256",
    ]

    private static let textNames: Set<String> = [
        "Makefile", "Dockerfile", ".dockerignore", ".gitignore", "run",
    ]

    /// Every file of text, by path.
    static let files: [TextFile] = paths().sorted().compactMap { path in
        guard let text = try? String(contentsOf: root.appending(path: path), encoding: .utf8) else {
            return nil
        }
        return TextFile(path, text)
    }

    static var swiftFiles: [TextFile] { files.filter(\.isSwift) }

    /// Whether a file or folder stands at a path from the root.
    static func exists(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: root.appending(path: path).path)
    }

    static func file(_ path: String) -> TextFile? {
        files.first { $0.path == path }
    }

    private static func paths() -> [String] {
        guard let walk = FileManager.default.enumerator(atPath: root.path) else { return [] }
        var paths: [String] = []
        for case let path as String in walk {
            let name = (path as NSString).lastPathComponent
            if foreignFolders.contains(name) {
                walk.skipDescendants()
            } else if textNames.contains(name) || textExtensions.contains((name as NSString).pathExtension) {
                paths.append(path)
            }
        }
        return paths
    }
}
