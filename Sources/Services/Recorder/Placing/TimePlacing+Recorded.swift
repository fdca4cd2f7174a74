import Timeline

/// Which entries of another source, or run, are recorded already.
extension TimePlacing {
    /// Counts the first entries that are recorded already.
    ///
    /// An entry counts if its middle lies before `end`. With `byDates` it counts only if dates show this and
    /// their offset from arrival is about that of the previous run. If the timeline differs from the clock of
    /// the previous run, the entries are compared with that clock.
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
        let isOff =
            (trial.clock == .arrival || previousClock == .source)
            && drift.magnitude > Self.step(target: target).magnitude
        var reached = byDates || isOff ? end + drift : end
        if !byDates {
            guard let lead = lead(over: trial, arrival, target: target) else { return 0 }
            reached = reached - lead
        }
        let slack = areOthers ? Self.step(target: target) : 0
        return placements.prefix { $0.start + $0.duration / 2 + slack < reached }.count
    }

    /// Keeps the offset that dates show of which all entries are recorded: they give nothing to place.
    mutating func noteRecorded(_ entries: [Entry], _ arrival: Arrival, target: Int64) {
        let (trial, _) = placed(entries, arrival, target: target)
        if trial.clock == .source { recordedOffset = trial.sourceOffset }
    }

    /// Whether the run's dates are ahead of arrival, and so wrong.
    func isAhead(target: Int64) -> Bool {
        clock == .source && sourceOffset ?? 0 > Self.step(target: target)
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

    /// How far the end lies ahead of arrival because of wrong dates, which `next` does not have, microseconds.
    ///
    /// Nothing is listed before it exists, so dates ahead of arrival are wrong. Nil if an earlier process has
    /// recorded the end: how far it was ahead then is not known.
    private func lead(over next: TimePlacing, _ arrival: Arrival, target: Int64) -> Int64? {
        let step = Self.step(target: target)
        func isWrong(_ ahead: Int64) -> Bool { ahead > step && ahead - (next.sourceOffset ?? 0) > step }
        if let previousOffset { return isWrong(previousOffset) ? previousOffset : 0 }
        guard !hasPlaced, let end else { return 0 }
        return isWrong(end - arrival.date) ? nil : 0
    }
}
