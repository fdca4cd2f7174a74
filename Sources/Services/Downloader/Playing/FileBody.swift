import HTTP
import Synchronization

/// Bytes of a media file as they come.
///
/// Throws when the source turns out to have another version, so that the reader sees an incomplete body.
final class FileBody: HTTPBodySource {
    private let file: GrowingFile
    /// The version of which all bytes are.
    private let version: Int
    private let offset: Mutex<Int64>
    /// Nil: to the end of the file.
    private let end: Int64?

    init(_ file: GrowingFile, from offset: Int64, to end: Int64?) {
        self.file = file
        version = file.progress.status.version
        self.offset = Mutex(offset)
        self.end = end
    }

    func next(limit: Int) async throws -> [UInt8]? {
        let offset = offset.withLock(\.self)
        if let end, offset >= end { return nil }
        // A piece may become part of another one between the look at it and its reading.
        for _ in 0..<3 {
            guard let status = await file.progress.waitForByte(offset), status.version == version,
                status.end != .failed
            else { throw DownloadError.part(name: file.name, reason: "the file does not come") }
            guard let piece = status.pieces.piece(with: offset) else { return nil }
            let count = min(Int64(limit), min(piece.end, end ?? .max) - offset)
            let bytes = try await file.folder.readGrowing(
                FileFetcher.name(of: piece, in: file.name), at: offset - piece.offset, upTo: Int(count))
            guard !bytes.isEmpty, file.progress.status.version == version else { continue }
            self.offset.withLock { $0 = offset + Int64(bytes.count) }
            return bytes
        }
        throw DownloadError.part(name: file.name, reason: "the file has changed")
    }
}
