import Concurrency
import Journal
import Timeline

/// Entries that wait for the journal: one append runs at a time, and entries added during it share the next
/// one.
///
/// So the journal has the entries in the order in which they were decided: a source run and a rendition
/// before their first segment.
struct JournalQueue: Sendable {
    /// An entry, and what is done once it is durable.
    struct Write: Sendable {
        enum Purpose: Sendable {
            case segment(SegmentRequest)
            case keyPending(SegmentRequest)
            case keyOpened(KeyPendingSegment)
            /// Runs, renditions, losses and markers.
            case other
        }

        var entry: JournalEntry
        var purpose: Purpose
        /// Until when a failed write is repeated; nil gives up at once.
        var retryUntil: SteadyInstant?
    }

    private var waiting: [Write] = []
    private var inFlight: [Write] = []
    private var pausedUntil: SteadyInstant?
    /// Whether entries are written one by one, because the journal has refused one; reset when none waits.
    private var writesSingly = false

    var count: Int { waiting.count + inFlight.count }
    var isEmpty: Bool { count == 0 }

    /// Whether bytes of a segment are to be written by the next append, or a later one.
    func holds(_ identity: SegmentIdentity) -> Bool {
        waiting.contains {
            guard case .segment(let fact) = $0.entry else { return false }
            return fact.identity == identity
        }
    }

    mutating func add(_ write: Write) {
        waiting.append(write)
    }

    mutating func add(_ other: [JournalEntry]) {
        waiting += other.map { Write(entry: $0, purpose: .other) }
    }

    /// The entries to append now; nil while an append is under way or nothing waits.
    mutating func next(now: SteadyInstant) -> [JournalEntry]? {
        if let pausedUntil, now < pausedUntil { return nil }
        guard inFlight.isEmpty, !waiting.isEmpty else { return nil }
        let limit = writesSingly ? 1 : Limits.entriesPerAppend
        if waiting.count <= limit {
            swap(&inFlight, &waiting)
        } else {
            inFlight = Array(waiting.prefix(limit))
            waiting.removeFirst(limit)
        }
        pausedUntil = nil
        if waiting.isEmpty { writesSingly = false }
        return inFlight.map(\.entry)
    }

    /// The append succeeded: its writes, in the order of their lines.
    mutating func written() -> [Write] {
        defer { inFlight = [] }
        return inFlight
    }

    /// The append failed: the writes that are given up.
    ///
    /// The others are repeated.
    mutating func failed(_ error: JournalError, now: SteadyInstant) -> [Write] {
        let failed = inFlight
        inFlight = []
        if failed.count > 1, !error.isTransient {
            // One of them may be what the journal refuses.
            waiting = failed + waiting
            writesSingly = true
            return []
        }
        let isRepeated: (Write) -> Bool = { write in
            error.isTransient && write.retryUntil.map { now + Limits.journalPause <= $0 } ?? false
        }
        let repeated = failed.filter(isRepeated)
        waiting = repeated + waiting
        if !repeated.isEmpty { pausedUntil = now + Limits.journalPause }
        return failed.filter { !isRepeated($0) }
    }

    /// When a pause after a failure ends.
    var nextTry: SteadyInstant? { waiting.isEmpty || !inFlight.isEmpty ? nil : pausedUntil }
}
