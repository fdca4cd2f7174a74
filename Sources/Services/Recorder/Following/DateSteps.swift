import HLS
import Timeline

/// Finds steps in a source's dates between two consecutive media sequence numbers.
///
/// Media may be missing there, or the encoder's clock was set. A packager that was restarted, or that lost
/// some input, keeps counting as if nothing were missing. The timestamps of the media show which it is, so
/// the segment after a step is probed before it is placed.
struct DateSteps: Sendable {
    /// What is to be done with the new entries of a playlist.
    enum Finding: Equatable {
        /// They are taken.
        case none
        /// Those before this index are taken; the others wait until their predecessor is stored.
        case later(index: Int)
        /// The segment at this index is read first.
        case probes(index: Int)
    }

    /// The segment in front of the first new entry, where an earlier playlist or an earlier process had it.
    struct Predecessor {
        var number: Int64
        /// The source's date; nil where it is not known.
        var date: Instant?
        /// Microseconds, as it was listed or stored.
        var duration: Int64
        /// Where its media begin, in units of 90 kHz; nil where that is not known.
        var timestamp: Int64?
        /// An earlier process stored it: its date is computed from the timeline, which may differ from the
        /// source's dates.
        var isOfEarlierProcess = false
    }

    /// A segment that is read.
    private struct Question {
        /// What its timestamp decides.
        enum Kind {
            /// Whether media are missing before it, as its date says.
            case step
            /// Whether media simply go on after EXT-X-DISCONTINUITY although dates step, in microseconds.
            ///
            /// The timestamps may begin anywhere there.
            case discontinuity(Int64)
            /// Whether it follows those before it, although it arrived late.
            case late
            /// Where it begins, if the one that it is compared with begins at this instant.
            case held(Instant)
        }

        var kind: Kind
        var number: Int64
        /// Where the media of a segment before it begin, in units of 90 kHz.
        var timestamp: Int64
        /// The distance from there to the segment if the answer is yes, microseconds.
        var lengths: ClosedRange<Int64>
        /// The step is between two dates of the source: if no media are missing, its dates are unreliable.
        var isOfDates = true
    }

    /// Detects frozen dates, which show no steps.
    var frozen = FrozenDates()
    private var asked: Question?
    /// The number of the last segment that had to wait, and in how many playlists.
    private var lastDeferred: (number: Int64, count: Int) = (-1, 0)
    /// The last segment that arrived late, and whether its media follow those before it.
    private var lastLate: (number: Int64, follows: Bool)?
    /// The first segment after a start of the process that arrived late, and where its media begin.
    private var lateStart: (number: Int64, start: Instant)?
    /// Judged segments after date steps, by number: whether media are missing before them.
    private var mediaMissingBefore: [Int64: Bool] = [:]
    /// Steps up to this number are ignored, because the source's dates are unreliable.
    private var unreliableUpTo: Int64 = -1

    /// The numbers in front of which media are missing.
    var holes: Set<Int64> { Set(mediaMissingBefore.filter(\.value).keys) }

    /// Looks at the new entries of a playlist of the same source run.
    ///
    /// - Parameters:
    ///   - playlist: the playlist as received
    ///   - from: index of the first new entry
    ///   - stored: what was measured of the stored segments of the run, by number
    ///   - earlier: what is known of the segment in front of the first new entry besides the playlist
    ///   - expected: the real duration that is expected for an EXTINF, both microseconds
    /// - Returns: what is to be done with them
    mutating func find(
        in playlist: MediaPlaylist, from: Int, stored: [Int64: ShortSegments.Entry],
        after earlier: Predecessor? = nil, expected: (Int64) -> Int64,
    ) -> Finding {
        let entries = DatedEntries(playlist, stored: stored, after: earlier, holes: holes)
        for index in playlist.segments.indices where index >= from {
            guard let number = PlaylistFollower.number(playlist, index), number > unreliableUpTo,
                mediaMissingBefore[number] == nil,
                let step = entries.step(before: index, number: number, expected: expected)
            else { continue }
            let isFirst = index == from
            if isFirst, let question = Self.question(about: step, tolerance: entries.tolerance) {
                asked = question
                return .probes(index: index)
            }
            // Otherwise the whole playlist would wait for a segment that may never be stored.
            guard step.isListed else { continue }
            if isFirst, hasWaited(number) {
                judgeUnread(step)
                continue
            }
            postpone(number, isFirst: isFirst)
            return .later(index: index)
        }
        return .none
    }

