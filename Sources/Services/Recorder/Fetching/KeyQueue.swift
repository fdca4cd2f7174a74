import Concurrency
import HTTP
import Timeline

/// The segments that wait for keys, and when each key is requested again.
///
/// Decides only; it has no clock and does no I/O.
struct KeyQueue: Sendable {
    private struct Entry {
        var segment: KeyPendingSegment
        /// The URLs of its keys, without tokens.
        var keyLocations: [String]
        /// The URLs of the keys that last opened another segment with the same key locations.
        var hint: [String] = []
        var since: SteadyInstant
        var tries: Int
        var next: SteadyInstant
        /// Whether it was decrypted and is being written to the journal.
        var isHeld = false
    }

    /// In the order in which they came.
    private var entries: [Entry] = []

    /// Adds a segment whose key was just requested without success.
    ///
    /// - Returns: the segment that is removed when too many wait
    mutating func add(_ segment: KeyPendingSegment, now: SteadyInstant) -> KeyPendingSegment? {
        let sameKeys = entries.last { $0.segment.keyURLs == segment.keyURLs }
        entries.append(
            Entry(
                segment: segment, keyLocations: Self.keyLocations(of: segment), since: now,
                tries: sameKeys?.tries ?? 0,
                next: sameKeys?.next ?? now + Limits.keyPause))
        return entries.count > Limits.segmentsWithoutKey ? entries.removeFirst().segment : nil
    }

    /// The segment to try now: the one that has been due for the longest time, then the oldest.
    func due(now: SteadyInstant) -> KeyPendingSegment? {
        entries.filter { $0.next <= now && !$0.isHeld }.min { $0.next < $1.next }?.segment
    }

    var isEmpty: Bool { entries.isEmpty }

    /// When something is to be done next; nil when nothing waits.
    var next: SteadyInstant? { entries.lazy.filter { !$0.isHeld }.map(\.next).min() }

    /// When the segment that came first has waited for too long; nil when nothing waits.
    var firstExpiry: SteadyInstant? { entries.first.map { $0.since + Limits.keyWait } }

    /// A segment was opened; it is not tried again unless it fails after all.
    mutating func hold(_ segment: KeyPendingSegment) {
        guard let index = entries.firstIndex(where: { $0.segment.identity == segment.identity }) else {
            return
        }
        entries[index].isHeld = true
    }

    /// A key is missing: all segments that need the same keys wait.
    mutating func missedKey(of segment: KeyPendingSegment, now: SteadyInstant) {
        postpone(where: { $0.keyURLs == segment.keyURLs }, now: now)
    }

    /// Postpones a segment that could not be opened although its keys are available.
    mutating func failed(_ segment: KeyPendingSegment, now: SteadyInstant) {
        postpone(where: { $0.identity == segment.identity }, now: now)
    }

    /// Removes a segment from the queue.
    ///
    /// If it was opened, other segments with the same key URLs become due. Segments whose key URLs differ in
    /// tokens alone may need another key, so they become due only once for these URLs.
    mutating func remove(_ segment: KeyPendingSegment, isOpened: Bool, now: SteadyInstant) {
        entries.removeAll { $0.segment.identity == segment.identity }
        guard isOpened else { return }
        let (urls, keyLocations) = (segment.keyURLs, Self.keyLocations(of: segment))
        for index in entries.indices where entries[index].keyLocations == keyLocations {
            guard entries[index].segment.keyURLs == urls || entries[index].hint != urls else { continue }
            entries[index].hint = urls
            entries[index].next = min(entries[index].next, now)
        }
    }

    private static func keyLocations(of segment: KeyPendingSegment) -> [String] {
        segment.keyURLs.map { url in (try? HTTPURL(url))?.identity ?? url }
    }

    /// Takes out what has waited for too long.
    mutating func takeExpired(now: SteadyInstant) -> [KeyPendingSegment] {
        let expired = entries.prefix { now - $0.since >= Limits.keyWait }
        entries.removeFirst(expired.count)
        return expired.map(\.segment)
    }

    private mutating func postpone(where isIncluded: (KeyPendingSegment) -> Bool, now: SteadyInstant) {
        let indices = entries.indices.filter { isIncluded(entries[$0].segment) }
        let tries = (indices.map { entries[$0].tries }.max() ?? 0) + 1
        let pause = min(Limits.keyPause * (1 << min(tries, 10)), Limits.longestKeyPause)
        for index in indices {
            entries[index].tries = tries
            entries[index].isHeld = false
            entries[index].next = now + pause
        }
    }
}
