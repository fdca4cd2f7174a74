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
        /// It was longer than when it was fetched before: it may be written still.
        var hasGrown = false
        var verdict: Verdict?
    }

    /// By number; the newest of one source run.
    private(set) var entries: [Int64: Entry] = [:]
    /// The numbers of those that are not known to be whole or short yet.
    private var unsettled: Set<Int64> = []

    /// A segment was stored, for the first time or with better bytes.
    mutating func add(_ segment: ListedSegment, measured: Int64, timestamp: Int64?, hasGrown: Bool) {
        entries[segment.identity.number] = Entry(
            segment: segment, measured: measured, timestamp: timestamp, hasGrown: hasGrown)
        unsettled.insert(segment.identity.number)
        guard entries.count > 2 * Limits.comparedSegments else { return }
        for number in entries.keys.sorted().dropLast(Limits.comparedSegments) { entries[number] = nil }
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
            var judged = entry
            judged.verdict = verdict
            return (judged, entry.verdict == nil)
        }
    }

    /// Whether the next segment begins where one ends, give or take a few frames.
    func endsAtNext(_ entry: Entry) -> Bool {
        guard let length = length(of: entry, expected: nil) else { return false }
        return (length - entry.measured).magnitude <= Limits.mediaTolerance.magnitude
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
