import HLS
import Timeline

/// How long the segments of a source really are, compared with what EXTINF says of them.
///
/// Old packagers write the target duration for every segment, whole seconds, or nothing: a timeline without
/// dates would run away by hours a day. The media of stored segments tell the truth.
struct MeasuredDurations: Sendable {
    private struct Pair: Sendable {
        /// What EXTINF said, microseconds; nil when it was of no use.
        var stated: Int64?
        var measured: Int64
        /// The next segment begins where it ends.
        var isCompared = false
        /// Whether the difference between its media and its place was added to `shortfall`.
        var addsShortfall = false

        /// Whether this pair alone shows that EXTINF is wrong.
        var showsWrongEXTINF: Bool {
            isCompared && stated.map { MeasuredDurations.differs(measured, from: $0) } ?? true
        }
    }

    /// The newest pairs, oldest first; at most `Limits.measuredSegments`.
    private var pairs: [Pair] = []
    /// How much longer the media of the placed segments are than their time on the timeline, microseconds.
    private var shortfall: Int64 = 0
    /// Whether this process has measured any media; what an earlier process placed does not count.
    private var hasMedia = false
    /// Segments that were placed before any were measured.
    private var unmeasuredCount = 0
    /// At least `Limits.segmentsToMeasure` segments came, and none could be measured.
    var cannotBeMeasured: Bool { !hasMedia && unmeasuredCount >= Limits.segmentsToMeasure }

    /// The source begins again: it writes EXTINF as before, until its segments show otherwise.
    mutating func startRun() {
        shortfall = 0
    }

    /// Counts placed segments until the first one has been measured.
    mutating func placed(_ count: Int) {
        if !hasMedia { unmeasuredCount += count }
    }

    /// A segment was stored.
    ///
    /// - Parameters:
    ///   - stated: what EXTINF said, microseconds; nil when it was of no use
    ///   - expected: the duration with which it was placed, microseconds; 0 when it does not count
    ///   - measured: what its media contain, microseconds
    ///   - isCompared: the next one begins where it ends
    mutating func add(stated: Int64?, expected: Int64, measured: Int64, isCompared: Bool = false) {
        guard (1...Limits.longestSegment).contains(measured) else { return }
        hasMedia = true
        let difference = measured - expected
        // More is a wrong ratio, which the next segments show, or media with a jump.
        let addsShortfall = expected > 0 && difference.magnitude <= (expected / 2).magnitude
        pairs.append(
            Pair(stated: stated, measured: measured, isCompared: isCompared, addsShortfall: addsShortfall))
        if pairs.count > Limits.measuredSegments { pairs.removeFirst() }
        if addsShortfall { addShortfall(difference) }
    }

    /// Corrects a measured duration to `length`, both microseconds, because the end of the media was missing.
    ///
    /// `isCompared` means that the start of the next segment shows the length.
    mutating func correct(_ measured: Int64, stated: Int64?, to length: Int64, isCompared: Bool = true) {
        guard let index = pairs.lastIndex(where: { $0.stated == stated && $0.measured == measured }) else {
            return
        }
        if pairs[index].addsShortfall { addShortfall(length - measured) }
        (pairs[index].measured, pairs[index].isCompared) = (length, isCompared)
    }

    /// Adds to the shortfall: the placed time is shorter than its media by `difference` microseconds.
    mutating func addShortfall(_ difference: Int64) {
        shortfall = min(max(shortfall + difference, -Limits.longestShortfall), Limits.longestShortfall)
    }

    /// Whether a length differs from another one by more than whole seconds and segments of different length
    /// explain, microseconds.
    static func differs(_ length: Int64, from other: Int64) -> Bool {
        (length - other).magnitude > max(Limits.roundedDuration, other / 5).magnitude
    }

    /// Learns durations from segments that an earlier process placed and a playlist lists again.
    ///
    /// Each counts as long as its time on the timeline. If EXTINF is unusable, segments that are no longer
    /// listed count too, because they show the usual length.
    ///
    /// - Parameters:
    ///   - held: the placed times, by number
    ///   - playlist: the playlist
    ///   - end: the index after the last entry that is held
    mutating func add(_ held: [Int64: TimeWindow], listedIn playlist: MediaPlaylist, before end: Int) {
        guard !held.isEmpty else { return }
        let hadMedia = hasMedia
        defer { hasMedia = hadMedia }
        if let newest = playlist.segments.last, PlaylistFollower.duration(of: newest) == nil {
            for (_, window) in held.sorted(by: { $0.key < $1.key }).suffix(Limits.measuredSegments) {
                add(stated: nil, expected: 0, measured: window.microseconds)
            }
            return
        }
        for index in playlist.segments.indices.prefix(end) {
            guard let number = PlaylistFollower.number(playlist, index), let window = held[number] else {
                continue
            }
            add(
                stated: PlaylistFollower.duration(of: playlist.segments[index]), expected: 0,
                measured: window.microseconds)
        }
    }

    /// The real duration of a segment with EXTINF `stated`, both microseconds; nil when nothing is known.
    ///
    /// The result is `stated` while EXTINF seems right. Otherwise `stated` is scaled by the ratio of the last
    /// segments with a similar EXTINF: a source may be wrong about a programme and right about its
    /// advertisements. If no EXTINF is similar, all segments count. If EXTINF was the same wrong value for
    /// all of them, the result is their mean duration.
    func duration(stated: Int64?) -> Int64? {
        guard let stated else {
            let unstated = Sum(pairs.lazy.filter { $0.stated == nil })
            return unstated.count == 0 ? pairs.last?.measured : unstated.measured / unstated.count
        }
        let all = Sum(pairs.lazy.filter { $0.stated != nil })
        let alike = Sum(pairs.lazy.filter { $0.stated.map { !Self.differs($0, from: stated) } ?? false })
        let known = alike.count > 0 ? alike : all
        guard all.count >= Limits.minimumMeasuredSegments || all.showsWrongEXTINF, known.isWrong else {
            return stated
        }
        if alike.count == 0, !Self.differs(all.longest, from: all.shortest), all.isFarOff {
            return all.measured / all.count
        }
        let length = Double(stated) * (Double(known.measured) / Double(known.stated))
        return Int64(min(max(1, length), Double(Limits.longestSegment)))
    }

    /// Sums over several pairs.
    private struct Sum {
        var count: Int64 = 0
        var stated: Int64 = 0
        var measured: Int64 = 0
        /// The least and the most that EXTINF said.
        var (shortest, longest) = (Int64.max, Int64(0))
        /// One of them tells by itself that EXTINF is wrong.
        var showsWrongEXTINF = false

        init(_ pairs: some Sequence<Pair>) {
            for pair in pairs {
                let own = pair.stated ?? 0
                (count, stated, measured) = (count + 1, stated + own, measured + pair.measured)
                (shortest, longest) = (min(shortest, own), max(longest, own))
                showsWrongEXTINF = showsWrongEXTINF || pair.showsWrongEXTINF
            }
        }

        /// EXTINF is wrong about a usual segment by more than whole seconds explain.
        var isFarOff: Bool { MeasuredDurations.differs(measured / count, from: stated / count) }

        /// EXTINF differs from the media by more than rounding and chance.
        var isWrong: Bool { (stated - measured).magnitude > (stated / Limits.measuredSlack).magnitude }
    }

    /// The shortfall that the next segment takes, microseconds: at most a quarter of its duration.
    mutating func takeShortfall(from duration: Int64) -> Int64 {
        let bound = duration / Limits.firmSlewShare
        let paid = min(max(shortfall, -bound), bound)
        shortfall -= paid
        return paid
    }
}
