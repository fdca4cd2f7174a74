import Concurrency
package import HLS
package import Timeline

/// A segment of a source's playlist with everything that was decided when it was first listed.
package struct ListedSegment: Sendable {
    package var placed: PlacedSegment
    /// The entry as the source wrote it.
    package var entry: MediaSegment
    /// When the playlist that first showed it was fetched.
    var arrival: Instant
    var flags: SegmentFlags
    /// Why time is missing before the segment; nil when none is.
    var hole: GapReason?
    /// The duration it was placed with, microseconds; 0 if an error of it does not move later segments.
    var expectedDuration: Int64 = 0
    /// The media sequence number in its playlist; also its initialization vector if EXT-X-KEY states none
    /// (RFC 8216bis §5.2).
    var listedNumber: UInt64
    /// Rises at each discontinuity, so that an initialization section is fetched again behind it.
    var discontinuityCount: Int
    /// Until when the source can be expected to hold the segment (RFC 8216bis §6.2.2), by the monotonic
    /// clock.
    var availableUntil: SteadyInstant

    /// The initialization vector that goes with a key of the segment.
    package func vector(of key: Key) -> UInt128 {
        key.effectiveInitializationVector(mediaSequenceNumber: listedNumber)
    }

    /// What is kept of the tags before it that are not the standard's: cue tags first, as far as the bound
    /// allows.
    var keptTags: [String] {
        guard !entry.unknownLines.isEmpty else { return [] }
        return (entry.cueTags + entry.otherTags).bounded
    }

    /// Whether some of these tags exceed the bound and are dropped.
    var hasSurplusTags: Bool {
        !entry.unknownLines.isEmpty && keptTags.count < entry.cueTags.count + entry.otherTags.count
    }

    var identity: SegmentIdentity { placed.identity }
    /// EXT-X-PROGRAM-DATE-TIME as the source said it.
    package var programDateTime: Instant? {
        entry.programDateTimeMicroseconds.map { Instant(microseconds: $0) }
    }
}

extension Collection<String> {
    /// The first of the tags before a segment, as many as are kept.
    var bounded: [String] {
        var byteCount = 0
        return Array(
            prefix {
                byteCount += $0.utf8.count + Limits.tagByteCount
                return byteCount <= Limits.keptTagByteCount
            })
    }
}
