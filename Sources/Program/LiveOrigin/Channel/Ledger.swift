import Foundation
import Synchronization

/// The append-only file of everything published, which tests compare recordings with.
final class Ledger: Sendable {
    let path: String
    private let file: Mutex<FileHandle>

    /// Opens or creates the file; entries of earlier runs stay.
    init(path: String) throws {
        self.path = path
        if !FileManager.default.fileExists(atPath: path) {
            guard FileManager.default.createFile(atPath: path, contents: nil) else {
                throw OriginError.cannotWrite(path: path)
            }
        }
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try handle.seekToEnd()
        file = Mutex(handle)
    }

    /// Passes a line to the kernel before it returns, so that it outlives the process.
    func append(_ entry: LedgerEntry) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let line = try encoder.encode(entry) + Data([0x0A])
        try file.withLock { try $0.write(contentsOf: line) }
    }
}
