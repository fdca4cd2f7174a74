import Concurrency
import Timeline

/// The wall clock that recording uses: an anchor plus steady time.
///
/// Operators, NTP and an empty battery can set the host's clock at any time. Small differences are followed
/// at once. A step is followed only after it has lasted for minutes, because most steps are reverted.
struct RecordingClock: Sendable {
    /// What became of the host's clock.
    enum Change: Sendable, Equatable {
        /// The host's clock was set by so many microseconds; it is not followed for now.
        case stepped(Int64)
        /// The host's clock is right again.
        case returned
        /// A step has lasted long enough: dates follow the host's clock from now on.
        case followed(Int64)
    }

    private var anchor: Moment
    /// The error of the host's clock when recording started, microseconds.
    private var correction: Int64
    /// The host's clock less this one, microseconds, since it last changed.
    private var step: (size: Int64, since: SteadyInstant)?

    /// Begins at the host's time.
    ///
    /// If the database's time differs by more than a minute, it begins at that instead, unless the timeline
    /// ended shortly before the host's time.
    init(_ moment: Moment, databaseDate: Instant?, lineEnd: Instant? = nil) {
        let difference = databaseDate.map { $0 - moment.date } ?? 0
        let isApart = difference.magnitude > Limits.clockDifference.magnitude
        let isWrong = isApart && !Self.isContinued(lineEnd, at: moment.date)
        correction = isWrong ? difference : 0
        anchor = Moment(date: moment.date + correction, steady: moment.steady)
    }

    /// Whether a timeline ended shortly before a date, or up to a minute after it.
    private static func isContinued(_ lineEnd: Instant?, at date: Instant) -> Bool {
        guard let lineEnd else { return false }
        return (-Limits.clockDifference...Limits.shortInterruption).contains(date - lineEnd)
    }

    /// The date at an instant of the steady clock.
    func date(at steady: SteadyInstant) -> Instant {
        anchor.date + (steady - anchor.steady).wholeMicroseconds
    }

    /// The difference of the host's clock to this one, microseconds; 0 while they agree.
    var stepSize: Int64 { step?.size ?? -correction }

    /// Compares this clock with the host's clock; returns what has changed, or nil.
    mutating func observe(_ moment: Moment) -> Change? {
        if correction != 0, isNear(moment.date, at: moment.steady) { correction = 0 }
        let date = moment.date + correction
        let difference = date - self.date(at: moment.steady)
        guard difference.magnitude >= Limits.clockStep.magnitude else {
            anchor = Moment(date: date, steady: moment.steady)
            defer { step = nil }
            return step == nil ? nil : .returned
        }
        guard let step, (step.size - difference).magnitude < Limits.clockStep.magnitude else {
            step = (difference, moment.steady)
            return .stepped(difference)
        }
        guard moment.steady - step.since >= Limits.clockStepDuration else { return nil }
        anchor = Moment(date: date, steady: moment.steady)
        self.step = nil
        return .followed(difference)
    }

    private func isNear(_ date: Instant, at steady: SteadyInstant) -> Bool {
        (date - self.date(at: steady)).magnitude < Limits.clockDifference.magnitude
    }
}
