import Catalogue
import Concurrency
import HLS
import Timeline

/// Segments that are read before they are placed.
extension RenditionProgress {
    /// The entries of a playlist, as far as they tell their times.
    func entries(of playlist: MediaPlaylist) -> [TimePlacing.Entry] {
        NewEntries(
            playlist, from: 0, target: PlaylistFollower.target(of: playlist), opensHole: false, shared: [:],
            measured
        ).entries
    }

    /// The segment to compare: the nearest to an index that has a known digest, else the one at the index.
    ///
    /// One at or before the index is preferred to one after it.
    func probe(_ playlist: MediaPlaylist, _ index: Int, at arrival: Arrival) -> ListedSegment? {
        let isKnown = {
            PlaylistFollower.number(playlist, $0).map { !(digests[$0]?.isEmpty ?? true) } ?? false
        }
        let nearest =
            (0...index).last(where: isKnown) ?? playlist.segments.indices[index...].first(where: isKnown)
        return segment(playlist, nearest ?? index, at: arrival)
    }

    /// The segment at an index of a playlist, to be read before it is placed.
    func segment(_ playlist: MediaPlaylist, _ index: Int, at arrival: Arrival) -> ListedSegment? {
        guard let number = PlaylistFollower.number(playlist, index) else { return nil }
        return ListedSegment(
            placed: PlacedSegment(
                identity: SegmentIdentity(rendition: id, run: run ?? 0, number: number), start: arrival.date,
                duration: 1),
            entry: playlist.segments[index], arrival: arrival.date, flags: [],
            listedNumber: alignment.listedNumber(playlist, index),
            discontinuityCount: discontinuityCount, availableUntil: arrival.steady)
    }

    /// Looks for steps of the source's dates, or of arrival, in front of new entries.
    mutating func findStep(
        in playlist: MediaPlaylist, from: Int, missing: Int64 = 0, at arrival: Arrival,
        shared: [Int64: Instant],
    ) -> DateSteps.Finding {
        guard let run else { return .none }
        let held =
            isResuming
            ? PlaylistFollower.number(playlist, from).flatMap { media.last(of: run, before: $0) } : nil
        if let held, let finding = findLateStart(of: playlist, from: from, after: held, at: arrival) {
            return finding
        }
        guard placing.clock == .source else {
            return missing > 0
                ? .none : findLateArrival(of: playlist, from: from, at: arrival, shared: shared)
        }
        let durations = measured
        let earlier =
            held.map { predecessor($0, of: playlist, from: from, at: arrival) }
            ?? listedBefore(playlist, from: from)
        return dateSteps.find(
            in: playlist, from: from, stored: shortSegments.entries, after: earlier
        ) {
            durations.duration(stated: $0) ?? $0
        }
    }

    /// The last segment of an earlier process, with a date by a playlist that may no longer list it.
    private func predecessor(
        _ held: (number: Int64, window: TimeWindow, timestamp: Int64), of playlist: MediaPlaylist, from: Int,
        at arrival: Arrival,
    ) -> DateSteps.Predecessor {
        var earlier = DateSteps.Predecessor(
            number: held.number, duration: held.window.microseconds, timestamp: held.timestamp,
            isOfEarlierProcess: true)
        guard from == 0 else { return earlier }
        var trial = placing
        _ = trial.place(
            entries(of: playlist), arrival: arrival, target: PlaylistFollower.target(of: playlist))
        if trial.clock == .source { earlier.date = held.window.begin + trial.zone }
        return earlier
    }

    /// The segment in front of a playlist of new entries only, as the playlists before listed it.
    private func listedBefore(_ playlist: MediaPlaylist, from: Int) -> DateSteps.Predecessor? {
        guard from == 0, let number = PlaylistFollower.number(playlist, 0),
            let entry = follower.seen(number - 1), let date = entry.date,
            (1...Limits.longestSegment).contains(entry.duration)
        else { return nil }
        return DateSteps.Predecessor(number: entry.number, date: date, duration: entry.duration)
    }

