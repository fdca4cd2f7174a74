package import Foundation

/// One text for equal JSON values, whatever the order of their members.
package func sortedJSON(_ value: Any) throws -> String {
    let options: JSONSerialization.WritingOptions = [.sortedKeys, .fragmentsAllowed]
    let data = try JSONSerialization.data(withJSONObject: value, options: options)
    return String(decoding: data, as: UTF8.self)
}

/// A folder of `Tests/Fixtures`, found from this file, so that tests may run in any directory.
package struct Fixtures: Sendable {
    /// Rows and lines of earlier versions.
    package static let stored = Fixtures("stored")
    /// The playlists that answers must be equal to.
    package static let playlists = Fixtures("playlists")
    /// Playlists that show one clause of the standard each.
    package static let standard = Fixtures("standard")

    private let folder: URL

    private init(_ name: String) {
        folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Fixtures/\(name)", directoryHint: .isDirectory)
    }

    /// The path of a file or folder.
    package func path(_ name: String) -> String {
        folder.appending(path: name).path(percentEncoded: false)
    }

    package func data(_ name: String) throws -> Data {
        try Data(contentsOf: URL(filePath: path(name)))
    }

    package func text(_ name: String) throws -> String {
        String(decoding: try data(name), as: UTF8.self)
    }

    /// The files and folders directly in a folder, in order.
    package func names(in folder: String = "") throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path(folder)).sorted()
    }
}
