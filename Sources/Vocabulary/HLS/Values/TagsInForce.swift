/// Tags that hold for all segments until another one of their name: EXT-X-KEY, EXT-X-MAP, EXT-X-BITRATE.
struct TagsInForce: Sendable, Equatable {
    var keys: [Key] = []
    var map: MediaMap?
    var kilobitsPerSecond: UInt64?
}

/// The tags in force of many segments, stored once.
final class SharedTags: Sendable, Equatable {
    let tags: TagsInForce

    /// Nil when no tag is in force.
    init?(_ tags: TagsInForce) {
        guard tags != TagsInForce() else { return nil }
        self.tags = tags
    }

    /// Bytes of memory without those of the texts.
    var byteCount: Int { 192 + tags.keys.count * MemoryLayout<Key>.stride }

    static func == (left: SharedTags, right: SharedTags) -> Bool {
        left === right || left.tags == right.tags
    }
}
