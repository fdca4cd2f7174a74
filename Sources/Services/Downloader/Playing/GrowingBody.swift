import HTTP
import Synchronization

/// The bytes of a part from an offset on, as they come.
///
/// The last byte is returned only when the part is known to be whole. If the part starts again after some
/// bytes were returned, `next` throws, so that the reader sees an incomplete body.
package final class GrowingBody: HTTPBodySource {
    private struct Position {
        var offset: Int64
        /// The attempt whose bytes were given away; nil before the first.
        var attempt: Int?
    }

    private let folder: TaskFolder
    private let name: String
    private let reader: PartReader
    private let position: Mutex<Position>

    init(_ name: String, in folder: TaskFolder, _ reader: PartReader, from offset: Int64) {
        self.folder = folder
        self.name = name
        self.reader = reader
        position = Mutex(Position(offset: offset))
    }

    package func next(limit: Int) async throws -> [UInt8]? {
        let (offset, attempt) = position.withLock { ($0.offset, $0.attempt) }
        let status = await reader.progress.wait(within: Limits.playerWait) { status in
            status.readable > offset || attempt != nil && attempt != status.attempt
        }
        guard let status, status.end != .failed, attempt == nil || attempt == status.attempt else {
            throw DownloadError.part(name: name, reason: "the part does not come whole")
        }
        if status.end == .whole, offset >= status.written { return nil }
        let count = min(Int64(limit), status.readable - offset)
        let bytes = try await folder.readGrowing(name, at: offset, upTo: Int(count))
        guard !bytes.isEmpty, reader.progress.status.attempt == status.attempt else {
            throw DownloadError.part(name: name, reason: "the part was begun again")
        }
        position.withLock { $0 = Position(offset: offset + Int64(bytes.count), attempt: status.attempt) }
        return bytes
    }
}
