import Timeline

/// Where on the wall clock one rendition's segments go.
///
/// Starts are decided once; they never overlap and never run back.
struct TimePlacing: Sendable {
    /// Where the times of a source run come from.
    enum Clock: String, Sendable {
        case source
        case arrival
    }

    /// What the playlist says of one new segment.
    struct Entry: Sendable {
        /// Microseconds, more than zero.
        var duration: Int64
        /// The source's date, its own or reckoned from a neighbour in the playlist.
        var programDateTime: Instant?
        /// Numbers are missing before it, or a new source run begins with it.
        var opensHole = false
        /// The start that the channel's leading rendition has for the same segment, when there are no dates.
        var sharedStart: Instant?
    }

    struct Placement: Sendable, Equatable {
        var start: Instant
        var duration: Int64
        /// The clock stepped here: time is missing before the start.
        var stepped: Bool
    }

    /// When a segment begins by its own clock, and how far that may be off before it counts, microseconds.
    private struct Reading {
        var start: Instant
        var slack: Int64
    }

    private(set) var clock: Clock
    /// End of what is decided; nil before the first segment.
    private(set) var end: Instant?
    /// Source date less arrival: how the two clocks stand to each other.
    ///
    /// It follows their drift.
    private(set) var sourceOffset: Int64?
    /// The same for the source run before.
    private var formerOffset: Int64?
    /// Why the source's dates are not used, in words.
    private(set) var distrust: String?
    /// What was left of the difference to the source's clock behind the last segment, microseconds.
    private var remainder: Int64 = 0
    /// How much of the difference came at once, microseconds: no drift, and left to be slewed off gently.
    private var leap: Int64 = 0
    private let choice: ClockChoice

    init(choice: ClockChoice, end: Instant? = nil) {
        self.choice = choice
        self.end = end
        clock = choice == .arrival ? .arrival : .source
    }

    /// Begins a source run: its dates are judged from the beginning.
    mutating func beginRun() {
        clock = choice == .arrival ? .arrival : .source
        formerOffset = sourceOffset ?? formerOffset
        sourceOffset = nil
        distrust = nil
    }

    /// Decides the times of a playlist's new segments, in order.
    ///
    /// - Parameters:
    ///   - entries: the new segments
    ///   - arrival: when the playlist that first shows them was fetched
    ///   - target: the source's target duration in microseconds
    /// - Returns: a placement for each
    mutating func place(_ entries: [Entry], arrival: Instant, target: Int64) -> [Placement] {
        let arrivals = Self.arrivalStarts(entries, arrival: arrival)
        judgeDates(entries, arrivals: arrivals)
        return zip(entries, arrivals).map { entry, arrived in
            place(entry, at: reading(entry, arrived: arrived, target: target), target: target)
        }
    }

    /// How many entries of a source that comes in for another one show what is recorded already: those whose
    /// middle lies before the end of what is decided.
    ///
    /// With `byDates` only if their dates say so, and stand to arrival as those of the source run before did.
    func coveredCount(_ entries: [Entry], arrival: Instant, target: Int64, byDates: Bool) -> Int {
        guard let end else { return 0 }
        var trial = TimePlacing(choice: choice)
        let placements = trial.place(entries, arrival: arrival, target: target)
        if byDates {
            guard trial.clock == .source, let offset = trial.sourceOffset, let formerOffset,
                (offset - formerOffset).magnitude <= Self.step(target: target).magnitude
            else { return 0 }
        }
        return placements.prefix { $0.start + $0.duration / 2 < end }.count
    }

    /// A difference beyond this is a step of the clock, not drift.
    static func step(target: Int64) -> Int64 {
        max(2 * target, 10_000_000)
    }
}

/// What the two clocks say.
extension TimePlacing {
    /// The newest listed segment ends when the playlist was fetched, earlier ones by subtraction.
    private static func arrivalStarts(_ entries: [Entry], arrival: Instant) -> [Instant] {
        var end = arrival
        var starts: [Instant] = []
        for entry in entries.reversed() {
            end = end - entry.duration
            starts.append(end)
        }
        return starts.reversed()
    }

