/// Consecutive segments of a rendition with what a file of them needs to know, so that a day is a hundred
/// runs and not twenty thousand segments.
package struct SegmentRun: Sendable {
    package var segments: ArraySlice<RecordedSegment>
    /// Bytes of all segments, after decryption.
    package var plainBytes: UInt64
    /// The bytes after the last whole packet of a transport stream, in segments that are not
    /// whole.
    package let partialPacketBytes: UInt64
    /// The formats of the segments in order; a format may be there more than once.
    package var formatIDs: [Int32]
    /// Identifies start, revision and plain bytes of each segment, with the same value on every node.
    package var digest: [UInt8]
    /// The segments, split into parts with continuous times.
    ///
    /// Computed with the run, so that a file does not have to look at each segment.
    package let parts: [Part]

    /// Consecutive segments with continuous timestamps.
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
        partialPacketBytes = segments.reduce(0) { $0 + $1.partialPacketBytes }
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
    /// The length of a packet (ISO 13818-1 §2.4.3.2).
    private static let packetBytes: UInt64 = 188

    /// Bytes of a segment that is not whole behind its last whole packet, if it is a transport stream.
    package var partialPacketBytes: UInt64 {
        flags.contains(.damaged) ? UInt64(max(0, plainBytes)) % Self.packetBytes : 0
    }

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
