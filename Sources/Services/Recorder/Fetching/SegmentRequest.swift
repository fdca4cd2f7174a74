import HLS
import HTTP
import Timeline

/// One try to fetch a listed segment.
struct SegmentRequest: Sendable {
    var segment: ListedSegment
    /// What relative URLs of its playlist are resolved against.
    var base: HTTPURL
    var use: SourceUse
    /// From 1.
    var attempt = 1
    /// The source cannot be expected to hold the segment any longer: what comes is taken as it is.
    var isLast = false
    /// Bytes that the segment had when it was last read and was not whole; one that is still being written
    /// grows.
    var damagedByteCount: Int64?

    /// How long the next try waits after this one failed.
    var pause: Duration { .milliseconds(min(200 << min(attempt - 1, 4), 3000)) }

    /// Whether a segment that is not whole is stored all the same.
    func acceptsDamage(byteCount: Int64) -> Bool {
        isLast || byteCount == damagedByteCount && attempt >= Limits.triesForWhole
    }
}

/// A segment whose bytes tell a stale playlist from a restart of the source.
struct ProbeRequest: Sendable {
    var segment: ListedSegment
    var base: HTTPURL
    var use: SourceUse
    /// From 1.
    var attempt = 1
}
