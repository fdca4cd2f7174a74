package import HTTP
package import Timeline

/// The bytes of what was recorded: segments, initialization sections and keys, each under a name that is given once.
package protocol SegmentStore: Sendable {
    /// Begins an object whose name and length are not known yet.
    func makeDraft() async throws(StoreError) -> SegmentDraft

    /// Opens an object for sending; at once, so a server's thread may call it.
    func open(_ key: ArchiveKey) throws(StoreError) -> any OpenFile

    /// A small object as a whole: a key, an initialization section; at most `Limits.wholeObjectByteCount` bytes.
    func read(_ key: ArchiveKey) async throws(StoreError) -> [UInt8]

    /// A piece of an object, less than asked for at its end only.
    func read(_ key: ArchiveKey, at offset: Int64, upTo count: Int) async throws(StoreError) -> [UInt8]

    func contains(_ key: ArchiveKey) async throws(StoreError) -> Bool

    /// Deletes the segments of a rendition that lie in the hour of an instant, except those to keep.
    ///
    /// What begins at `before` or later stays: its fact may be on its way into the catalogue at this moment.
    func deleteHour(
        channel: ChannelID, rendition: RenditionID, hour: Instant, before: Instant, keeping: Set<SegmentName>,
    ) async throws(StoreError) -> Deleted

    /// Deletes everything of a channel.
    func deleteChannel(_ id: ChannelID) async throws(StoreError)

    /// Deletes one object; that it is not there is no error.
    func delete(_ key: ArchiveKey) async throws(StoreError)

    /// The room of the place that the objects lie in.
    func space() async throws(StoreError) -> DiskSpace
}

extension SegmentStore {
    /// Stores bytes at hand.
    @discardableResult
    package func put(_ bytes: [UInt8], as key: ArchiveKey) async throws(StoreError) -> CommittedObject {
        let draft = try await makeDraft()
        try await draft.append(bytes)
        return try await draft.commit(as: key)
    }
}
