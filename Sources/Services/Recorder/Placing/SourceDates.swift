import Timeline

/// How the dates of a source relate to the timeline, as its dated segments show: markers are placed like
/// them.
struct SourceDates: Sendable {
    private struct Point: Sendable {
        /// The date of a segment.
        var date: Instant
        /// What is added to it, microseconds.
        var shift: Int64
    }

    /// Ordered by date; a point counts from its date on.
    private var points: [Point] = []
    /// Another source run has begun, so that its first date tells nothing of earlier ones.
    private var isNewRun = true

    /// Adds the date of a segment and its start on the timeline.
    mutating func add(_ date: Instant, beginsAt start: Instant) {
        if isNewRun { points = [] }
        isNewRun = false
        let shift = start - date
        if let last = points.last {
            if (last.shift - shift).magnitude <= Limits.markerTolerance.magnitude { return }
            points.removeAll { $0.date >= date }
        }
        points.append(Point(date: date, shift: shift))
        if points.count > Limits.sourceDates { points.removeFirst() }
    }

    /// Starts another source run; the earlier dates apply until its first dated segment.
    mutating func startRun() {
        isNewRun = true
    }

    /// Where a date lies on the timeline.
    ///
    /// Without dated segments it is taken as it is, unless it is too far from arrival to be right.
    func begin(of date: Instant, arrival: Instant) -> Instant {
        guard let point = points.last(where: { $0.date <= date }) ?? points.first else {
            return (date - arrival).magnitude <= Limits.plausibleOffset.magnitude ? date : arrival
        }
        return date + point.shift
    }
}
