import Concurrency
import HLS
import Timeline

/// Finds the place of a new or renumbered source on the timeline by its media (joining).
///
/// It also learns the segment durations of a source that this process has not measured yet.
extension RenditionProgress {
    /// The state of the search for a source's place on the timeline.
    enum Join: Sendable {
        case none
        /// Nothing has been placed yet.
        case first
        /// A source has just taken over, or this process has just begun to follow one.
        case open
        /// The segment with this number is being read, which the source listed when it was in use before.
        case readingEarlierUse(Int64)
        /// The segment of `readingEarlierUse` was read and is not held; the first one is read next.
        case earlierUseMissed
        /// A segment with this number is being read.
        case reading(Int64)
        /// That segment was read, but its duration is in doubt; the next one is read to show where it ends.
        case readingNext(Int64, ProbedSegment)
        case found(JoinPoint)
        /// The segment with this number is new media, and so are all segments after it.
        case newMedia(Int64)
    }

    /// Whether the first playlist after a start states other durations than the held segments have.
    ///
    /// False if it lists enough held segments: these show the error of EXTINF by themselves.
    func doubtsDurations(of playlist: MediaPlaylist, from: Int) -> Bool {
        guard isResuming, from < Limits.minimumMeasuredSegments, let usual = usualLength else { return false }
        let stated = playlist.segments.compactMap { PlaylistFollower.duration(of: $0) }
        guard let shortest = stated.min(), let longest = stated.max() else { return false }
        let nearest = min(max(usual, shortest), longest)
        return MeasuredDurations.differs(usual, from: nearest)
    }

    /// The median length of the newest segments of this run; nil if none is known.
    private var usualLength: Int64? {
        let lengths = run.map(media.lengths)?.sorted() ?? []
        return lengths.isEmpty ? nil : lengths[lengths.count / 2]
    }

    /// Takes the measured length of a playlist's first segment.
    ///
    /// If it is closer to the length of held segments than to EXTINF, the held segments show by how much
    /// EXTINF is wrong.
    private mutating func learn(_ length: Int64, stated: Int64?) {
        if isResuming, let usual = usualLength, let stated,
            (length - usual).magnitude <= (length - stated).magnitude
        {
            learnHeld(stated: stated)
        }
        measured.add(stated: stated, expected: 0, measured: length, isCompared: true)
    }

    /// Learns from the segments that are held, where the first one cannot be read because its key is missing.
    ///
    /// It is more likely that EXTINF is wrong than that the source has changed the length of its segments.
    private mutating func learnHeld(for playlist: MediaPlaylist) {
        guard renumberedFrom == nil || mayBeRenumbered(playlist), doubtsDurations(of: playlist, from: 0)
        else {
            return
        }
        learnHeld(stated: PlaylistFollower.duration(of: playlist.segments[0]))
    }

    private mutating func learnHeld(stated: Int64?) {
        for held in run.map(media.lengths) ?? [] {
            measured.add(stated: stated, expected: 0, measured: held, isCompared: true)
        }
    }

    /// The start of the first new entry after missing numbers, counted without dates.
    ///
    /// Each missing number counts as the mean duration of the newest held segments. The start stays within
    /// a target duration of arrival: this playlist, or the one that the timeline began with, may have been
    /// that old. Nil when durations are not known, or arrival contradicts the count. Counting keeps the
    /// segments on both sides at their true distance: another recorder may still hold the missing ones.
    func countedStart(of new: NewEntries, target: Int64, at arrival: Arrival) -> Instant? {
        guard let entry = new.entries.first, entry.lacksNumbers, !entry.isSharedByMedia,
            placing.clock == .arrival || new.entries.allSatisfy({ $0.programDateTime == nil }),
            let run, let number = new.numbers.first, let held = media.last(of: run, before: number),
            let arrived = TimePlacing.arrival(of: new.entries, arrival)
        else { return nil }
        let lengths = media.lengths(in: run)
        guard !lengths.isEmpty else { return nil }
        let mean = lengths.reduce(0, +) / Int64(lengths.count)
        let (length, isHuge) = (number - held.number).multipliedReportingOverflow(by: mean)
        let latest = arrived + (placing.sourceOffset ?? 0)
        guard !isHuge, latest - held.window.begin - length <= TimePlacing.step(target: target) else {
            return nil
        }
        let counted = min(max(held.window.begin + length, latest - target), latest + target)
        let shared = entry.sharedStart.map { ($0 - counted).magnitude <= entry.duration / 2 } ?? false
        return shared ? entry.sharedStart : counted
    }

