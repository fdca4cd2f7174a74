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
    /// What its place was decided with, microseconds; 0 when that says nothing of what follows.
    var expectedDuration: Int64 = 0
    /// By how much its number is above the one that its playlist gives it, which is its initialization vector
    /// where no other is said (RFC 8216bis §5.2).
    var numberShift: Int64 = 0
    /// Rises at each discontinuity, so that an initialization section is fetched again behind it.
    var discontinuityCount: Int
    /// Until when the source can be expected to hold the segment (RFC 8216bis §6.2.2), by the monotonic
    /// clock.
    var availableUntil: ContinuousClock.Instant

    /// The initialization vector that goes with a key of the segment.
    package func vector(of key: Key) -> UInt128 {
        key.effectiveInitializationVector(
            mediaSequenceNumber: UInt64(clamping: identity.number - numberShift))
    }

    /// The source's cue tags before it, as far as the bounds allow.
    var cueTags: [String] {
        var byteCount = 0
        return entry.cueTags.prefix(Limits.cueTags).filter {
            byteCount += $0.utf8.count
            return byteCount <= Limits.cueByteCount
        }
    }

    var identity: SegmentIdentity { placed.identity }
    /// EXT-X-PROGRAM-DATE-TIME as the source said it.
    package var programDateTime: Instant? {
        entry.programDateTimeMicroseconds.map { Instant(microseconds: $0) }
    }
}
