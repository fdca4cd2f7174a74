import Timeline

/// Finds segments that play for less time than they should.
///
/// A segment is shorter than its EXTINF if it was fetched while it was still being written, or if a cache
/// stored only its beginning. Each segment is shorter if the EXTINF of the source is wrong. The start of the
/// next segment shows which of the two is true.
struct ShortSegments: Sendable {
    enum Verdict: Sendable {
        case whole
        /// Shorter than expected; what follows is not known yet.
        case suspected
        /// What follows begins much later than it ends.
        case short
    }

    struct Entry: Sendable {
        var segment: ListedSegment
        /// How long it plays, microseconds.
        var measured: Int64
        /// Where it begins, in units of 90 kHz.
        var timestamp: Int64?
        /// What is stored of it.
        var held: IncompleteSegment
        /// It was longer than when it was fetched before: it may be written still.
        var hasGrown = false
        var verdict: Verdict?
    }

    /// A segment that counted as whole, and lacks its end.
    struct Cut: Sendable {
        var entry: Entry
        /// From its start to that of the next one, microseconds; nil if that is not known.
        ///
        /// Then only the growth of other segments suggests that its end is missing.
        var length: Int64?
        /// Whether it is asked for again.
        var isAsked: Bool
    }

    /// By number; the newest of one source run.
    private(set) var entries: [Int64: Entry] = [:]
    /// The numbers of those that are not known to be whole or short yet.
    private var unsettled: Set<Int64> = []
    /// The numbers of those that count as whole until it is known where the next one begins.
    private var unconfirmed: Set<Int64> = []
    /// The numbers of the cut ones that are asked for again.
    private var asked: Set<Int64> = []
    /// How many cut segments in a row did not get longer.
    private var unimprovedCount = 0
    /// Cut segments up to this number are not fetched again: those before them did not get longer.
    private var lastNumberNotRefetched = Int64.min
    /// Segments up to this number may have grown since they were fetched, because an earlier segment grew.
    private var lastNumberThatMayGrow = Int64.min

    /// A segment was stored, for the first time or with better bytes.
    mutating func add(
        _ segment: ListedSegment, measured: Int64, timestamp: Int64?, held: IncompleteSegment, hasGrown: Bool,
    ) {
        entries[segment.identity.number] = Entry(
            segment: segment, measured: measured, timestamp: timestamp, held: held, hasGrown: hasGrown)
        unsettled.insert(segment.identity.number)
        if hasGrown {
            lastNumberThatMayGrow = max(
                lastNumberThatMayGrow, segment.identity.number + Int64(Limits.comparedSegments))
        }
        guard entries.count > 2 * Limits.comparedSegments else { return }
        for number in entries.keys.sorted().dropLast(Limits.comparedSegments) {
            entries[number] = nil
            asked.remove(number)
        }
    }

    /// Judges what is not known to be whole yet.
    ///
    /// - Parameter expected: how long a segment should play, microseconds; nil when nothing tells
    /// - Returns: what became known, by number, and whether it is the first judgement of the segment
    mutating func judge(_ expected: (ListedSegment) -> Int64?) -> [(entry: Entry, isNew: Bool)] {
        unsettled.sorted().compactMap { number in
            guard let entry = entries[number] else {
                unsettled.remove(number)
                return nil
            }
            let verdict = verdict(on: entry, expected(entry.segment))
            guard verdict != entry.verdict else { return nil }
            entries[number]?.verdict = verdict
            if verdict != .suspected { unsettled.remove(number) }
            if verdict == .whole { unconfirmed.insert(number) }
            var judged = entry
            judged.verdict = verdict
            return (judged, entry.verdict == nil)
        }
    }

