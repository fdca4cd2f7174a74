import Concurrency
import HTTP
import Synchronization

/// A body that is sent slowly or aborted.
final class SlowBody: HTTPBodySource {
    /// The connection is cut on purpose.
    struct Cut: Error {}

    private let bytes: [UInt8]
    private let bytesPerSecond: Int
    /// The number of bytes after which the body is aborted; nil sends it all.
    private let cut: Int?
    private let offset = Mutex(0)

    init(bytes: [UInt8], bytesPerSecond: Int = .max, cut: Int? = nil) {
        self.bytes = bytes
        self.bytesPerSecond = bytesPerSecond
        self.cut = cut
    }

    func next(limit: Int) async throws -> [UInt8]? {
        let isSlow = bytesPerSecond < .max
        if isSlow { try await WallClock.host.sleep(for: .milliseconds(1000 / Limits.slowPiecesPerSecond)) }
        let piece = isSlow ? max(1, bytesPerSecond / Limits.slowPiecesPerSecond) : limit
        let range = offset.withLock { offset in
            let end = min(bytes.count, cut ?? bytes.count, offset + min(piece, limit))
            defer { offset = end }
            return offset..<end
        }
        if range.isEmpty && range.lowerBound < bytes.count { throw Cut() }
        return range.isEmpty ? nil : Array(bytes[range])
    }
}
