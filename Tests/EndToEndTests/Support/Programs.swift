import Foundation
import TestSupport

/// Where the programs and what they need are.
enum Programs {
    /// The folder of the package.
    static let root: String = {
        var path = URL(filePath: #filePath)
        for _ in 0..<4 { path.deleteLastPathComponent() }
        return path.path.hasSuffix("/") ? String(path.path.dropLast()) : path.path
    }()

    /// What the origins encoded, shared so that equal parameters are encoded once; it goes at the exit.
    static let minutes: Result<TemporaryFolder, any Error> = {
        atexit { Programs.removeMinutes() }
        return Result { try TemporaryFolder("minutes") }
    }()

    private static func removeMinutes() {
        guard let folder = try? minutes.get() else { return }
        try? FileManager.default.removeItem(at: folder.url)
    }

    /// A program of this package: in the folder that the setting names, else beside the bundle of the tests.
    static func path(_ name: String) -> String {
        if let folder = ProcessInfo.processInfo.environment["FAULT_PROGRAMS"] { return "\(folder)/\(name)" }
        let arguments = CommandLine.arguments.first { $0.hasSuffix(".xctest") }
        let beside = arguments.map {
            URL(filePath: $0).deletingLastPathComponent().path(percentEncoded: false)
        }
        let folder = beside ?? root + "/.build/debug/"
        return folder.hasSuffix("/") ? folder + name : folder + "/" + name
    }
}
