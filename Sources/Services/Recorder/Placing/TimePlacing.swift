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

    /// A segment's start by its own clock, and the largest difference that is ignored, microseconds.
    private struct ClockStart {
        var start: Instant
        var slack: Int64
        var isDated = false
        var isByArrival = false
        /// Media show the start, so a difference is corrected as fast as segment durations allow.
        var isShown = false
        /// The date does not continue the timeline, and is followed all the same.
        var isJump = false
    }

    /// A new segment, and when it begins by arrival.
    struct Arrived {
        var entry: Entry
        /// The latest possible start.
        var start: Instant
        /// How much earlier it may have started, microseconds.
        var responseTime: Int64
    }

    private(set) var clock: Clock
    /// End of the last placed segment; nil before the first one.
    private(set) var end: Instant?
    /// Source date minus arrival, microseconds; it follows the drift of the clocks, and is nil if unknown.
    private(set) var sourceOffset: Int64?
    /// The same for the source run before.
    private(set) var previousOffset: Int64?
    /// Where the times of the source run before came from; nil when none was placed in this process.
    private(set) var previousClock: Clock?
    private(set) var hasPlaced = false
    /// The offset that a source without dates had before a step of the clock; nil once it has that again.
    private var lastingOffset: Int64?
    /// The offset that dates showed of which all entries were recorded already; nil without such dates.
    var recordedOffset: Int64?
    /// Why the source's dates are not used, in words.
    private(set) var dateRejection: String?
    /// What is taken off the source's dates, microseconds: they are in a wrong time zone.
    private(set) var zone: Int64 = 0
    /// The uncorrected difference to the source's clock after the last segment, microseconds.
    private var remainder: Int64 = 0
    /// How far the source's clock is from the timeline, microseconds.
    var drift: Int64 { remainder }
    /// The part of the difference that came suddenly, microseconds: it is no drift and is corrected slowly.
    private var suddenDifference: Int64 = 0
    let choice: ClockChoice
    /// While dates are rejected: the last date, the duration of its segment, and the count of right dates in
    /// a row.
    private var unused: (date: Instant, duration: Int64, rightCount: Int)?

    init(choice: ClockChoice, end: Instant? = nil) {
        self.choice = choice
        self.end = end
        clock = choice == .arrival ? .arrival : .source
    }

    /// Places entries by what is known of their source, without a timeline before them.
    init(choice: ClockChoice, clock: Clock, zone: Int64, sourceOffset: Int64?) {
        (self.choice, self.clock, self.zone, self.sourceOffset) = (choice, clock, zone, sourceOffset)
    }

    /// Begins a source run: its dates are judged from the beginning.
    mutating func startRun() {
        if hasPlaced { previousClock = clock }
        clock = choice == .arrival ? .arrival : .source
        previousOffset = sourceOffset ?? previousOffset
        (sourceOffset, recordedOffset) = (nil, nil)
        dateRejection = nil
        unused = nil
    }

    /// Places a source run without dates by arrival, with this offset, microseconds.
    mutating func placeByArrival(offset: Int64) {
        if offset != previousOffset { lastingOffset = nil }
        (clock, sourceOffset, dateRejection) = (.arrival, offset, nil)
    }

    /// Brings the offset a little nearer to the one from before a step of the clock.
    private mutating func followStep() {
        guard clock == .arrival, let lastingOffset, let sourceOffset else { return }
        let rest = lastingOffset - sourceOffset
        self.sourceOffset = sourceOffset + min(max(rest, -Limits.slew), Limits.slew)
        if rest.magnitude <= Limits.slew.magnitude { self.lastingOffset = nil }
    }

    /// Rejects dates that do not advance; if they never did, the offset learnt from them is dropped too.
    mutating func rejectFrozenDates(fromBeginning: Bool) {
        if fromBeginning { (sourceOffset, zone) = (nil, 0) }
        if choice != .arrival { rejectDates("the source's dates do not advance") }
    }

    /// When the first of a playlist's entries begins by arrival.
    static func arrival(of entries: [Entry], _ arrival: Arrival) -> Instant? {
        arrived(entries, arrival).first?.start
    }

    /// Adapts the offsets after the arrival clock was set by this many microseconds.
    ///
    /// A timeline by arrival follows a small step slowly: no time is missing.
    mutating func clockMoved(by step: Int64) {
        let isByDates = (now: clock == .source, before: previousClock == .source)
        if clock == .arrival, end != nil, step.magnitude <= Limits.sourceLatency.magnitude {
            let offset = sourceOffset ?? 0
            lastingOffset = Self.latency(lastingOffset ?? offset, after: step)
            sourceOffset = offset - step
        } else {
            sourceOffset = sourceOffset.map { isByDates.now ? $0 - step : Self.latency($0, after: step) }
        }
        previousOffset = previousOffset.map { isByDates.before ? $0 - step : Self.latency($0, after: step) }
        recordedOffset = recordedOffset.map { $0 - step }
    }

    /// The offset from arrival of a source without dates after the clock was set, microseconds.
    ///
    /// A real latency does not change. An offset that was learnt from dates was mostly the error of the
    /// clock, which is corrected now.
    static func latency(_ offset: Int64, after step: Int64) -> Int64 {
        (offset - step).magnitude < offset.magnitude ? offset - step : offset
    }

    /// Decides the times of a playlist's new segments, in order.
    ///
    /// - Parameters:
    ///   - entries: the new segments
    ///   - arrival: when the playlist that first shows them was fetched
    ///   - target: the source's target duration in microseconds
    /// - Returns: a placement for each
    mutating func place(_ entries: [Entry], arrival: Arrival, target: Int64) -> [Placement] {
        var arrived = Self.arrived(entries, arrival)
        hasPlaced = hasPlaced || !entries.isEmpty
        judgeDates(arrived, target: target)
        return arrived.indices.map { index in
            if let date = arrived[index].entry.programDateTime {
                arrived[index].entry.programDateTime = date - zone
                arrived[index].entry.countedDate = arrived[index].entry.countedDate.map { $0 - zone }
                if judgeAgain(arrived[index], target: target) { arrived[index].entry.confirmsStep = true }
            }
            let clockStart = clockStart(of: arrived[index], target: target)
            followStep()
            if let joined = arrived[index].entry.joinedStart {
                return join(arrived[index].entry, at: joined, clockStart, target: target)
            }
            return place(arrived[index].entry, at: clockStart, target: target)
        }
    }

    /// A difference beyond this is a step of the clock, not drift.
    static func step(target: Int64) -> Int64 {
        max(2 * target, 10_000_000)
    }
}

