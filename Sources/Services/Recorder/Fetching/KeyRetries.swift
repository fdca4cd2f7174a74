import Concurrency
import Timeline

/// The segments of a channel that wait for their keys, and which of them is tried now: one at a time, however
/// many keys are missing.
///
/// Decides only; it has no clock.
struct KeyRetries: Sendable {
    private var queue = KeyQueue()
    /// The source use whose connection fetches the keys, unless its source is in use again.
    private var uses: [SegmentIdentity: SourceUse] = [:]
    /// The segment that is being decrypted.
    private var opening: SegmentIdentity?
    private var pausedUntil: SteadyInstant?

    /// Takes a segment that the journal has.
    ///
    /// - Returns: the one that is given up when too many wait
    mutating func add(
        _ segment: KeyPendingSegment, _ use: SourceUse, now: SteadyInstant,
    ) -> KeyPendingSegment? {
        uses[segment.identity] = use
        return queue.add(segment, now: now).map { drop($0, isOpened: false, now: now) }
    }

    /// The segments that have waited for too long.
    mutating func expired(now: SteadyInstant) -> [KeyPendingSegment] {
        queue.takeExpired(now: now).map { drop($0, isOpened: false, now: now) }
    }

    /// The segment to open now, if it is time.
    mutating func start(now: SteadyInstant) -> (KeyPendingSegment, SourceUse)? {
        guard opening == nil, pausedUntil.map({ $0 <= now }) ?? true, let segment = queue.due(now: now),
            let use = uses[segment.identity]
        else { return nil }
        opening = segment.identity
        return (segment, use)
    }

    /// A segment was opened; it waits until the journal has it.
    mutating func opened(_ segment: KeyPendingSegment) {
        if opening == segment.identity { opening = nil }
        queue.hold(segment)
    }

    /// The journal has a segment that was opened: others with the same keys are due.
    mutating func settled(_ segment: KeyPendingSegment, now: SteadyInstant) {
        _ = drop(segment, isOpened: true, now: now)
    }

    /// The journal did not take a segment that was opened.
    mutating func notWritten(_ segment: KeyPendingSegment, now: SteadyInstant) {
        queue.failed(segment, now: now)
    }

    /// A segment could not be opened.
    ///
    /// - Returns: whether it is given up
    mutating func failed(
        _ segment: KeyPendingSegment, _ failure: FetchFailure, now: SteadyInstant,
    ) -> Bool {
        if opening == segment.identity { opening = nil }
        if failure.reason == .keyMissing { pausedUntil = now + Limits.keyRequestSpacing }
        guard failure.isTransient || failure.reason == .keyMissing else {
            _ = drop(segment, isOpened: false, now: now)
            return true
        }
        if failure.reason == .keyMissing && !failure.failsToDecrypt {
            queue.missedKey(of: segment, now: now)
        } else {
            queue.failed(segment, now: now)
        }
        return false
    }

    private mutating func drop(
        _ segment: KeyPendingSegment, isOpened: Bool, now: SteadyInstant,
    ) -> KeyPendingSegment {
        queue.remove(segment, isOpened: isOpened, now: now)
        uses[segment.identity] = nil
        return segment
    }

    /// Whether no segment waits for a key.
    var isEmpty: Bool { queue.isEmpty }

    /// When something is due next.
    var next: SteadyInstant? {
        guard opening == nil, !queue.isEmpty else { return queue.firstExpiry }
        return queue.next.map { max($0, pausedUntil ?? $0) }.orEarlier(queue.firstExpiry)
    }
}
