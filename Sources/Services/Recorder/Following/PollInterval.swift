import Timeline

/// When a live playlist is asked for again (RFC 8216bis §6.3.4), measured from the start of the previous
/// load.
enum PollInterval {
    /// After a change the duration of the last segment; without one half the target duration.
    ///
    /// A playlist that is shorter than that is fetched after half its own length, else segments would pass
    /// unseen.
    static func afterLoad(changed: Bool, lastDuration: Int64, target: Int64, playlistLength: Int64) -> Int64 {
        let standard = changed ? max(lastDuration, 1) : target / 2
        let half = playlistLength > 0 ? playlistLength / 2 : standard
        return clamped(min(standard, max(half, target / 4)))
    }

    /// The pause after a failed load, which grows with each failure; also used after the end of a source.
    ///
    /// An ended source may come back under the same URL, and its segments slide out again. The pause is at
    /// most a third of what the playlist last held, or five seconds if none was seen, and never more than
    /// 30 seconds. In the first ten minutes without anything new it is at most a target duration, too.
    ///
    /// - Parameters:
    ///   - failures: how many in a row
    ///   - target: the target duration, microseconds
    ///   - playlistLength: what the playlist last held, microseconds; 0 when none has been seen
    ///   - lasting: for how long nothing has come
    /// - Returns: the pause, microseconds
    static func afterFailure(
        _ failures: Int, target: Int64, playlistLength: Int64, lasting: Duration,
    ) -> Int64 {
        let first = min(max(target / 4, 500_000), 2_000_000)
        let longest = lasting < .seconds(600) ? min(target, 30_000_000) : 30_000_000
        let third = playlistLength > 0 ? playlistLength / 3 : 5_000_000
        return min(first << Int64(min(failures, 6)), max(min(longest, third), 500_000))
    }

    /// The pause after a playlist that has ended: as after many failures.
    static func afterEnd(target: Int64, playlistLength: Int64, lasting: Duration) -> Int64 {
        afterFailure(.max, target: target, playlistLength: playlistLength, lasting: lasting)
    }

    /// A pause made up to 5 % longer or shorter, so that many channels of one source do not ask in step.
    ///
    /// `chance` is between −1 and 1.
    static func jittered(_ microseconds: Int64, chance: Double) -> Int64 {
        microseconds + Int64(Double(microseconds) * 0.05 * min(max(chance, -1), 1))
    }

    /// The same for a pause that must not become longer: one made up to 5 % shorter.
    static func shortened(_ microseconds: Int64, chance: Double) -> Int64 {
        jittered(microseconds, chance: -abs(chance))
    }

    private static func clamped(_ microseconds: Int64) -> Int64 {
        min(max(microseconds, 500_000), 10_000_000)
    }
}
