package import Foundation

/// One text for equal JSON values, whatever the order of their members.
package func sortedJSON(_ value: Any) throws -> String {
    let options: JSONSerialization.WritingOptions = [.sortedKeys, .fragmentsAllowed]
    let data = try JSONSerialization.data(withJSONObject: value, options: options)
    return String(decoding: data, as: UTF8.self)
}

/// The rows and lines of earlier versions under `Tests/Fixtures/stored`.
package enum StoredFixtures {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Fixtures/stored", directoryHint: .isDirectory)

    /// The path of a file or folder.
    package static func path(_ name: String) -> String {
        folder.appending(path: name).path(percentEncoded: false)
    }

    package static func data(_ name: String) throws -> Data {
        try Data(contentsOf: URL(filePath: path(name)))
    }

    /// The files and folders directly in a folder, in order.
    package static func names(in folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path(folder)).sorted()
    }
}
