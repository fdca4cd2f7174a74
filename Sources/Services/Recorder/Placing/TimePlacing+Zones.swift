import Timeline

/// Dates in a wrong time zone.
extension TimePlacing {
    /// The time zone that explains an offset of dates, both microseconds; nil if none does.
    ///
    /// Zones differ from UTC by whole quarters of an hour. The rest of the offset is the time from the
    /// encoder to the listing.
    static func zone(of offset: Int64) -> Int64? {
        guard offset.magnitude > Limits.zoneFrom.magnitude, offset.magnitude < Limits.zoneUpTo.magnitude
        else {
            return nil
        }
        let quarters = (Double(offset - Limits.zoneSlack.upperBound) / Double(Limits.zoneUnit)).rounded(.up)
        let zone = Int64(quarters) * Limits.zoneUnit
        return zone != 0 && Limits.zoneSlack.contains(offset - zone) ? zone : nil
    }

    /// Whether dates that are off from arrival by so much are in the zone of the source run before.
    ///
    /// After a pause about as long as the zone they would also go on without the correction.
    func isInKnownZone(_ offset: Int64) -> Bool { zone != 0 && Self.zone(of: offset) == zone }

    /// From the first date to the end of the last dated entry; nil where there are none, or they run back.
    static func dates(of entries: [Entry]) -> ClosedRange<Instant>? {
        guard let first = entries.lazy.compactMap(\.programDateTime).first,
            let last = entries.last(where: { $0.programDateTime != nil }), let date = last.programDateTime,
            first <= date
        else { return nil }
        return first...date + last.duration
    }

    /// Whether dates show that the arrival clock is wrong.
    ///
    /// They do if they continue shortly after the end of the timeline, as after a restart of the host, while
    /// the arrival times, which are `offset` microseconds earlier, lie long after that end or before it.
    static func showsWrongClock(
        _ dates: ClosedRange<Instant>, offset: Int64, after end: Instant?,
    ) -> Bool {
        guard let end, case let pause = dates.lowerBound - end,
            (0...Limits.shortInterruption).contains(pause)
        else { return false }
        return pause - offset > Limits.shortInterruption
            || end - (dates.upperBound - offset) > Limits.shortInterruption
    }
}