    /// What the media after a step have to show; nil if those before it are not known.
    private static func question(about step: DateStep, tolerance: Int64) -> Question? {
        guard let timestamp = step.timestamp else { return nil }
        let sought = step.isDiscontinuity ? step.duration : step.length
        let slack = tolerance / 2 + step.excess / 10
        return Question(
            kind: step.isDiscontinuity ? .discontinuity(step.excess) : .step, number: step.number,
            timestamp: timestamp, lengths: sought - slack...sought + slack, isOfDates: !step.isHeld)
    }

    /// Whether a segment has waited for its predecessor in as many playlists as it may.
    private func hasWaited(_ number: Int64) -> Bool {
        lastDeferred.number == number && lastDeferred.count >= Limits.doubtfulPlaylists
    }

    /// Makes a segment wait for its predecessor; only the first new one of a playlist is counted at once.
    private mutating func postpone(_ number: Int64, isFirst: Bool) {
        let isRepeated = lastDeferred.number == number
        lastDeferred = (number, isRepeated ? lastDeferred.count + 1 : isFirst ? 1 : 0)
    }

    /// Judges a step without the media: after EXT-X-DISCONTINUITY some are missing, elsewhere none.
    private mutating func judgeUnread(_ step: DateStep) {
        mediaMissingBefore[step.number] = step.isDiscontinuity
        if step.isDiscontinuity { unreliableUpTo = step.number + Limits.unreliableDateSegments }
    }

    /// Probes a late segment without a date: its first timestamp shows whether media are missing before it.
    mutating func probeLate(_ number: Int64, at index: Int, after before: ShortSegments.Entry) -> Finding {
        guard let timestamp = before.timestamp else { return .none }
        let slack = Limits.timestampSlack + before.measured / 10
        asked = Question(
            kind: .late, number: number, timestamp: timestamp,
            lengths: before.measured - slack...before.measured + slack)
        return .probes(index: index)
    }

    /// Probes the first segment after a process start if it arrives late: its media show where it starts.
    ///
    /// - Parameters:
    ///   - timestamp: where the media of a held segment start, in units of 90 kHz
    ///   - begin: the same on the timeline
    ///   - number: the number of the late segment
    ///   - index: the index of the late segment in the playlist
    ///   - lengths: how long after the held segment it may start, microseconds; anything else is a jump
    /// - Returns: what is to be done with it
    mutating func probeFirst(
        _ timestamp: Int64, beginning begin: Instant, _ number: Int64, at index: Int,
        lengths: ClosedRange<Int64>,
    ) -> Finding {
        asked = Question(kind: .held(begin), number: number, timestamp: timestamp, lengths: lengths)
        return .probes(index: index)
    }

    /// The start, as its media show it, of the first segment that arrived late after a process start.
    func start(of number: Int64) -> Instant? { lateStart.flatMap { $0.number == number ? $0.start : nil } }

    /// Whether a late segment has already been checked for missing media before it.
    func hasCheckedLate(_ number: Int64) -> Bool { lastLate?.number == number }

    /// Whether a segment arrived late and no media are missing before it.
    func followsLate(_ number: Int64) -> Bool { lastLate.map { $0.number == number && $0.follows } ?? false }

    /// Whether the segment of a number was asked for.
    func probes(_ number: Int64) -> Bool { asked?.number == number }

    /// Takes the first timestamp of the segment asked for, in units of 90 kHz; nil if it was not readable.
    mutating func judge(_ timestamp: Int64?) {
        guard let asked else { return }
        self.asked = nil
        let length = timestamp.map { HeldMedia.distance(from: asked.timestamp, to: $0) }
        let fits = length.map { asked.lengths.contains($0) } ?? false
        switch asked.kind {
        case .late: return lastLate = (asked.number, fits)
        case .held(let begin):
            lastLate = (asked.number, false)
            if fits, let length { lateStart = (asked.number, begin + length) }
            return
        case .discontinuity(let step):
            mediaMissingBefore[asked.number] = !fits
            let isConfirmed = length.map { asked.lengths.contains($0 - step) } ?? false
            if !isConfirmed, asked.isOfDates { unreliableUpTo = asked.number + Limits.unreliableDateSegments }
        case .step:
            mediaMissingBefore[asked.number] = fits
            if !fits, asked.isOfDates { unreliableUpTo = asked.number + Limits.unreliableDateSegments }
        }
        guard mediaMissingBefore.count > 2 * Limits.judgedSteps else { return }
        for number in mediaMissingBefore.keys.sorted().dropLast(Limits.judgedSteps) {
            mediaMissingBefore[number] = nil
        }
    }
}
