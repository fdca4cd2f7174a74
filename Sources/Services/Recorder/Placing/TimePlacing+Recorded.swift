import Timeline

/// Which entries of another source, or run, are recorded already.
extension TimePlacing {
    /// Counts the first entries that are recorded already.
    ///
    /// An entry counts if its middle lies before `end`. With `byDates` it counts only if dates show this and
    /// their offset from arrival is about that of the previous run. The entries are then compared with the
    /// dates of that run, because the timeline may still differ from them.
    ///
    /// With `areOthers`, for media that are known to be new, an entry must lie some target durations before
    /// `end`, because two encoders may be that far apart.
    func coveredCount(
        _ entries: [Entry], arrival: Arrival, target: Int64, byDates: Bool, areOthers: Bool = false,
    ) -> Int {
        guard let end else { return 0 }
        let (trial, placements) = placed(entries, arrival, target: target)
        if byDates {
            guard trial.clock == .source, let offset = trial.sourceOffset, let previousOffset,
                (offset - previousOffset).magnitude <= Self.step(target: target).magnitude
            else { return 0 }
        }
        let reached = byDates ? end + drift : reached(comparedWith: trial, arrival, target: target)
        let slack = areOthers ? Self.step(target: target) : 0
        return placements.prefix { $0.start + $0.duration / 2 + slack < reached }.count
    }

    /// Keeps the offset that dates show of which all entries are recorded: they give nothing to place.
    mutating func noteRecorded(_ entries: [Entry], _ arrival: Arrival, target: Int64) {
        let (trial, _) = placed(entries, arrival, target: target)
        if trial.clock == .source { recordedOffset = trial.sourceOffset }
    }

    /// Whether the timeline is ahead of arrival: it follows wrong dates, since nothing is listed before it
    /// exists.
    func isAhead(of arrival: Arrival, target: Int64) -> Bool {
        let lead = hasPlaced ? (sourceOffset ?? 0) - drift : end.map { $0 - arrival.date } ?? 0
        return lead > Self.step(target: target)
    }

    /// Places entries by themselves, without the timeline.
    private func placed(
        _ entries: [Entry], _ arrival: Arrival, target: Int64,
    ) -> (trial: TimePlacing, placements: [Placement]) {
        // The times of a run without dates are compared with arrival, whatever the dates say now.
        let choice = previousClock == .arrival && previousOffset == nil ? .arrival : choice
        var trial = TimePlacing(choice: choice)
        if clock == .arrival {
            trial = TimePlacing(choice: choice, clock: .arrival, zone: 0, sourceOffset: sourceOffset)
        } else if trial.clock == .source,
            let (zone, offset) = continuation(of: entries, arrival, target: target)
        {
            trial = TimePlacing(choice: choice, clock: .source, zone: zone, sourceOffset: offset)
        }
        let placements = trial.place(entries, arrival: arrival, target: target)
        return (trial, placements)
    }

    /// The zone and the offset of dates that continue the timeline: they are believed whatever arrival says.
    private func continuation(
        of entries: [Entry], _ arrival: Arrival, target: Int64,
    ) -> (zone: Int64, offset: Int64)? {
        let arrived = Self.arrived(entries, arrival)
        for (entry, start) in zip(entries, arrived.map(\.start)) {
            guard let date = entry.programDateTime, isContinued(by: date - zone, target: target) else {
                continue
            }
            return (zone, date - zone - start)
        }
        guard choice != .source, let dates = Self.dates(of: entries),
            let index = entries.lastIndex(where: { $0.programDateTime != nil }),
            case let offset = dates.upperBound - entries[index].duration - arrived[index].start,
            !isInKnownZone(offset), Self.showsWrongClock(dates, offset: offset, after: end)
        else { return nil }
        return (0, offset)
    }

    /// The end of what is recorded, on the clock by which another source's entries are placed.
    ///
    /// Where the timeline is ahead of arrival and the entries are not, they are compared by arrival.
    private func reached(comparedWith other: TimePlacing, _ arrival: Arrival, target: Int64) -> Instant {
        guard let end else { return arrival.date }
        let (step, offset) = (Self.step(target: target), other.sourceOffset ?? 0)
        guard hasPlaced else {
            // How far the timeline was ahead when an earlier process recorded its end is not known.
            let lead = end - arrival.date
            return lead > step && lead - offset > step
                ? min(end, arrival.date + offset - Limits.sourceLatency) : end
        }
        if other.clock == .arrival { return drift.magnitude > step ? end + drift : end }
        let lead = (previousOffset ?? 0) - drift
        return lead > step && lead - offset > step ? end - (lead - offset) : end
    }
}