    /// The index of the segment to read, to find a playlist's place on the timeline; nil for none.
    ///
    /// It is the newest segment that the source listed in an earlier use, else the first one, which is most
    /// likely recorded. Nil if the dates of both sources are believed, as these show the place, unless
    /// the timeline is ahead of arrival. In the very first playlist the segment shows the error of
    /// EXTINF, which matters if it places many segments.
    mutating func joinProbeIndex(_ playlist: MediaPlaylist, at arrival: Arrival) -> Int? {
        var checksEarlierUse = false
        switch join {
        case .none, .found, .newMedia: return nil
        case .readingNext(let number, _):
            if PlaylistFollower.number(playlist, 1) == number + 1 { return 1 }
            join = .none
            return nil
        case .first where !Self.needsMeasuring(playlist):
            join = .none
            return nil
        case .open: (join, checksEarlierUse) = (.none, run == nil)
        case .first, .readingEarlierUse, .earlierUseMissed, .reading: join = .none
        }
        guard let number = PlaylistFollower.number(playlist, 0),
            placing.clock == .arrival || !acceptsDates(of: playlist, at: arrival)
                || run == nil && placing.isAhead(of: arrival, target: PlaylistFollower.target(of: playlist))
                || renumberedFrom == number && mayBeRenumbered(playlist)
        else { return nil }
        if checksEarlierUse, let seen = earlierUse?.newest(in: playlist)?.number, seen != number {
            join = .readingEarlierUse(seen)
            return Int(seen - number)
        }
        let index = renumberedFrom == nil ? 0 : likelyHeldIndex(in: playlist, at: arrival)
        join = .reading(number + Int64(index))
        return index
    }

    /// Whether wrong durations would move segments of the very first playlist by much.
    private static func needsMeasuring(_ playlist: MediaPlaylist) -> Bool {
        let count = playlist.segments.count
        return count >= Limits.minimumPlaylistToMeasure
            || count >= Limits.minimumMeasuredSegments
                && PlaylistFollower.length(of: playlist) >= Limits.minimumLengthToMeasure
    }

    /// The index of the segment to read before new entries are placed; nil for none.
    ///
    /// One is read if more numbers are missing than the elapsed time explains, in a new run, if durations are
    /// doubtful, and if the first playlist after a start may list recorded media under higher numbers.
    mutating func probeIndexBeforeNew(
        _ playlist: MediaPlaylist, from: Int, missing: Int64, at arrival: Arrival,
    ) -> Int? {
        if mayListHeld(playlist, at: arrival) { return probeIndexAfterRenumbering(playlist, at: arrival) }
        if run == nil || doubtsDurations(of: playlist, from: from) {
            return joinProbeIndex(playlist, at: arrival)
        }
        guard missing > 0, let lastAdvance = follower.lastAdvance else { return nil }
        let target = PlaylistFollower.target(of: playlist)
        let passed = missing.multipliedReportingOverflow(by: target / 2)
        let time = arrival.steady - lastAdvance + .microseconds(2 * target)
        guard passed.overflow || .microseconds(passed.partialValue) > time else { return nil }
        return probeIndexAfterRenumbering(playlist, at: arrival)
    }

