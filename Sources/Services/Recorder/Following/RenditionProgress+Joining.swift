import Concurrency
import HLS
import Timeline

/// Where another source stands that takes over, or the same one with another numbering; and how long the
/// segments of a source are that nothing has measured in this process.
extension RenditionProgress {
    /// How far it is known what another source's playlist shows.
    enum Join: Sendable {
        case none
        /// Nothing has been placed yet.
        case first
        /// A source has just taken over, or this process has just begun to follow one.
        case open
        /// The segment with this number is being read, which the source listed when it was in use before.
        case recalls(Int64)
        /// It was read, and is not held: the first one may show where the source stands.
        case unrecalled
        /// A segment with this number is being read.
        case asked(Int64)
        /// It was read, and EXTINF does not say its length: the next one tells where it ends.
        case compares(Int64, ProbedSegment)
        case found(JoinPoint)
        /// The media of the segment with this number are not held, and so none of those behind it are.
        case other(Int64)
    }

    /// Whether the first playlist after a start says other lengths than what is held has.
    ///
    /// Where it lists enough of what is held, those segments tell by themselves how wrong it is.
    func doubtsDurations(of playlist: MediaPlaylist, from: Int) -> Bool {
        guard isComingBack, from < Limits.measuredAtLeast, let usual = usualLength else { return false }
        let said = playlist.segments.compactMap { PlaylistFollower.duration(of: $0) }
        guard let shortest = said.min(), let longest = said.max() else { return false }
        let nearest = min(max(usual, shortest), longest)
        return MeasuredDurations.differs(usual, from: nearest)
    }

    /// The middle one of the lengths of the newest segments of this run; nil where none are known.
    private var usualLength: Int64? {
        let lengths = run.map(media.lengths)?.sorted() ?? []
        return lengths.isEmpty ? nil : lengths[lengths.count / 2]
    }

    /// Takes in how long the first segment of a playlist is.
    ///
    /// If that is nearer to what is held than to EXTINF, what is held tells by how much EXTINF is wrong.
    private mutating func learn(_ length: Int64, said: Int64?) {
        if isComingBack, let usual = usualLength, let said,
            (length - usual).magnitude <= (length - said).magnitude
        {
            learnHeld(said: said)
        }
        measured.add(said: said, expected: 0, measured: length, isCompared: true)
    }

    /// Learns from the segments that are held, where the first one cannot be read because its key is missing.
    ///
    /// It is more likely that EXTINF is wrong than that the source has changed the length of its segments.
    private mutating func learnHeld(for playlist: MediaPlaylist) {
        guard renumberedFrom == nil, doubtsDurations(of: playlist, from: 0) else { return }
        learnHeld(said: PlaylistFollower.duration(of: playlist.segments[0]))
    }

    private mutating func learnHeld(said: Int64?) {
        for held in run.map(media.lengths) ?? [] {
            measured.add(said: said, expected: 0, measured: held, isCompared: true)
        }
    }

    /// Where the first new entry behind missing numbers begins, without dates, if those are as long as the
    /// newest segments that are held; nil where that is not known, or arrival contradicts it.
    ///
    /// A playlist may have stood for a target duration when it is loaded, this one or the one that the time
    /// line began with. Numbers keep what lies before and behind the missing ones at the same distance from
    /// the source's time: another recorder may still hold them.
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

    /// Where another source's playlist is joined best: at the newest segment that it listed when it was in
    /// use before, else at its first one, which was recorded most likely.
    ///
    /// Nil where both sources have dates that are believed: then dates tell it. Of a first playlist the
    /// segment tells how wrong EXTINF is, which counts where many are placed by it.
    mutating func askToJoin(_ playlist: MediaPlaylist, at arrival: Arrival) -> Int? {
        var recalls = false
        switch join {
        case .none, .found, .other: return nil
        case .compares(let number, _):
            if PlaylistFollower.number(playlist, 1) == number + 1 { return 1 }
            join = .none
            return nil
        case .first where playlist.segments.count < Limits.playlistToMeasure:
            join = .none
            return nil
        case .open: (join, recalls) = (.none, run == nil)
        case .first, .recalls, .unrecalled, .asked: join = .none
        }
        guard placing.clock == .arrival || !believesDates(of: playlist, at: arrival),
            let number = PlaylistFollower.number(playlist, 0)
        else { return nil }
        if recalls, let seen = formerUse?.newest(in: playlist)?.number, seen != number {
            join = .recalls(seen)
            return Int(seen - number)
        }
        join = .asked(number)
        return 0
    }

    /// The same where a playlist goes on, if it has passed over more than time has.
    mutating func askBeforeNew(
        _ playlist: MediaPlaylist, from: Int, missing: Int64, at arrival: Arrival,
    ) -> Int? {
        if run == nil || doubtsDurations(of: playlist, from: from) { return askToJoin(playlist, at: arrival) }
        guard missing > 0, let lastAdvance = follower.lastAdvance else { return nil }
        let target = PlaylistFollower.target(of: playlist)
        let passed = missing.multipliedReportingOverflow(by: target / 2)
        let time = arrival.steady - lastAdvance + .microseconds(2 * target)
        guard passed.overflow || .microseconds(passed.partialValue) > time else { return nil }
        return askToGoOn(playlist, at: arrival)
    }

