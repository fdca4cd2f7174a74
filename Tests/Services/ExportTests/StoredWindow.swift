import Digest
import SegmentStore
import Timeline

/// Segments of one rendition in an archive in memory, and what they are once decrypted.
struct StoredWindow {
    static let channel = "cctv2"
    static let rendition = RenditionID(kind: .video, index: 0)

    let store = MemorySegmentStore()
    var segments: [RecordedSegment] = []
    var formats: [Int32: SegmentFormat] = [:]
    /// The transport stream that the segments make.
    var plain: [UInt8] = []

    /// Stores segments of four seconds and 671 bytes each, which is not a multiple of the cipher's block.
    ///
    /// With `keys` they are encrypted, each with the next key.
    init(count: Int, keys: [[UInt8]] = []) async throws {
        guard let id = ChannelID(Self.channel) else { return }
        for (index, key) in keys.enumerated() {
            try await store.put(key, as: .key(id, Self.name(of: index)))
        }
        for number in 0..<count {
            let bytes = (0..<671).map { UInt8(truncatingIfNeeded: $0 &* (number + 1)) }
            var stored = bytes
            var format = SegmentFormat(container: .transportStream, tracks: "video:h264,audio:aac")
            var iv: [UInt8]?
            if !keys.isEmpty {
                let vector = [UInt8](repeating: UInt8(number), count: 16)
                var cipher = try AES128CBC(.encrypt, key: keys[number % keys.count], iv: vector)
                stored = try cipher.update(bytes)
                stored += try cipher.finish()
                format.keyMethod = "AES-128"
                format.keyName = Self.name(of: number % keys.count)
                iv = vector
            }
            formats[Int32(number)] = format
            let segment = RecordedSegment(
                start: Instant(milliseconds: Int64(1_469_509_516_000 + number * 4000)), duration: 4_000_000,
                number: Int64(number), discontinuitySequence: 0, formatID: Int32(number),
                storedBytes: Int64(stored.count),
                plainBytes: Int64(bytes.count), iv: iv)
            try await store.put(stored, as: Self.key(of: segment, in: id))
            segments.append(segment)
            plain += bytes
        }
    }

    /// Deletes the bytes of a segment that the catalogue still has.
    func lose(_ index: Int) async throws {
        guard let id = ChannelID(Self.channel) else { return }
        try await store.delete(Self.key(of: segments[index], in: id))
    }

    private static func name(of key: Int) -> String {
        let digits = String(key)
        return String(repeating: "0", count: 32 - digits.count) + digits
    }

    private static func key(of segment: RecordedSegment, in channel: ChannelID) -> ArchiveKey {
        let name = SegmentName(
            start: segment.start, revision: segment.revision, fileExtension: .transportStream)
        return .segment(channel, rendition, name)
    }
}

extension SegmentRun {
    /// Segments in runs of two, as far as they reach.
    static func pairs(_ segments: [RecordedSegment]) throws -> [SegmentRun] {
        try stride(from: 0, to: segments.count, by: 2).map { index in
            let pair = segments[index..<min(index + 2, segments.count)]
            let identity = pair.map { "\($0.start) \($0.revision) \($0.plainBytes)" }.joined()
            return SegmentRun(
                segments: pair, plainBytes: pair.reduce(0) { $0 + UInt64($1.plainBytes) },
                formatIDs: pair.map(\.formatID), digest: try SHA256.digest(of: Array(identity.utf8)))
        }
    }
}
