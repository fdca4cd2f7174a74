package import Foundation

/// A new folder that goes with all it holds when the last reference goes.
package final class TemporaryFolder: Sendable {
    package let path: String

    /// Makes a folder under `/tmp`: its path is short enough for a socket.
    package init(_ name: String = "test") throws {
        var template = Array("/tmp/backcast-\(name)-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw TestFailure("no temporary folder: error \(errno)") }
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    package var url: URL { URL(filePath: path, directoryHint: .isDirectory) }

    /// The path of something in the folder.
    package func path(of name: String) -> String { path + "/" + name }

    /// Writes a file into the folder and answers its path.
    @discardableResult
    package func write(_ text: String, to name: String) throws -> String {
        let file = url.appending(path: name)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
        return file.path
    }

    /// Writes a program that can be run at once, and returns its path.
    ///
    /// Another process makes the file. A child that another test starts may have a copy of each descriptor
    /// that this process writes to, and a file that is open for writing cannot be run (ETXTBSY).
    package func writeProgram(_ text: String, to name: String) async throws -> String {
        let draft = try write(text, to: name + ".draft")
        try await Command.run("/usr/bin/install", ["-m", "755", draft, path(of: name)])
        return path(of: name)
    }
}