/// What the two clocks say.
extension TimePlacing {
    /// The newest listed segment ends when the playlist was fetched, earlier ones by subtraction.
    static func arrived(_ entries: [Entry], _ arrival: Arrival) -> [Arrived] {
        var end = arrival.date - arrival.laterEntriesDuration
        return entries.reversed().map { entry in
            end = end - entry.duration
            return Arrived(entry: entry, start: end, responseTime: arrival.responseTime)
        }.reversed()
    }

    /// Falls back to arrival when the source run has no dates or implausible ones.
    private mutating func judgeDates(_ entries: [Arrived], target: Int64) {
        guard clock == .source, !entries.isEmpty else { return }
        let dated = entries.compactMap { arrived in
            arrived.entry.programDateTime.map { (date: $0, arrived: arrived.start) }
        }
        guard let first = dated.first, let last = dated.last else {
            if sourceOffset == nil { rejectDates(choice == .source ? "the source has no dates" : nil) }
            return
        }
        if dated.count > 1, last.date <= first.date {
            rejectDates("the source's dates do not advance")
        } else if sourceOffset == nil, let dates = Self.dates(of: entries.map(\.entry)) {
            judgeOffset(last.date - last.arrived, of: dates, target: target)
        }
    }

    /// Judges the first dates of a source run by their offset from arrival, microseconds.
    ///
    /// Dates that continue the end of the timeline are accepted whatever the arrival clock says.
    private mutating func judgeOffset(_ offset: Int64, of dates: ClosedRange<Instant>, target: Int64) {
        let first = dates.lowerBound
        let bound = choice == .source ? Limits.plausibleDates : Limits.plausibleOffset
        let isPlausible = offset.magnitude <= bound.magnitude
        if isInKnownZone(offset) || zone != 0 && isContinued(by: first - zone, target: target) {
            // The correction of the source run before fits this one, too.
        } else if isContinued(by: first, target: target) {
            zone = 0
        } else if choice != .source, Self.showsWrongClock(dates, offset: offset, after: end) {
            zone = 0
        } else if choice != .source, let zone = Self.zone(of: offset) {
            self.zone = zone
        } else if isPlausible {
            zone = 0
        } else {
            return rejectDates("the source's dates are off by \(offset / 1_000_000) s")
        }
        sourceOffset = offset - zone
    }

