import Digest
import SegmentStore
import Timeline

/// Reads what a decoder needs for one key frame.
struct KeyFrameReader {
    /// A block of AES.
    private static let blockByteCount = 16

    let store: any SegmentStore

    /// The initialization section or the tables, and the frame.
    func bytes(of wanted: WantedPicture) async throws(PictureError) -> [UInt8] {
        guard wanted.frame.byteCount <= Limits.keyFrameByteCount,
            wanted.tableByteCount <= Limits.tableByteCount
        else { throw .notHeld }
        var bytes: [UInt8] = []
        if let initialization = wanted.initialization {
            bytes = try await reading { () throws(StoreError) in try await store.read(initialization) }
        }
        return bytes
            + (wanted.format.keyMethod == nil ? try await clear(wanted) : try await decrypted(wanted))
    }

    private func clear(_ wanted: WantedPicture) async throws(PictureError) -> [UInt8] {
        guard wanted.format.drmTags.isEmpty else { throw .encrypted }
        let (frame, tables) = (wanted.frame, wanted.tableByteCount)
        let source = try await reading { () throws(StoreError) in
            try await store.source(of: wanted.segment, range: nil)
        }
        if tables == 0 { return try await read(source, frame.offset..<frame.end) }
        // Reading the bytes between the tables and a nearby frame costs less than a second read operation.
        if (0...Limits.pieceByteCount).contains(frame.offset - tables) {
            let bytes = try await read(source, 0..<frame.end)
            return Array(bytes[..<tables] + bytes[frame.offset...])
        }
        return try await read(source, 0..<tables) + (try await read(source, frame.offset..<frame.end))
    }

    /// The same of a segment that is encrypted as a whole.
    private func decrypted(_ wanted: WantedPicture) async throws(PictureError) -> [UInt8] {
        guard wanted.format.keyMethod == "AES-128", let name = wanted.key, let iv = wanted.iv else {
            throw .encrypted
        }
        let source = try await reading { () throws(StoreError) in
            try await store.source(of: wanted.segment, range: nil)
        }
        let key: [UInt8]
        do throws(StoreError) {
            key = try await store.read(name)
        } catch {
            if case .notFound = error { throw .encrypted }
            throw .store(error)
        }
        // A block of the cipher behind the frame: the last one is held back until the padding is known.
        let wantedEnd = (wanted.frame.end / Self.blockByteCount + 2) * Self.blockByteCount
        let end = min(Int(clamping: source.objectByteCount), wantedEnd)
        guard end <= Limits.segmentByteCount else { throw .notHeld }
        let stored = try await read(source, 0..<end)
        let plain: [UInt8]
        do {
            var cipher = try AES128CBC(.decrypt, key: key, iv: iv)
            var opened = try cipher.update(stored)
            if opened.count < wanted.frame.end { opened += try cipher.finish() }
            plain = opened
        } catch {
            throw .encrypted
        }
        guard plain.count >= wanted.frame.end, wanted.tableByteCount <= plain.count else { throw .notHeld }
        return Array(plain[..<wanted.tableByteCount]) + plain[wanted.frame.offset..<wanted.frame.end]
    }

    private func read(_ source: ObjectSource, _ range: Range<Int>) async throws(PictureError) -> [UInt8] {
        let part = source.with(range: UInt64(range.lowerBound)..<UInt64(range.upperBound))
        let stream = part.stream()
        var bytes: [UInt8] = []
        bytes.reserveCapacity(range.count)
        try await reading { () throws(StoreError) in
            while let piece = try await stream.next(limit: Limits.pieceByteCount) { bytes += piece }
        }
        guard bytes.count == range.count else { throw .notHeld }
        return bytes
    }

    private func reading<Value>(
        _ body: () async throws(StoreError) -> Value,
    ) async throws(PictureError) -> Value {
        do throws(StoreError) {
            return try await body()
        } catch {
            if case .notFound = error { throw .notHeld }
            throw .store(error)
        }
    }
}
