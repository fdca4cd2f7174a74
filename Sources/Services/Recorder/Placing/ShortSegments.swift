import Timeline

/// Which segments play for less time than they should.
///
/// A segment that is listed while it is written, or was cut in a cache, is shorter than EXTINF says. So is
/// each segment of a source whose EXTINF is wrong. Where the next segment begins tells the two apart.
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
        var held: StoredPart
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
    private var fruitlessCount = 0
    /// Cut segments up to this number are not fetched again: those before them did not get longer.
    private var sparedUpTo = Int64.min
    /// Segments up to this number may be longer by now than they were when they were fetched: one of those
    /// before them grew.
    private var growUpTo = Int64.min

    /// A segment was stored, for the first time or with better bytes.
    mutating func add(
        _ segment: ListedSegment, measured: Int64, timestamp: Int64?, held: StoredPart, hasGrown: Bool,
    ) {
        entries[segment.identity.number] = Entry(
            segment: segment, measured: measured, timestamp: timestamp, held: held, hasGrown: hasGrown)
        unsettled.insert(segment.identity.number)
        if hasGrown { growUpTo = max(growUpTo, segment.identity.number + Int64(Limits.comparedSegments)) }
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

    /// Finds segments that counted as whole, and lack or may lack their end, as the next one now shows.
    ///
    /// One with all of its expected duration is as the source made it, unless segments grow.
    ///
    /// - Parameter expected: how long a segment should play, microseconds; nil when nothing tells
    /// - Returns: those that were not given before
    mutating func takeCut(_ expected: (ListedSegment) -> Int64?) -> [Cut] {
        unconfirmed.sorted().compactMap { number in
            guard let entry = entries[number] else {
                unconfirmed.remove(number)
                return nil
            }
            guard let next = entries[number + 1] else { return nil }
            let goesOn = next.segment.discontinuityCount == entry.segment.discontinuityCount
            let length = goesOn ? length(of: entry, expected: nil) : nil
            guard mayLackEnd(entry, of: length, expected(entry.segment)) else {
                unconfirmed.remove(number)
                return nil
            }
            // It waits for its turn.
            if number > sparedUpTo, asked.count >= Limits.partsInARow { return nil }
            unconfirmed.remove(number)
            let isAsked = number > sparedUpTo
            if isAsked { asked.insert(number) }
            if isAsked, length != nil { entries[number]?.verdict = .short }
            return Cut(entry: entry, length: length, isAsked: isAsked)
        }
    }

    private func mayLackEnd(_ entry: Entry, of length: Int64?, _ expected: Int64?) -> Bool {
        let mayGrow = entry.segment.identity.number <= growUpTo
        guard let length else { return mayGrow }
        let stated = mayGrow ? length : min(length, expected ?? length)
        let slack = mayGrow ? Limits.mediaTolerance : max(Limits.missingEnd, stated / 10)
        return entry.measured < stated - slack
    }

    /// A cut segment that was asked for again is longer now, or stays as it is.
    ///
    /// Sources that always lose some media are asked now and then.
    mutating func settleCut(_ number: Int64, _ held: StoredPart, isBetter: Bool) {
        guard asked.remove(number) != nil, isBetter || !held.isSupposed else { return }
        fruitlessCount = isBetter ? 0 : fruitlessCount + 1
        guard fruitlessCount >= Limits.partsInARow else { return }
        sparedUpTo = max(sparedUpTo, number + Int64(Limits.comparedSegments))
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

    /// One that grows is whole when it has all of its length but a slack.
    ///
    /// Others lack much: EXTINF is often rounded, and sources lose some media.
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
