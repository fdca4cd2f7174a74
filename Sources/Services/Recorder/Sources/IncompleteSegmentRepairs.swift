import Concurrency
import Timeline

/// Incomplete segments that another source may have in full.
///
/// Decides only; it has no clock. It searches for a few segments at a time, and pauses after repeated
/// failures.
struct IncompleteSegmentRepairs: Sendable {
    struct Part: Sendable {
        var segment: ListedSegment
        var held: IncompleteSegment
    }

    private struct Entry: Sendable {
        var part: Part
        var since: SteadyInstant
    }

    private var entries: [SegmentIdentity: Entry] = [:]
    /// The newest of those that another source had whole.
    private var repaired: [SegmentIdentity] = []
    /// The newest segments for which no other source had more bytes; they are not searched for again.
    private var givenUp: [SegmentIdentity] = []
    /// Consecutive segments for which no other source had more bytes.
    private var unimprovedCount = 0
    private var lastSearch: SteadyInstant?

    subscript(_ identity: SegmentIdentity) -> Part? { entries[identity]?.part }

    /// No more of a segment comes from its source for now.
    ///
    /// - Returns: whether other sources are asked for it from now on
    mutating func beginSearch(_ part: Part, now: SteadyInstant) -> Bool {
        let identity = part.segment.identity
        expire(now: now)
        let isPaused =
            unimprovedCount >= Limits.incompleteInARow
            && lastSearch.map { now - $0 < Limits.repairTime } ?? false
        guard !isPaused, entries.count < Limits.incompleteInARow, entries[identity] == nil,
            !isRepaired(identity),
            !givenUp.contains(identity)
        else { return false }
        entries[identity] = Entry(part: part, since: now)
        lastSearch = now
        return true
    }

    /// Other sources do not list them any more.
    private mutating func expire(now: SteadyInstant) {
        for (identity, entry) in entries where now - entry.since > Limits.repairTime { giveUp(identity) }
    }

    /// No other source has more of a segment.
    mutating func giveUp(_ identity: SegmentIdentity) {
        guard entries.removeValue(forKey: identity) != nil else { return }
        unimprovedCount += 1
        Self.keep(identity, in: &givenUp)
    }

    /// Its source has brought all of a segment after all.
    mutating func drop(_ identity: SegmentIdentity) {
        entries[identity] = nil
    }

    /// Another source had all of a segment.
    mutating func repair(_ identity: SegmentIdentity) {
        guard entries.removeValue(forKey: identity) != nil else { return }
        unimprovedCount = 0
        Self.keep(identity, in: &repaired)
    }

    /// What another source had of a segment could not be written down.
    mutating func repairNotStored(_ identity: SegmentIdentity) {
        repaired.removeAll { $0 == identity }
    }

    private static func keep(_ identity: SegmentIdentity, in list: inout [SegmentIdentity]) {
        list.append(identity)
        if list.count > Limits.holes { list.removeFirst() }
    }

    /// Whether the bytes of a segment that are stored come from another source: its own has no better ones.
    func isRepaired(_ identity: SegmentIdentity) -> Bool { repaired.contains(identity) }
}
