package import Timeline

/// An object under way: it becomes visible whole, by `commit`, or not at all.
///
/// Writes and syncs run on the store's own threads. A draft that is dropped, or that failed once, leaves
/// nothing.
package struct SegmentDraft: ~Copyable, Sendable {
    /// Owned by this draft alone, so its resources are released with the draft.
    private let target: any DraftTarget

    init(_ target: any DraftTarget) {
        self.target = target
    }

    /// Where the writes run; nil for any thread.
    ///
    /// A task that prefers it does not change threads to write.
    package var executor: (any TaskExecutor)? { target.executor }

    /// Adds bytes; calls follow one another.
    package func append(_ bytes: [UInt8]) async throws(StoreError) {
        try await target.append(bytes)
    }

    /// Makes the bytes durable under a name that nothing else has.
    ///
    /// If the name already has the same bytes, this succeeds. If it has other bytes, a segment gets the next
    /// revision.
    package consuming func commit(as key: ArchiveKey) async throws(StoreError) -> CommittedObject {
        try await target.commit(as: key)
    }
}

/// What a store does for a draft of its own.
protocol DraftTarget: AnyObject, Sendable {
    /// Where the writes run; nil for any thread.
    nonisolated var executor: (any TaskExecutor)? { get }
    func append(_ bytes: [UInt8]) async throws(StoreError)
    func commit(as key: ArchiveKey) async throws(StoreError) -> CommittedObject
}
