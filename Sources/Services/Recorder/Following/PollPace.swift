import Timeline

/// When a live playlist is asked for again (RFC 8216bis §6.3.4), measured from the start of the previous
/// load.
enum PollPace {
    /// After a change the duration of the last segment; without one half the target duration.
    ///
    /// A playlist that is shorter than that is fetched after half its own length, else segments would pass
    /// unseen.
    static func afterLoad(changed: Bool, lastDuration: Int64, target: Int64, playlistLength: Int64) -> Int64 {
        let standard = changed ? max(lastDuration, 1) : target / 2
        let half = playlistLength > 0 ? playlistLength / 2 : standard
        return clamped(min(standard, max(half, target / 4)))
    }

    /// A failed load is repeated soon, then at a growing distance up to half a minute.
    static func afterFailure(_ failures: Int, target: Int64) -> Int64 {
        let first = min(max(target / 4, 500_000), 2_000_000)
        return min(first << Int64(min(failures, 6)), 30_000_000)
    }

    /// A source that has ended may come back under the same URL.
    ///
    /// Half a minute is slow enough to be no burden on a source that has ended for good, and short enough
    /// that what a playlist of usual length shows of a new beginning is all still there when it is noticed.
    static let afterEnd: Int64 = 30_000_000

    /// A pause made up to 5 % longer or shorter, so that many channels of one source do not ask in step.
    ///
    /// `chance` is between −1 and 1.
    static func jittered(_ microseconds: Int64, chance: Double) -> Int64 {
        microseconds + Int64(Double(microseconds) * 0.05 * min(max(chance, -1), 1))
    }

    private static func clamped(_ microseconds: Int64) -> Int64 {
        min(max(microseconds, 500_000), 10_000_000)
    }
}