    /// The segment to read first if a new numbering may list recorded media; nil if it cannot.
    mutating func probeAfterRenumbering(_ playlist: MediaPlaylist, at arrival: Arrival) -> ListedSegment? {
        probeIndexAfterRenumbering(playlist, at: arrival).flatMap { segment(playlist, $0, at: arrival) }
    }

    /// The index of the segment to read if the source has a new numbering; nil once media were compared.
    ///
    /// Its media may be held under other numbers.
    mutating func probeIndexAfterRenumbering(_ playlist: MediaPlaylist, at arrival: Arrival) -> Int? {
        let first = PlaylistFollower.number(playlist, 0)
        if renumberedFrom != first, !media.isEmpty { (renumberedFrom, join) = (first, .open) }
        return joinProbeIndex(playlist, at: arrival)
    }

    /// Whether a source run that begins with a playlist would be placed by the dates in it.
    func acceptsDates(of playlist: MediaPlaylist, at arrival: Arrival) -> Bool {
        var trial = placing
        trial.startRun()
        _ = trial.place(
            entries(of: playlist), arrival: arrival, target: PlaylistFollower.target(of: playlist))
        return trial.clock == .source
    }

    /// Whether a source that takes over must list something new before any of it is recorded.
    ///
    /// True if it has ended and has no usable dates, or if its dates say that all of it is recorded and its
    /// arrival says otherwise. False if held media have shown its place on the timeline.
    mutating func awaitsNewEntry(of playlist: MediaPlaylist, at arrival: Arrival) -> Bool {
        let newest = SeenEntry(playlist, playlist.segments.count - 1)
        if case .found = join { return false }
        guard run == nil, awaited == nil || awaited == newest, mayBeOld(playlist, at: arrival) else {
            return false
        }
        awaited = newest
        return true
    }

    private func mayBeOld(_ playlist: MediaPlaylist, at arrival: Arrival) -> Bool {
        guard let end = placing.end else { return false }
        let (entries, target) = (entries(of: playlist), PlaylistFollower.target(of: playlist))
        var (next, trial) = (placing, placing)
        next.startRun()
        trial.startRun()
        _ = trial.place(entries, arrival: arrival, target: target)
        guard trial.clock == .source, let last = entries.last, let date = last.programDateTime else {
            return playlist.isEnded
        }
        guard date - trial.zone + last.duration / 2 < end else { return false }
        return next.coveredCount(entries, arrival: arrival, target: target, byDates: false) < entries.count
    }

    /// Takes the result of a probe that `joinProbeIndex` requested; an empty digest decides nothing.
    mutating func joined(_ probed: ProbedSegment?, in playlist: MediaPlaylist, at arrival: Arrival) {
        let first = PlaylistFollower.number(playlist, 0)
        switch join {
        case .readingEarlierUse(let number):
            join = probed?.digest.isEmpty ?? true ? .none : .earlierUseMissed
            if let point = recalled(probed, number, in: playlist) { join = .found(point) }
        case .reading(let number):
            join = .none
            guard let probed else { return learnHeld(for: playlist) }
            guard let first, case let index = number - first,
                playlist.segments.indices.contains(Int(clamping: index))
            else { return }
            if index == 0, playlist.segments.count > 1, contradictsDuration(probed, of: playlist) {
                join = .readingNext(number, probed)
            } else {
                find(probed, at: Int(index), of: playlist, at: arrival)
            }
        case .readingNext(let number, let previous):
            join = .none
            guard number == first else { return }
            if let length = length(of: previous, before: probed, in: playlist) {
                learn(length, stated: PlaylistFollower.duration(of: playlist.segments[0]))
            }
            find(previous, at: 0, of: playlist, at: arrival)
        case .none, .first, .open, .earlierUseMissed, .found, .newMedia: break
        }
    }

