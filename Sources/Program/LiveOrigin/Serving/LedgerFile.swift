import Foundation
import HTTP

/// The current content of the ledger.
final class LedgerFile: OpenFile {
    private let file: FileHandle
    let byteCount: UInt64

    init?(path: String) {
        guard let file = FileHandle(forReadingAtPath: path), let length = try? file.seekToEnd() else {
            return nil
        }
        self.file = file
        byteCount = length
    }

    var descriptor: Int32 { file.fileDescriptor }

    func read(at offset: UInt64, upTo count: Int) throws -> [UInt8] {
        try file.seek(toOffset: offset)
        return Array(try file.read(upToCount: count) ?? Data())
    }

    static func response(path: String) -> HTTPResponse {
        guard let file = LedgerFile(path: path) else { return HTTPResponse(status: .notFound) }
        let slice = FileSlice(file: file, offset: 0, byteCount: file.byteCount)
        return HTTPResponse(
            status: .ok, headers: ["Content-Type": "application/jsonl", "Cache-Control": "no-store"],
            body: file.byteCount == 0 ? .empty : .file(slice))
    }
}
