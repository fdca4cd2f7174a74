import Concurrency
import HLS
import Timeline

/// Measures how fast a live playlist grows if EXTINF states much longer segments than there are.
///
/// A client that waits for the EXTINF duration misses segments between loads. The number of missed segments
/// shows the real duration; later loads make it more precise.
struct SegmentPace: Sendable {
    /// What a segment really takes, microseconds; nil while EXTINF seems right.
    private var length: Int64?
    /// What EXTINF says, microseconds.
    private var stated: Int64 = 0
    /// The number that follows the last segment of the newest playlist.
    private var end: UInt64 = 0
    /// The load since which numbers are counted, and the same number in it; nil before the first one.
    private var origin: (end: UInt64, startedAt: SteadyInstant, endedAt: SteadyInstant)?

    /// The part of EXTINF that a segment really takes; 1 while EXTINF seems right.
    var share: Double {
        guard let length, stated > 0 else { return 1 }
        return min(1, Double(length) / Double(stated))
    }

    /// Records a load, with the instants at which it began and ended.
    ///
    /// By EXTINF the playlist holds `length` microseconds.
    mutating func loaded(
        _ playlist: MediaPlaylist, length total: Int64, startedAt: SteadyInstant, now: SteadyInstant,
    ) {
        let count = playlist.segments.count
        guard count > 0 else { return }
        stated = total / Int64(count)
        let first = playlist.mediaSequence & Limits.numberMask
        let previous = end
        end = first + UInt64(count)
        guard let origin, end >= previous, end - previous <= UInt64(Limits.numberJump) else {
            (length, origin) = (nil, (end, startedAt, now))
            return
        }
        let isMissing = first > previous
        if length != nil {
            narrow(startedAt: startedAt, now: now)
        } else if isMissing {
            let real = (startedAt - origin.startedAt).wholeMicroseconds / Int64(end - origin.end)
            length = isMuchShorter(real) ? real : nil
        }
        let isCounted = end - origin.end >= (length == nil ? 1 : UInt64(Limits.segmentsForPace))
        if isMissing || isCounted { self.origin = (end, startedAt, now) }
    }

    /// A load that was begun at one instant brought the same playlist as the one before.
    mutating func unchanged(startedAt: SteadyInstant, now: SteadyInstant) {
        if length != nil { narrow(startedAt: startedAt, now: now) }
    }

    /// Keeps the length between the bounds that the numbers since `origin` give.
    ///
    /// In that time at most one segment more than counted was started, and at least all but one were
    /// finished.
    private mutating func narrow(startedAt: SteadyInstant, now: SteadyInstant) {
        guard let origin, let known = length else { return }
        let count = Int64(end - origin.end)
        let least = (startedAt - origin.endedAt).wholeMicroseconds / (count + 1)
        let most = count > 1 ? (now - origin.startedAt).wholeMicroseconds / (count - 1) : .max
        let real = min(max(known, least), most)
        length = isMuchShorter(real) ? real : nil
    }

    /// A smaller difference causes no misses: no pause is longer than half the playlist's length by EXTINF.
    private func isMuchShorter(_ real: Int64) -> Bool { real < stated / 4 * 3 }
}
