import Digest
import SegmentStore

/// Reads one segment, decrypted if need be, from an offset on.
///
/// Used by one task.
final class SegmentReader {
    struct Cipher {
        var key: [UInt8]
        var iv: [UInt8]
    }

    /// The stored bytes: all of an encrypted segment; of a clear one only those after the skipped bytes.
    private let stream: ObjectStream
    /// Bytes of the decrypted segment.
    private let byteCount: UInt64
    private let cipher: Cipher?
    private var decryption: AES128CBC?
    /// Decrypted bytes that are still to be skipped.
    private var skipping: UInt64
    private var delivered: UInt64
    /// Decrypted bytes that are ready.
    private var ready: ArraySlice<UInt8> = []
    private var isFinished = false

    init(_ stream: ObjectStream, byteCount: UInt64, skipping: UInt64, cipher: Cipher?) {
        self.stream = stream
        self.byteCount = byteCount
        self.skipping = skipping
        self.cipher = cipher
        delivered = skipping
        if cipher == nil { self.skipping = 0 }
    }

    /// The next decrypted bytes; nil at the end of the segment.
    func next(limit: Int, isolation: isolated (any Actor)? = #isolation) async throws -> [UInt8]? {
        guard delivered < byteCount else { return nil }
        while ready.isEmpty { try await fill() }
        let count = min(limit, ready.count, Int(clamping: byteCount - delivered))
        let piece = Array(ready.prefix(count))
        ready = ready.dropFirst(count)
        delivered += UInt64(count)
        return piece
    }

    private func fill(isolation: isolated (any Actor)? = #isolation) async throws {
        guard !isFinished else { throw ExportError.endedEarly }
        let bytes = try await stream.next(limit: Limits.pieceByteCount) ?? []
        guard cipher != nil else {
            isFinished = bytes.isEmpty
            ready = bytes[...]
            return
        }
        var clear = try decrypted(bytes)[...]
        let dropped = min(UInt64(clear.count), skipping)
        clear = clear.dropFirst(Int(dropped))
        skipping -= dropped
        ready = clear
    }

    /// Decrypts a piece; no bytes end the segment and check its padding.
    private func decrypted(_ bytes: [UInt8]) throws -> [UInt8] {
        guard let cipher else { return bytes }
        if decryption == nil { decryption = try AES128CBC(.decrypt, key: cipher.key, iv: cipher.iv) }
        guard bytes.isEmpty else { return try decryption?.update(bytes) ?? [] }
        isFinished = true
        guard let ending = decryption.take() else { return [] }
        return try ending.finish()
    }
}