    /// The same for a source that counts otherwise from now on: what it lists may be held under other
    /// numbers.
    ///
    /// Nil once that was looked at.
    mutating func askToGoOn(_ playlist: MediaPlaylist, at arrival: Arrival) -> Int? {
        let first = PlaylistFollower.number(playlist, 0)
        if renumberedFrom != first, !media.isEmpty { (renumberedFrom, join) = (first, .open) }
        return askToJoin(playlist, at: arrival)
    }

    /// Whether a source run that begins with a playlist would be placed by the dates in it.
    private func believesDates(of playlist: MediaPlaylist, at arrival: Arrival) -> Bool {
        var trial = placing
        trial.beginRun()
        _ = trial.place(
            entries(of: playlist), arrival: arrival, target: PlaylistFollower.target(of: playlist))
        return trial.clock == .source
    }

    /// Whether nothing of a source that takes over is recorded until it lists something new: it has ended, or
    /// its dates say that everything in it is recorded, and its arrival says otherwise.
    ///
    /// It need not wait if media that are held have shown its place on the time line.
    mutating func awaitsNews(of playlist: MediaPlaylist, at arrival: Arrival) -> Bool {
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
        next.beginRun()
        trial.beginRun()
        _ = trial.place(entries, arrival: arrival, target: target)
        guard trial.clock == .source, let last = entries.last, let date = last.programDateTime else {
            return playlist.isEnded
        }
        guard date - trial.zone + last.duration / 2 < end else { return false }
        return next.coveredCount(entries, arrival: arrival, target: target, byDates: false) < entries.count
    }

    /// A segment was read that was asked for; empty bytes tell nothing.
    mutating func joined(_ probed: ProbedSegment?, in playlist: MediaPlaylist, at arrival: Arrival) {
        let first = PlaylistFollower.number(playlist, 0)
        switch join {
        case .recalls(let number):
            join = probed?.digest.isEmpty ?? true ? .none : .unrecalled
            if let point = recalled(probed, number, in: playlist) { join = .found(point) }
        case .asked(let number):
            join = .none
            guard let probed else { return learnHeld(for: playlist) }
            guard number == first else { return }
            if playlist.segments.count > 1, contradictsDuration(probed, of: playlist) {
                join = .compares(number, probed)
            } else {
                find(probed, in: playlist, at: arrival)
            }
        case .compares(let number, let former):
            join = .none
            guard number == first else { return }
            if let length = length(of: former, before: probed, in: playlist) {
                learn(length, said: PlaylistFollower.duration(of: playlist.segments[0]))
            }
            find(former, in: playlist, at: arrival)
        case .none, .first, .open, .unrecalled, .found, .other: break
        }
    }

    /// Where a source goes on that is back in use: behind what is held from one of its segments on.
    private func recalled(_ probed: ProbedSegment?, _ number: Int64, in playlist: MediaPlaylist) -> JoinPoint?
    {
        guard let probed, let first = PlaylistFollower.number(playlist, 0),
            case let index = Int(number - first), playlist.segments.indices.contains(index),
            let held = media.held(from: probed.digest, atMost: playlist.segments.count - index)
        else { return nil }
        return JoinPoint(
            number: first, start: held.end, held: JoinPoint.Held(count: index + held.count, end: held.end))
    }

    /// How many of the first new entries of a source that is back in use it listed before, as their dates
    /// show: the time line may lie beside them.
    func seenCount(_ numbers: [Int64], of playlist: MediaPlaylist) -> Int {
        guard let seen = formerUse?.newest(in: playlist), seen.isDated else { return 0 }
        return (numbers.lastIndex(of: seen.number) ?? -1) + 1
    }

    /// How long a playlist's first segment is: up to the second one, or as its own media say where a
    /// discontinuity parts them, microseconds.
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
        guard probed.firstTimestamp != nil else { return false }
        let known = measured.duration(said: PlaylistFollower.duration(of: playlist.segments[0]))
        guard let known, let duration = probed.measuredDuration else { return true }
        return MeasuredDurations.differs(duration, from: known)
    }

    private mutating func find(_ probed: ProbedSegment, in playlist: MediaPlaylist, at arrival: Arrival) {
        let entries = entries(of: playlist)
        // Within a run numbers tell where it goes on, unless they are in doubt.
        guard run == nil || renumberedFrom != nil, let number = PlaylistFollower.number(playlist, 0),
            let arrived = TimePlacing.arrival(of: entries, arrival)
        else { return }
        let expected = arrived + (placing.sourceOffset ?? 0)
        let place = media.start(of: probed, near: expected)
        if renumberedFrom != nil, isOther(probed, beginning: place, lasting: entries[0].duration) {
            join = .other(number)
        }
        guard let start = place else { return }
        let held = media.held(from: probed.digest, atMost: playlist.segments.count).map {
            JoinPoint.Held(count: $0.count, end: $0.end)
        }
        if renumberedFrom != nil {
            // An encoder that begins again may show the same slate, with the same time stamps, later.
            let slack = max(2 * PlaylistFollower.target(of: playlist), Limits.renumberedSlack)
            guard held != nil, (start - expected).magnitude <= slack else { return }
        }
        join = .found(JoinPoint(number: number, start: start, held: held))
    }

    /// Whether the media of a segment are none of those that are held: as their time stamps show, they begin
    /// behind those, or have nothing to do with them.
    private func isOther(_ probed: ProbedSegment, beginning start: Instant?, lasting duration: Int64) -> Bool
    {
        guard let end = placing.end, probed.firstTimestamp != nil, media.hasTimestamps,
            !probed.digest.isEmpty, !media.holds(probed.digest)
        else { return false }
        return start.map { $0 + duration / 2 >= end } ?? true
    }
}