    /// Whether a date continues the end of the timeline.
    func isContinued(by date: Instant, target: Int64) -> Bool {
        end.map { (date - $0).magnitude <= Self.step(target: target).magnitude } ?? false
    }

    /// Whether a date is near the one that is expected by counting the missing numbers.
    private func isNear(_ date: Instant, _ counted: Instant, target: Int64) -> Bool {
        guard let end else { return false }
        let slack = Self.step(target: target) + (counted - end) / Limits.countedShare
        return (date - counted).magnitude <= slack.magnitude
    }

    private mutating func rejectDates(_ reason: String?) {
        clock = .arrival
        dateRejection = reason
        unused = nil
    }

    /// Uses rejected dates again once several in a row continue each other and the timeline.
    ///
    /// One wrong date says nothing of the dates after it.
    ///
    /// - Returns: whether they are used from here on
    private mutating func judgeAgain(_ arrived: Arrived, target: Int64) -> Bool {
        guard clock == .arrival, choice != .arrival, let date = arrived.entry.programDateTime else {
            return false
        }
        let isAhead = sourceOffset != nil && unused.map { date > $0.date } ?? true
        var count = 0
        if isContinued(by: date, target: target) || isAhead && mayJump(to: date, arrived) {
            let slack = max(target / 2, Limits.dateResolution)
            let isNext = unused.map { (date - $0.date - $0.duration).magnitude <= slack.magnitude } ?? false
            count = isNext ? (unused?.rightCount ?? 0) + 1 : 1
        }
        unused = (date, arrived.entry.duration, count)
        guard count >= Limits.rightDates else { return false }
        (clock, dateRejection, unused) = (.source, nil, nil)
        sourceOffset = sourceOffset ?? date - arrived.start
        return true
    }

    /// Whether the timeline may jump to a date: the settings trust dates, and it would not run back.
    ///
    /// The date must also be plausible by arrival.
    private func mayJump(to date: Instant, _ arrived: Arrived) -> Bool {
        choice == .source && end.map { date > $0 } ?? true
            && (date - arrived.start).magnitude <= Limits.plausibleDates.magnitude
    }

    /// Whether the timeline follows a jump to a date; if so, this date sets the offset from arrival.
    private mutating func followsJump(to date: Instant, _ arrived: Arrived) -> Bool {
        guard end == nil || arrived.entry.confirmsStep, mayJump(to: date, arrived) else { return false }
        sourceOffset = date - arrived.start
        return true
    }

    private mutating func clockStart(of arrived: Arrived, target: Int64) -> ClockStart {
        let latest = arrived.start + (sourceOffset ?? 0)
        let span = latest - arrived.responseTime...latest
        let expected = nearest(span)
        if clock == .source, let date = arrived.entry.programDateTime {
            let drift = date - min(max(date, span.lowerBound), span.upperBound)
            let isBelieved = acceptsDate(
                date, counted: arrived.entry.countedDate, expected: expected, drift: drift, target: target)
            if isBelieved || followsJump(to: date, arrived) {
                let isCoarse = date.microseconds % Microseconds.perSecond == 0
                return ClockStart(
                    start: date, slack: isCoarse ? Limits.dateResolution : Limits.tolerance, isDated: true,
                    isJump: !isBelieved)
            }
            rejectDates("the source's dates jumped by \(drift / 1_000_000) s")
        }
        if let shared = arrived.entry.sharedStart {
            // Numbers of two renditions may be out of step (RFC 8216bis §6.2.4). Until media show by how
            // much, the same number may be another segment, so only a start nearby is taken. Once they do,
            // the leading rendition tells a step; it may be loaded a target duration earlier.
            let isShown = arrived.entry.isSharedByMedia
            let bound = isShown ? Self.step(target: target) + target : arrived.entry.duration / 2
            if (shared - expected).magnitude <= bound.magnitude {
                return ClockStart(start: shared, slack: arrived.entry.sharedSlack, isShown: isShown)
            }
        }
        return ClockStart(start: expected, slack: target + target / 2, isByArrival: true)
    }

