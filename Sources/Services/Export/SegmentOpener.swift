import Digest
import SegmentStore
import Timeline

/// Opens the segments of one rendition, decrypted if need be; used by one task.
final class SegmentOpener {
    private let store: any SegmentStore
    private let channel: ChannelID
    private let rendition: RenditionID
    private let formats: [Int32: SegmentFormat]
    private var keys: [ArchiveKey: [UInt8]] = [:]

    init(
        _ store: any SegmentStore, _ channel: ChannelID, _ rendition: RenditionID,
        formats: [Int32: SegmentFormat],
    ) {
        (self.store, self.channel, self.rendition, self.formats) = (store, channel, rendition, formats)
    }

    /// Throws if a segment is encrypted by another method than AES-128, or without a recorded key.
    static func check(
        _ runs: [SegmentRun], _ formats: [Int32: SegmentFormat], _ rendition: RenditionID,
    ) throws(ExportError) {
        let used = Set(runs.flatMap(\.formatIDs)).compactMap { formats[$0] }
        let encrypted = used.filter(\.isEncrypted)
        guard !encrypted.isEmpty else { return }
        let isDecryptable =
            encrypted.allSatisfy { $0.keyMethod == "AES-128" && $0.keyName != nil }
            && runs.allSatisfy { run in
                run.segments.allSatisfy { $0.iv != nil || formats[$0.formatID]?.isEncrypted == false }
            }
        guard isDecryptable else { throw .notDecryptable(rendition) }
    }

    /// The first `byteCount` bytes of a segment, or all, without the first `skipping` ones.
    ///
    /// A clear segment is read from there on, an encrypted one from its beginning.
    func reader(
        of segment: RecordedSegment, skipping: UInt64 = 0, byteCount: UInt64? = nil,
        isolation: isolated (any Actor)? = #isolation,
    ) async throws -> SegmentReader {
        guard let format = formats[segment.formatID] else { throw ExportError.otherContainer(rendition) }
        let name = SegmentName(
            start: segment.start, revision: segment.revision, fileExtension: format.container)
        let range = format.isEncrypted || skipping == 0 ? nil : skipping..<UInt64.max
        let source = try await store.source(of: .segment(channel, rendition, name), range: range)
        var cipher: SegmentReader.Cipher?
        if format.isEncrypted, let name = format.keyName, let iv = segment.iv {
            cipher = SegmentReader.Cipher(key: try await key(.key(channel, name)), iv: iv)
        }
        return SegmentReader(
            source.stream(), byteCount: byteCount ?? segment.plainByteCount, skipping: skipping,
            cipher: cipher)
    }

    private func key(
        _ name: ArchiveKey, isolation: isolated (any Actor)? = #isolation,
    ) async throws -> [UInt8] {
        if let key = keys[name] { return key }
        let key = try await store.read(name)
        if keys.count >= Limits.keys { keys.removeAll() }
        keys[name] = key
        return key
    }
}

extension RecordedSegment {
    /// Bytes after decryption.
    var plainByteCount: UInt64 { UInt64(max(0, plainBytes)) }
}