    /// Falls back to arrival when the source run has no dates or implausible ones.
    private mutating func judgeDates(_ entries: [Entry], arrivals: [Instant]) {
        guard clock == .source, !entries.isEmpty else { return }
        let dated = zip(entries, arrivals).compactMap { entry, arrived in
            entry.programDateTime.map { (date: $0, arrived: arrived) }
        }
        guard let first = dated.first, let last = dated.last else {
            if sourceOffset == nil { distrustDates(choice == .source ? "the source has no dates" : nil) }
            return
        }
        let offset = first.date - first.arrived
        if offset.magnitude > Limits.plausibleOffset.magnitude {
            distrustDates("the source's dates are off by \(offset / 1_000_000) s")
        } else if dated.count > 1, last.date <= first.date {
            distrustDates("the source's dates do not advance")
        } else if sourceOffset == nil {
            sourceOffset = offset
        }
    }

    private mutating func distrustDates(_ reason: String?) {
        clock = .arrival
        distrust = reason
    }

    private mutating func reading(_ entry: Entry, arrived: Instant, target: Int64) -> Reading {
        let expected = arrived + (sourceOffset ?? 0)
        if clock == .source, let date = entry.programDateTime,
            believes(date, expected: expected, target: target)
        {
            return Reading(start: date, slack: Limits.tolerance)
        }
        if let shared = entry.sharedStart,
            (shared - expected).magnitude <= Self.step(target: target).magnitude
        {
            return Reading(start: shared, slack: Limits.tolerance)
        }
        return Reading(start: expected, slack: target + target / 2)
    }

    /// Whether a date goes on from what is decided, or jumps as arrival does; `expected` is the date by
    /// arrival.
    private mutating func believes(_ date: Instant, expected: Instant, target: Int64) -> Bool {
        let drift = date - expected
        let step = Self.step(target: target).magnitude
        if let end, (date - end).magnitude <= step {
            sourceOffset = sourceOffset.map { $0 + drift / Limits.driftShare }
            return true
        }
        if drift.magnitude <= step { return true }
        distrustDates("the source's dates jumped by \(drift / 1_000_000) s")
        return false
    }
}

/// How a segment is set behind the one before it.
extension TimePlacing {
    private mutating func place(_ entry: Entry, at own: Reading, target: Int64) -> Placement {
        guard let previous = end else {
            return decide(start: own.start, duration: entry.duration, stepped: false)
        }
        let difference = own.start - previous
        // What has grown bit by bit is drift, and no missing time.
        let isSudden = (difference - remainder).magnitude > target.magnitude
        if entry.opensHole || isSudden && difference > Self.step(target: target) {
            let start = max(own.start, previous)
            remainder = own.start - start
            leap = Int64(remainder.magnitude)
            return decide(start: start, duration: entry.duration, stepped: start > previous)
        }
        let size = Int64(difference.magnitude)
        leap = isSudden ? size : min(leap, size)
        let bound = max(Self.step(target: target), leap)
        let slew = size > own.slack ? Self.slew(size, bound, entry.duration) * difference.signum() : 0
        remainder = difference - slew
        return decide(start: previous, duration: max(1, entry.duration + slew), stepped: false)
    }

    /// By how much a segment is stretched or cut for the time line to come nearer to its clock, microseconds.
    ///
    /// What has drifted beyond the bound is taken back at once, as far as a segment can bear: a source whose
    /// EXTINF never fits its media would lead the time line away without end.
    private static func slew(_ size: Int64, _ bound: Int64, _ duration: Int64) -> Int64 {
        max(min(size, Limits.slew), min(size - bound, duration / Limits.firmSlewShare))
    }

    private mutating func decide(start: Instant, duration: Int64, stepped: Bool) -> Placement {
        end = start + duration
        return Placement(start: start, duration: duration, stepped: stepped)
    }
}