    /// The place of a source that is used again: after the held segments that start with the probed one.
    ///
    /// Nil when that segment is not held.
    private func recalled(_ probed: ProbedSegment?, _ number: Int64, in playlist: MediaPlaylist) -> JoinPoint?
    {
        guard let probed, let first = PlaylistFollower.number(playlist, 0),
            case let index = Int(number - first), playlist.segments.indices.contains(index),
            let held = media.held(from: probed.digest, atMost: playlist.segments.count - index)
        else { return nil }
        return JoinPoint(
            number: first, start: held.end, held: JoinPoint.Held(count: index + held.count, end: held.end))
    }

    /// How many of the first new entries a source already listed in an earlier use, by their dates.
    ///
    /// The timeline cannot tell it, as it may be off from these dates.
    func seenCount(_ numbers: [Int64], of playlist: MediaPlaylist) -> Int {
        guard let seen = earlierUse?.newest(in: playlist), seen.isDated else { return 0 }
        return (numbers.lastIndex(of: seen.number) ?? -1) + 1
    }

    /// The length of a playlist's first segment, microseconds.
    ///
    /// It is the distance to the second segment or, if a discontinuity lies between them, the measured
    /// duration.
    private func length(
        of first: ProbedSegment, before second: ProbedSegment?, in playlist: MediaPlaylist,
    ) -> Int64? {
        guard playlist.segments.count > 1 else { return nil }
        if playlist.segments[1].discontinuityCount > 0 { return first.measuredDuration }
        guard let begin = first.firstTimestamp, let end = second?.firstTimestamp else { return nil }
        return HeldMedia.distance(from: begin, to: end)
    }

    /// Whether a playlist's first segment, which was read, seems to be longer or shorter than is known.
    private func contradictsDuration(_ probed: ProbedSegment, of playlist: MediaPlaylist) -> Bool {
        // A start within a run reads one segment only, unless it is known that durations are wrong.
        guard probed.firstTimestamp != nil,
            !mayBeRenumbered(playlist) || doubtsDurations(of: playlist, from: 0)
        else { return false }
        let known = measured.duration(stated: PlaylistFollower.duration(of: playlist.segments[0]))
        guard let known, let duration = probed.measuredDuration else { return true }
        return MeasuredDurations.differs(duration, from: known)
    }

    private mutating func find(
        _ probed: ProbedSegment, at index: Int, of playlist: MediaPlaylist, at arrival: Arrival,
    ) {
        let entries = entries(of: playlist)
        // Within a run numbers tell where it goes on, unless they are in doubt.
        guard run == nil || renumberedFrom != nil, let number = PlaylistFollower.number(playlist, 0),
            let expected = expectedStart(of: index, entries, in: playlist, at: arrival)
        else { return }
        let place = media.start(of: probed, near: expected)
        if renumberedFrom != nil, index == 0,
            isOther(probed, beginning: place, lasting: entries[0].duration)
        {
            join = .newMedia(number)
        }
        guard let start = place else { return }
        let held = media.held(from: probed.digest, atMost: playlist.segments.count - index).map {
            JoinPoint.Held(count: index + $0.count, end: $0.end)
        }
        if renumberedFrom != nil {
            // An encoder that begins again may show the same slate, with the same timestamps, later.
            let slack = max(2 * PlaylistFollower.target(of: playlist), Limits.renumberedSlack)
            guard (start - expected).magnitude <= slack,
                held != nil || media.shows(probed, at: start, behind: 2 * slack)
            else { return }
        }
        let begin = entries.prefix(index).reduce(start) { $0 - $1.duration }
        join = .found(JoinPoint(number: number, start: begin, held: held))
    }

    /// Whether a segment's media are not held: they begin after the recorded end, or fit no held timestamps.
    private func isOther(_ probed: ProbedSegment, beginning start: Instant?, lasting duration: Int64) -> Bool
    {
        guard let end = placing.end, probed.firstTimestamp != nil, media.hasTimestamps,
            !probed.digest.isEmpty, !media.holds(probed.digest)
        else { return false }
        return start.map { $0 + duration / 2 >= end } ?? true
    }
}