    /// The instant of `span` nearest to the end of the timeline; the end of `span` before any segment.
    private func nearest(_ span: ClosedRange<Instant>) -> Instant {
        end.map { min(max($0, span.lowerBound), span.upperBound) } ?? span.upperBound
    }

    /// Whether a date continues the timeline, or jumps in the same way as the arrival time or the numbers.
    ///
    /// `expected` is the most likely date by arrival. `drift` is the distance from the range of possible
    /// dates, microseconds. `counted` is the date by numbers; nil if unknown.
    private mutating func acceptsDate(
        _ date: Instant, counted: Instant?, expected: Instant, drift: Int64, target: Int64,
    ) -> Bool {
        if isContinued(by: date, target: target) {
            sourceOffset = sourceOffset.map { $0 + (date - expected) / Limits.driftShare }
            return true
        }
        if drift.magnitude <= Self.step(target: target).magnitude { return true }
        // A stalled playlist may return much later, so early dates are possible; late ones are not.
        guard drift < 0, let counted else { return false }
        return isNear(date, counted, target: target)
    }
}

/// Placing a segment after the one before it.
extension TimePlacing {
    private mutating func place(_ entry: Entry, at own: ClockStart, target: Int64) -> Placement {
        guard let previous = end else {
            return decide(start: own.start, duration: entry.duration, hasStep: false)
        }
        let difference = own.start - previous
        // A difference that has grown slowly is drift and not missing time.
        let isSudden = (difference - remainder).magnitude > target.magnitude
        if entry.opensHole || isSudden && !entry.follows && difference > Self.step(target: target) {
            let isCertain = !own.isByArrival || entry.lacksNumbers || difference > Self.minimumHole(target)
            let start = isCertain ? max(own.start, previous) : previous
            remainder = own.start - start
            suddenDifference = Int64(remainder.magnitude)
            return decide(
                start: start, duration: entry.duration, hasStep: start > previous, ofDatesOnly: own.isJump)
        }
        let size = Int64(difference.magnitude)
        suddenDifference = isSudden && !entry.follows ? size : min(suddenDifference, size)
        // If EXTINF is too long and nothing measures it, arrival seems to jump back.
        let isBackByArrival = entry.isUnmeasured && !own.isDated && difference < 0
        let bound = max(Self.step(target: target), isBackByArrival ? 0 : suddenDifference)
        let gentle =
            own.isShown
            ? entry.duration / Limits.firmSlewShare
            : entry.isRounded && own.isDated ? Limits.roundedSlew : Limits.slew
        let slew = size > own.slack ? Self.slew(difference, bound: bound, gentle: gentle, of: entry) : 0
        remainder = difference - slew
        return decide(start: previous, duration: max(1, entry.duration + slew), hasStep: false)
    }

    /// Places a segment by its media; the difference to its own clock is corrected by later segments.
    private mutating func join(
        _ entry: Entry, at joined: Instant, _ own: ClockStart, target: Int64,
    ) -> Placement {
        guard let previous = end else { return place(entry, at: own, target: target) }
        let isHole = joined - previous > Self.minimumHole(target)
        let start = isHole ? joined : previous
        remainder = own.start - start
        suddenDifference = Int64(remainder.magnitude)
        return decide(start: start, duration: entry.duration, hasStep: isHole)
    }

    /// The shortest hole that arrival or timestamps alone can show, microseconds.
    private static func minimumHole(_ target: Int64) -> Int64 { max(target / 4, Limits.timestampSlack) }

    private mutating func decide(
        start: Instant, duration: Int64, hasStep: Bool, ofDatesOnly: Bool = false,
    ) -> Placement {
        end = start + duration
        return Placement(start: start, duration: duration, hasStep: hasStep, isStepOfDatesOnly: ofDatesOnly)
    }
}
