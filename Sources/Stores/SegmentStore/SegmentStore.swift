package import Timeline

/// The bytes of what was recorded: segments, initialization sections and keys, each under a name that is
/// given once.
///
/// It has only operations that both a directory and an object store can do.
package protocol SegmentStore: Sendable {
    /// Begins an object whose name and length are not known yet.
    func makeDraft() async throws(StoreError) -> SegmentDraft

    /// The bytes of an object, or of a range of it, in bytes, that is cut off where the object ends.
    ///
    /// Throws `notFound` if there is no such object.
    func source(of key: ArchiveKey, range: Range<UInt64>?) async throws(StoreError) -> ObjectSource

    /// All bytes of an object without waiting, so that a server's thread may ask; nil where its bytes have to
    /// be waited for.
    func sourceWithoutBlocking(of key: ArchiveKey) throws(StoreError) -> ObjectSource?

    /// Whether there is such an object.
    func contains(_ key: ArchiveKey) async throws(StoreError) -> Bool

    /// The segments of an hour, in no particular order; none for an hour in which nothing was recorded.
    func segments(of hour: ArchiveHour) async throws(StoreError) -> [SegmentName]

    /// Deletes segments of an hour; a missing segment is not an error.
    ///
    /// A call without segments removes empty remains of an hour, such as folders.
    func delete(_ segments: [SegmentName], of hour: ArchiveHour) async throws(StoreError) -> Deleted

    /// Deletes one object; a missing object is not an error.
    func delete(_ key: ArchiveKey) async throws(StoreError)

    /// The space that the objects share; nil where there is no limit to it.
    func space() async throws(StoreError) -> StorageSpace?
}

/// One hour of a rendition: what is listed and deleted together.
package struct ArchiveHour: Hashable, Sendable {
    package var channel: ChannelID
    package var rendition: RenditionID
    /// An instant within the hour.
    package var instant: Instant

    package init(channel: ChannelID, rendition: RenditionID, instant: Instant) {
        self.channel = channel
        self.rendition = rendition
        self.instant = instant
    }
}

extension SegmentStore {
    /// Stores an object whose bytes are in memory.
    @discardableResult
    package func put(_ bytes: [UInt8], as key: ArchiveKey) async throws(StoreError) -> CommittedObject {
        let draft = try await makeDraft()
        try await draft.append(bytes)
        return try await draft.commit(as: key)
    }

    /// A small object as a whole: a key, an initialization section; at most `Limits.wholeObjectByteCount`
    /// bytes.
    package func read(_ key: ArchiveKey) async throws(StoreError) -> [UInt8] {
        let source = try await source(of: key, range: nil)
        guard source.byteCount <= UInt64(Limits.wholeObjectByteCount) else {
            throw .tooLarge(key, byteCount: Int64(clamping: source.byteCount))
        }
        let stream = source.stream()
        var bytes: [UInt8] = []
        while let piece = try await stream.next(limit: Limits.wholeObjectByteCount) { bytes += piece }
        return bytes
    }

    /// Deletes the segments of a rendition that lie in the hour of an instant, except those to keep.
    ///
    /// What begins at `before` or later stays: its fact may be on its way into the catalogue at this moment.
    package func deleteHour(
        channel: ChannelID, rendition: RenditionID, hour: Instant, before: Instant, keeping: Set<SegmentName>,
    ) async throws(StoreError) -> Deleted {
        let hour = ArchiveHour(channel: channel, rendition: rendition, instant: hour)
        let unwanted = try await segments(of: hour).filter {
            !keeping.contains($0) && Instant(milliseconds: $0.startMilliseconds) < before
        }
        return try await delete(unwanted, of: hour)
    }
}
