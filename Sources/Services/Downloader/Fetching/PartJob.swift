/// A part to fetch, with its key, its address and its progress.
struct PartJob: Sendable {
    /// The file in the folder of the task.
    var file: String
    var kind: PartIntakeKind
    var key: [UInt8]?
    var vector: [UInt8] = []
    var storesClear = false
    var byteLimit: Int
    /// The key for the next attempt, given those that did not open the part, the last one last; nil where
    /// there is no other.
    var otherKey: @Sendable ([[UInt8]]) async -> [UInt8]? = { _ in nil }
    /// Whether the folder may have the beginning of the part from an earlier attempt.
    var isBegun = false
    /// Gets the progress of the part; nil if no player reads it while it is fetched.
    var progress: PartProgress?
    /// Where the part is now: asked again for each attempt.
    var address: @Sendable () async -> PartAddress
    /// Whether a live source no longer lists the part.
    var isDropped: @Sendable () async -> Bool = { false }
    /// Reads the playlists again, unless they were read after the given reading.
    var renew: @Sendable (Int) async throws(DownloadError) -> Void

    /// Whether the draft has the bytes as they were received, so that a later process can continue it.
    var canContinue: Bool { key == nil || !storesClear }
}

/// What was stored of a part.
struct StoredBytes: Sendable {
    var byteCount: Int64
    /// The clear bytes of an initialization section.
    var section: [UInt8]
    /// Whether the bytes of the source were encrypted.
    var wasEncrypted: Bool
}