    /// Checks the first undated entries after a process start that arrive later than their numbers explain.
    ///
    /// The source may have stalled meanwhile; its media show how much is missing. Nil: nothing to check.
    private mutating func findLateStart(
        of playlist: MediaPlaylist, from: Int,
        after held: (number: Int64, window: TimeWindow, timestamp: Int64), at arrival: Arrival,
    ) -> DateSteps.Finding? {
        let entry = playlist.segments[from]
        guard pendingBoundary == nil, let number = PlaylistFollower.number(playlist, from),
            !dateSteps.hasCheckedLate(number), entry.discontinuityCount == 0, !entry.isGap,
            !playlist.segments.contains(where: { $0.programDateTimeMicroseconds != nil }),
            let arrived = TimePlacing.arrival(of: Array(entries(of: playlist)[from...]), arrival)
        else { return nil }
        let latest = arrived + (placing.sourceOffset ?? 0) - held.window.begin
        let (counted, isHuge) = (number - held.number).multipliedReportingOverflow(
            by: held.window.microseconds)
        let step = TimePlacing.step(target: PlaylistFollower.target(of: playlist))
        guard !isHuge, latest - counted > step else { return nil }
        return dateSteps.probeFirst(
            held.timestamp, beginning: held.window.begin, number, at: from, lengths: counted / 2...latest)
    }

    /// New entries that arrive late, and no number is missing: media may be missing, or the playlists before
    /// were old ones.
    private mutating func findLateArrival(
        of playlist: MediaPlaylist, from: Int, at arrival: Arrival, shared: [Int64: Instant],
    ) -> DateSteps.Finding {
        let target = PlaylistFollower.target(of: playlist)
        let step = TimePlacing.step(target: target)
        guard let end = placing.end, pendingBoundary == nil,
            arrival.date - arrival.laterEntriesDuration + (placing.sourceOffset ?? 0) - end > step,
            let number = PlaylistFollower.number(playlist, from), !dateSteps.hasCheckedLate(number),
            playlist.segments[from].discontinuityCount == 0, !playlist.segments[from].isGap,
            let before = shortSegments.entries[number - 1], before.verdict == .whole
        else { return .none }
        let new = NewEntries(
            playlist, from: from, target: target, opensHole: false, shared: shared, measured,
            leaderOffset: leaderOffset)
        var trial = placing
        guard let first = trial.place(new.entries, arrival: arrival, target: target).first, first.hasStep,
            first.start - end <= Limits.lateSteps * step
        else { return .none }
        return dateSteps.probeLate(number, at: from, after: before)
    }

    /// Why time is missing before a segment; nil when none is.
    func gapReason(
        before number: Int64, _ placement: TimePlacing.Placement, otherwise reason: GapReason,
    ) -> GapReason? {
        guard placement.hasStep else { return nil }
        if dateSteps.holes.contains(number) { return .sourceGap }
        return placement.isStepOfDatesOnly ? .sourceJump : reason
    }

    /// How much a playlist lists from an index on, microseconds.
    func length(of playlist: MediaPlaylist, from index: Int) -> Int64 {
        entries(of: playlist).suffix(max(0, playlist.segments.count - index)).reduce(0) { $0 + $1.duration }
    }

    /// Judges a step by the first timestamp of the segment after it, in units of 90 kHz; nil if unread.
    ///
    /// - Returns: false when the segment was not asked for
    mutating func judgeStep(before number: Int64, timestamp: Int64?) -> Bool {
        guard dateSteps.probes(number) else { return false }
        dateSteps.judge(timestamp)
        return true
    }
}

/// Segments of which an earlier recorder has stored a part.
extension RenditionProgress {
    /// A fact of the journal says whether its segment is whole.
    mutating func holdIncomplete(_ fact: SegmentFact) {
        guard fact.identity.run == run else { return }
        parts.hold(KnownIncompleteSegment(fact), number: fact.identity.number, fact.placed.window)
    }

    /// The segments that a playlist lists before an index and of which an earlier recorder has stored a part,
    /// once.
    mutating func takeIncomplete(
        of playlist: MediaPlaylist, before end: Int, arrival: Arrival,
    ) -> [(segment: ListedSegment, held: IncompleteSegment)] {
        guard let run, !parts.isEmpty else { return [] }
        let available = arrival.steady + .microseconds(Self.listedFor(playlist))
        return parts.take(in: playlist, before: end).map { part in
            let placed = PlacedSegment(
                identity: SegmentIdentity(rendition: id, run: run, number: part.number),
                start: part.window.begin, duration: part.window.microseconds)
            return (
                ListedSegment(
                    placed: placed, entry: playlist.segments[part.index], arrival: arrival.date,
                    flags: NewEntries.flags(of: playlist, part.index),
                    listedNumber: alignment.listedNumber(playlist, part.index),
                    discontinuityCount: discontinuityCount, availableUntil: available), part.held
            )
        }
    }
}
