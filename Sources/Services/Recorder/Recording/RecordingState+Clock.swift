import Catalogue
import Concurrency
import Logging
import Timeline

/// The host's clock, which is not trusted.
extension RecordingState {
    /// Logs which clock is used if those of host and database differ at the start.
    mutating func logClock(at now: Moment) {
        guard let database = lease.databaseDate else { return }
        let difference = now.date - database
        guard difference.magnitude > Limits.clockDifference.magnitude else { return }
        let isFollowed = clock.stepSize == 0
        let text = "The clocks of this host and of the database differ: dates go by "
        log(
            .warning, text + (isFollowed ? "the host's, where the timeline ends" : "the database's"),
            ["seconds": Self.seconds(difference)])
    }

    mutating func observeClock(_ now: Moment) {
        guard let change = clock.observe(now) else { return }
        switch change {
        case .stepped(let size):
            log(
                .warning, "The host's clock was set: the step is not followed yet",
                ["seconds": Self.seconds(size)])
        case .returned: log(.notice, "The host's clock is right again")
        case .followed(let size):
            progress.clockMoved(by: size)
            log(
                .warning, "A step of the host's clock is followed now", ["seconds": Self.seconds(size)]
            )
        }
    }

    private static func seconds(_ microseconds: Int64) -> String {
        "\(Double(microseconds / Microseconds.perMillisecond) / 1000)"
    }

    /// How far the timeline is ahead of the clock, microseconds; nil up to `Limits.timelineLead`.
    func leadOfTimeline(now: SteadyInstant) -> Int64? {
        let lead = publication.publisher.end - clock.date(at: now)
        return lead > Limits.timelineLead ? lead : nil
    }
}

extension Lease {
    /// The clock that recording goes by when the lease was taken at a moment.
    func clock(at taken: Moment) -> RecordingClock {
        RecordingClock(taken, databaseDate: databaseDate, lineEnd: publishedHead.end)
    }
}
