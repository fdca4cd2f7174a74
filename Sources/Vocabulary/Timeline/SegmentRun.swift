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
    /// The segments, split into parts with continuous times.
    ///
    /// Computed with the run, so that a file does not have to look at each segment.
    package let parts: [Part]

    /// Segments whose times go on from each other.
    package struct Part: Sendable, Equatable {
        /// Positions in `segments`.
        package var positions: Range<Int>
        /// How long their media play, microseconds.
        package var duration: Int64
    }

    package init(
        segments: ArraySlice<RecordedSegment>, plainBytes: UInt64, formatIDs: [Int32], digest: [UInt8],
    ) {
        self.segments = segments
        self.plainBytes = plainBytes
        self.formatIDs = formatIDs
        self.digest = digest
        var parts: [Part] = []
        for position in segments.indices {
            let duration = segments[position].mediaDuration
            if let last = parts.indices.last, !segments[position].jumps(from: segments[position - 1]) {
                parts[last].positions = parts[last].positions.lowerBound..<(position + 1)
                parts[last].duration += duration
            } else {
                parts.append(Part(positions: position..<(position + 1), duration: duration))
            }
        }
        self.parts = parts
    }
}

extension RecordedSegment {
    /// A longer pause between two segments is a hole, microseconds; as in playlists.
    private static let holeMicroseconds: Int64 = 250_000

    /// Whether media is missing before it, or its times do not go on.
    package func jumps(from before: RecordedSegment) -> Bool {
        start - before.end > Self.holeMicroseconds
            || discontinuitySequence != before.discontinuitySequence
            || flags.contains(.spliced) != before.flags.contains(.spliced)
            || flags.contains(.discontinuity)
    }
}
