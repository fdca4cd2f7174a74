import Journal
import Timeline

/// Facts that wait in the journal only, and are read back in batches ordered by start.
///
/// There is a backlog when the memory limit for waiting facts is reached, or when an earlier process has left
/// facts.
///
/// The journal holds facts in the order in which their downloads ended. So some facts are held back after
/// they are read, until no fact with an earlier start can follow.
struct Backlog: Sendable {
    /// Everything up to here was read.
    private(set) var cursor: JournalPosition?
    /// The last line that was written while the backlog was there.
    private var last: JournalPosition?
    /// Listed, and neither stored nor lost.
    private var underWay: [SegmentIdentity: PendingSegment] = [:]
    /// Read and not given to the publisher yet, by start.
    private var returned: [SegmentFact] = []
    private(set) var isAtEnd = false

    init(underWay segments: [PendingSegment] = []) {
        list(segments)
    }

    /// No fact that is still to be read starts earlier.
    var begin: Instant { returned.first?.start ?? Instant(microseconds: .min) }

    /// Segments were listed: they are on their way behind what is in the journal.
    mutating func list(_ segments: [PendingSegment]) {
        for segment in segments { underWay[segment.identity] = segment }
    }

    /// Removes a segment that was stored or lost; false if it was not listed here.
    mutating func settle(_ identity: SegmentIdentity) -> Bool {
        underWay.removeValue(forKey: identity) != nil
    }

    /// A line was written that is to be read in its turn.
    mutating func noteWritten(at position: JournalPosition) {
        last = max(last ?? position, position)
    }

    func hasRead(_ position: JournalPosition) -> Bool {
        cursor.map { position <= $0 } ?? false
    }

    /// Takes facts that were read, up to a position; `isShort`: there were no more lines.
    mutating func take(_ facts: [SegmentFact], upTo position: JournalPosition?, isShort: Bool) {
        for fact in facts { underWay[fact.identity] = nil }
        returned += facts
        returned.sort { ($0.start, $0.identity.rendition) < ($1.start, $1.identity.rendition) }
        cursor = position ?? cursor
        isAtEnd = isShort && (last.map(hasRead) ?? true)
    }

    /// Takes better bytes of a segment that was read and not given to the publisher yet; false if it is not
    /// here.
    mutating func replace(_ fact: SegmentFact) -> Bool {
        guard let index = returned.firstIndex(where: { $0.identity == fact.identity }) else { return false }
        returned[index] = fact
        return true
    }

    /// What can go to the publisher now, each with the fact if it is stored; at the end everything.
    mutating func release() -> [(segment: PendingSegment, fact: SegmentFact?)] {
        let count = isAtEnd ? returned.count : max(0, returned.count - Limits.reorderedFacts)
        var released = returned.prefix(count).map { fact -> (segment: PendingSegment, fact: SegmentFact?) in
            (PendingSegment(fact.placed), fact)
        }
        returned.removeFirst(count)
        guard isAtEnd else { return released }
        released += underWay.values.map { ($0, nil) }
        underWay = [:]
        return released.sorted { $0.segment.start < $1.segment.start }
    }
}
