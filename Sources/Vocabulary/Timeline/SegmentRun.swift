/// Consecutive segments of a rendition with what a file of them needs to know, so that a day is a hundred
/// runs and not twenty thousand segments.
package struct SegmentRun: Sendable {
    package var segments: ArraySlice<RecordedSegment>
    /// Bytes of all segments, after decryption.
    package var plainBytes: UInt64
    /// The formats of the segments in order; a format may be there more than once.
    package var formatIDs: [Int32]
    /// Identifies start, revision and plain bytes of each segment, with the same value on every node.
    package var digest: [UInt8]

    package init(
        segments: ArraySlice<RecordedSegment>, plainBytes: UInt64, formatIDs: [Int32], digest: [UInt8],
    ) {
        self.segments = segments
        self.plainBytes = plainBytes
        self.formatIDs = formatIDs
        self.digest = digest
    }
}
