import Timeline

/// Where on the wall clock one rendition's segments go.
///
/// Starts are decided once; they never overlap and never run back.
struct TimePlacing: Sendable {
    /// Where a feed's times come from.
    enum Clock: String, Sendable {
        case source
        case arrival
    }

    /// What the list says of one new segment.
    struct Entry: Sendable {
        /// Microseconds, more than zero.
        var duration: Int64
        var programDateTime: Instant?
        /// Numbers are missing before it, or a new feed begins with it.
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

    private(set) var clock: Clock
    /// End of what is decided; nil before the first segment.
    private(set) var end: Instant?
    /// Source date less arrival at the anchor: how the two clocks stand to each other.
    private(set) var sourceOffset: Int64?
    /// Why the source's dates are not used, in words.
    private(set) var distrust: String?
    private let choice: ClockChoice

    init(choice: ClockChoice, end: Instant? = nil) {
        self.choice = choice
        self.end = end
        clock = choice == .arrival ? .arrival : .source
    }

    /// Begins a feed: its dates are judged anew.
    mutating func beginFeed() {
        clock = choice == .arrival ? .arrival : .source
        sourceOffset = nil
        distrust = nil
    }

    /// Decides the times of a list's new segments, in order.
    ///
    /// `later` is microseconds of listed segments behind the last entry. `arrival` is when the list that
    /// first shows them was fetched. `target` is the source's target duration in microseconds.
    mutating func place(_ entries: [Entry], arrival: Instant, target: Int64) -> [Placement] {
        let arrivals = Self.arrivalStarts(entries, arrival: arrival)
        judgeDates(entries, arrivals: arrivals)
        var dated: Instant?
        var placements: [Placement] = []
        for (entry, arrived) in zip(entries, arrivals) {
            let date = entry.programDateTime ?? dated
            dated = date.map { $0 + entry.duration }
            let own = ownStart(date: date, arrived: arrived, shared: entry.sharedStart, target: target)
            placements.append(place(entry, at: own, target: target))
        }
        return placements
    }

    /// The newest listed segment ends when the list was fetched, earlier ones by subtraction.
    private static func arrivalStarts(_ entries: [Entry], arrival: Instant) -> [Instant] {
        var end = arrival
        var starts: [Instant] = []
        for entry in entries.reversed() {
            end = end - entry.duration
            starts.append(end)
        }
        return starts.reversed()
    }

    /// Falls back to arrival when the feed has no dates or implausible ones.
    private mutating func judgeDates(_ entries: [Entry], arrivals: [Instant]) {
        guard clock == .source else { return }
        guard let first = zip(entries, arrivals).first(where: { $0.0.programDateTime != nil }),
            let date = first.0.programDateTime
        else {
            if sourceOffset == nil { distrustDates(choice == .source ? "the source has no dates" : nil) }
            return
        }
        let offset = date - first.1
        guard abs(offset) <= Limits.plausibleOffset else {
            distrustDates("the source's dates are off by \(offset / 1_000_000) s")
            return
        }
        if sourceOffset == nil { sourceOffset = offset }
    }

    private mutating func distrustDates(_ reason: String?) {
        clock = .arrival
        distrust = reason
    }

    /// The start that the segment's own clock says.
    private mutating func ownStart(date: Instant?, arrived: Instant, shared: Instant?, target: Int64)
        -> Instant
    {
        guard clock == .source, let date, let offset = sourceOffset else {
            return shared ?? arrived + (sourceOffset ?? 0)
        }
        let drift = (date - arrived) - offset
        guard abs(drift) > Self.step(target: target) else { return date }
        // Arrival did not jump with the date: the source's clock did.
        if let end, abs((arrived + offset) - end) > Self.step(target: target), abs(date - end) < abs(drift) {
            return date
        }
        distrustDates("the source's dates jumped by \(drift / 1_000_000) s")
        return arrived + offset
    }

    private mutating func place(_ entry: Entry, at own: Instant, target: Int64) -> Placement {
        guard let previous = end else { return decide(start: own, duration: entry.duration, stepped: false) }
        let difference = own - previous
        if entry.opensHole || difference > Self.step(target: target) {
            let start = max(own, previous)
            return decide(start: start, duration: entry.duration, stepped: start > previous)
        }
        let slack = clock == .source ? Limits.tolerance : target + target / 2
        guard abs(difference) > slack else {
            return decide(start: previous, duration: entry.duration, stepped: false)
        }
        let slew = min(max(difference, -Limits.slew), Limits.slew)
        return decide(start: previous, duration: max(1, entry.duration + slew), stepped: false)
    }

    private mutating func decide(start: Instant, duration: Int64, stepped: Bool) -> Placement {
        end = start + duration
        return Placement(start: start, duration: duration, stepped: stepped)
    }

    /// A difference beyond this is a step of the clock, not drift.
    static func step(target: Int64) -> Int64 {
        max(2 * target, 10_000_000)
    }
}