    /// Finds segments that counted as complete until the next segment showed that their end may be missing.
    ///
    /// A segment with its full expected duration is accepted as it is, unless segments of this source grow.
    ///
    /// - Parameter expected: how long a segment should play, microseconds; nil if unknown
    /// - Returns: those that were not returned before
    mutating func takeCut(_ expected: (ListedSegment) -> Int64?) -> [Cut] {
        unconfirmed.sorted().compactMap { number in
            guard let entry = entries[number] else {
                unconfirmed.remove(number)
                return nil
            }
            guard let next = entries[number + 1] else { return nil }
            let isContinued = next.segment.discontinuityCount == entry.segment.discontinuityCount
            let length = isContinued ? length(of: entry, expected: nil) : nil
            guard mayLackEnd(entry, of: length, expected(entry.segment)) else {
                unconfirmed.remove(number)
                return nil
            }
            // Only a few cut segments are fetched again at a time; this one waits.
            if number > lastNumberNotRefetched, asked.count >= Limits.incompleteInARow { return nil }
            unconfirmed.remove(number)
            let isAsked = number > lastNumberNotRefetched
            if isAsked { asked.insert(number) }
            if isAsked, length != nil { entries[number]?.verdict = .short }
            return Cut(entry: entry, length: length, isAsked: isAsked)
        }
    }

    private func mayLackEnd(_ entry: Entry, of length: Int64?, _ expected: Int64?) -> Bool {
        let mayGrow = entry.segment.identity.number <= lastNumberThatMayGrow
        guard let length else { return mayGrow }
        let stated = mayGrow ? length : min(length, expected ?? length)
        let slack = mayGrow ? Limits.mediaTolerance : max(Limits.missingEnd, stated / 10)
        return entry.measured < stated - slack
    }

    /// Records the result of fetching a cut segment again: it is longer now, or unchanged.
    ///
    /// If a source always loses some media, its segments are fetched again only now and then.
    mutating func settleCut(_ number: Int64, _ held: IncompleteSegment, isBetter: Bool) {
        guard asked.remove(number) != nil, isBetter || !held.isSuspected else { return }
        unimprovedCount = isBetter ? 0 : unimprovedCount + 1
        guard unimprovedCount >= Limits.incompleteInARow else { return }
        lastNumberNotRefetched = max(lastNumberNotRefetched, number + Int64(Limits.comparedSegments))
    }

    /// Whether the next segment begins where one ends, give or take a few frames.
    func endsAtNext(_ entry: Entry) -> Bool {
        guard let length = length(of: entry, expected: nil) else { return false }
        return (length - entry.measured).magnitude <= Limits.mediaTolerance.magnitude
    }

    /// Whether a segment of a number is known to lack something.
    func isShort(_ number: Int64) -> Bool {
        if case .short = entries[number]?.verdict { true } else { false }
    }

    /// Whether a segment of a number turned out to be whole.
    func isWhole(_ number: Int64) -> Bool {
        if case .whole = entries[number]?.verdict { true } else { false }
    }

    private func verdict(on entry: Entry, _ expected: Int64?) -> Verdict {
        if let length = length(of: entry, expected: expected) {
            return isShort(entry, of: length, slack: Limits.mediaTolerance) ? .short : .whole
        }
        guard let expected, entry.timestamp != nil,
            isShort(entry, of: expected, slack: max(Limits.roundedDuration, expected / 10))
        else { return .whole }
        return .suspected
    }

    /// A growing segment counts as short if more than `slack` is missing.
    ///
    /// Any other segment counts as short only below `Limits.wholePercentage` of its length, because EXTINF is
    /// often rounded and sources lose some media.
    private func isShort(_ entry: Entry, of length: Int64, slack: Int64) -> Bool {
        entry.hasGrown
            ? entry.measured < length - slack
            : entry.measured < length / 100 * Limits.wholePercentage
    }

    /// From its beginning to that of the next segment, microseconds; nil when that is not known, or the clock
    /// of the media was reset between the two.
    private func length(of entry: Entry, expected: Int64?) -> Int64? {
        guard let begin = entry.timestamp,
            let end = entries[entry.segment.identity.number + 1]?.timestamp
        else { return nil }
        let (ticks, overflow) = end.subtractingReportingOverflow(begin)
        // Whether the counter has 33 bits depends on the container; a difference that wraps is just not used.
        guard !overflow, (1...Limits.longestSegment / 100 * 9).contains(ticks) else { return nil }
        let length = ticks * 100 / 9
        return length <= 2 * max(entry.measured, expected ?? 0) ? length : nil
    }
}
