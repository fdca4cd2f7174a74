package import Timeline

/// The key frames of a quarter side by side: a day has tens of thousands, so none is an object of its own.
package struct QuarterKeyFrames: Sendable, Equatable {
    /// The key frames of one version of a segment's bytes.
    package struct Entry: Sendable, Equatable {
        package var start: Instant
        package var revision: Int16
        package var tableByteCount: Int
        /// Their positions among those of the quarter.
        package var frames: Range<Int>
    }

    /// Ordered by start.
    package private(set) var entries: [Entry] = []
    /// In the order of the entries.
    package private(set) var frames: [KeyFrame] = []

    /// Segments are ordered by start.
    package init(_ segments: [SegmentKeyFrames] = []) {
        for segment in segments {
            let first = frames.count
            frames += segment.keyFrames.frames
            entries.append(
                Entry(
                    start: segment.start, revision: segment.revision,
                    tableByteCount: segment.keyFrames.tableByteCount, frames: first..<frames.count))
        }
    }

    /// Reserves space for entries.
    init(capacity: Int) {
        entries.reserveCapacity(capacity)
        frames.reserveCapacity(2 * capacity)
    }

    /// Adds an entry as it is packed; false if its bytes are damaged, and all of it is of no use then.
    mutating func append(_ start: Instant, _ revision: Int16, packed bytes: ArraySlice<UInt8>) -> Bool {
        let first = frames.count
        guard let tables = KeyFrames.read(packed: bytes, to: &frames) else { return false }
        entries.append(
            Entry(
                start: start, revision: revision, tableByteCount: tables, frames: first..<frames.count))
        return true
    }

    /// The key frames of an entry.
    package func keyFrames(of entry: Entry) -> KeyFrames {
        KeyFrames(tableByteCount: entry.tableByteCount, frames: Array(frames[entry.frames]))
    }

    /// The entries as values of their own.
    package var segments: [SegmentKeyFrames] {
        entries.map {
            SegmentKeyFrames(start: $0.start, revision: $0.revision, keyFrames: keyFrames(of: $0))
        }
    }
}
