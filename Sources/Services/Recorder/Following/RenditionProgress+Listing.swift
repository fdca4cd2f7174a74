import Catalogue
import Concurrency
import HLS
import Timeline

/// From the new entries of a playlist to segments with times.
extension RenditionProgress {
    /// Turns the new entries of a playlist into listed segments and decides their times.
    ///
    /// - Parameters:
    ///   - playlist: the playlist as received
    ///   - from: index of the first new entry
    ///   - opensHole: numbers are missing before it, or a new run begins with it
    ///   - cause: the boundary before the first entry; nil when none is known. With `source` and `restart`,
    ///     recorded entries are skipped. After a `restart` that this process saw, only dates can show that
    ///     an entry is recorded. Media known to be new must lie well before the recorded end to be skipped
    ///   - hole: why time may be missing before a step
    ///   - arrival: when the playlist was fetched
    ///   - shared: starts by number that the leading rendition has
    /// - Returns: the new segments in order
    mutating func list(
        _ playlist: MediaPlaylist, from: Int, opensHole: Bool, cause: DiscontinuityCause?, hole: GapReason,
        arrival: Arrival, shared: [Int64: Instant],
    ) -> [ListedSegment] {
        guard let run else { return [] }
        let change = RunChange(
            isSource: (cause ?? pendingBoundary?.cause) == .source, isRestart: cause == .restart,
            opensHole: opensHole || pendingBoundary != nil)
        var new = newEntries(
            of: playlist, from: from, opensHole: change.opensHole, lacksNumbers: cause == .hole,
            shared: shared,
            arrival)
        skipRecorded(&new, of: playlist, change, arrival)
        let boundary = takeBoundary(cause, hole, isListed: !new.entries.isEmpty)
        let times = place(&new, arrival: arrival, target: PlaylistFollower.target(of: playlist))
        let listedDuration = new.entries.reduce(Self.listedFor(playlist)) { $0 + $1.duration }
        let available = arrival.steady + .microseconds(listedDuration)
        let refetched = takeMissed(of: playlist, before: from, arrival: arrival, availableUntil: available)
        return refetched
            + new.indices.indices.map { place in
                let entry = playlist.segments[new.indices[place]]
                let placement = times.placements[place]
                let cause = place == 0 ? boundary.cause : nil
                if entry.discontinuityCount > 0 || placement.hasStep || cause != nil {
                    discontinuityCount += 1
                }
                return ListedSegment(
                    placed: PlacedSegment(
                        identity: SegmentIdentity(rendition: id, run: run, number: new.numbers[place]),
                        start: placement.start, duration: placement.duration,
                        boundary: cause
                            ?? (entry.discontinuityCount > 0
                                ? .listed : placement.hasStep ? .hole : nil)),
                    entry: entry, arrival: arrival.date, flags: new.flags[place],
                    hole: gapReason(before: new.numbers[place], placement, otherwise: boundary.hole),
                    expectedDuration: times.expected[place],
                    listedNumber: alignment.listedNumber(playlist, new.indices[place]),
                    discontinuityCount: discontinuityCount, availableUntil: available)
            }
    }

    /// What may have changed before the first new entry.
    private struct RunChange {
        /// The entries come from another source, which may list what is recorded for longer than one
        /// playlist.
        var isSource: Bool
        /// The source counts from the beginning again.
        var isRestart: Bool
        /// Time may be missing before the first new entry.
        var opensHole: Bool
    }

    /// The new entries, with what numbers, dates and timestamps say of the place of the first one.
    private mutating func newEntries(
        of playlist: MediaPlaylist, from: Int, opensHole: Bool, lacksNumbers: Bool, shared: [Int64: Instant],
        _ arrival: Arrival,
    ) -> NewEntries {
        // The earlier process knew the lengths when it placed the segments that are still to be fetched.
        measured.add(missed.held.isEmpty ? unfetchedWindows : missed.held, listedIn: playlist, before: from)
        let target = PlaylistFollower.target(of: playlist)
        var new = NewEntries(
            playlist, from: from, target: target, opensHole: opensHole, holes: dateSteps.holes,
            shared: shared, measured, leaderOffset: leaderOffset)
        guard let number = new.numbers.first, !new.entries.isEmpty else { return new }
        if lacksNumbers {
            new.entries[0].countedDate = follower.date(of: number)
            new.entries[0].lacksNumbers = true
        }
        if dateSteps.followsLate(number) { new.entries[0].follows = true }
        new.entries[0].joinedStart =
            dateSteps.start(of: number) ?? countedStart(of: new, target: target, at: arrival)
        return new
    }

    /// Drops the entries that are recorded already, after a change of source or a restart of its numbering.
    private mutating func skipRecorded(
        _ new: inout NewEntries, of playlist: MediaPlaylist, _ change: RunChange, _ arrival: Arrival,
    ) {
        let isUndated = !new.entries.contains { $0.programDateTime != nil } && !new.entries.isEmpty
        if isUndated, change.opensHole, change.isSource || change.isRestart {
            let previous = (change.isSource ? earlierUse?.offset : nil) ?? placing.previousOffset
            // The leading rendition may have shown the offset of this run already.
            if let previous, placing.sourceOffset == nil { placing.placeByArrival(offset: previous) }
        }
        let isNewMedia = if case .newMedia(let number) = join { number == new.numbers.first } else { false }
        if let point = takeJoinPoint(), point.number == new.numbers.first {
            let begin = isUndated ? TimePlacing.arrival(of: new.entries, arrival) : nil
            joinEntries(&new, of: playlist, at: point, arrivedAt: begin, opensHole: change.opensHole)
        } else if change.isSource || change.isRestart {
            let target = PlaylistFollower.target(of: playlist)
            let covered = placing.coveredCount(
                new.entries, arrival: arrival, target: target,
                byDates: change.isRestart && !isResuming, areOthers: isNewMedia)
            let seen = change.isSource ? seenCount(new.numbers, of: playlist) : 0
            if covered == new.entries.count { placing.noteRecorded(new.entries, arrival, target: target) }
            new.drop(max(covered, seen), opensHole: change.opensHole)
        }
    }

    private mutating func takeJoinPoint() -> JoinPoint? {
        defer { join = .none }
        if case .found(let point) = join { return point }
        return nil
    }

    /// Continues the timeline where the media of the first entry belong; what lies before its end is dropped.
    ///
    /// `begin` is where the entries would begin by their arrival; nil if they have dates.
    private mutating func joinEntries(
        _ new: inout NewEntries, of playlist: MediaPlaylist, at point: JoinPoint, arrivedAt begin: Instant?,
        opensHole: Bool,
    ) {
        var (start, begin) = (point.start, begin)
        let last = new.numbers.last
        if let held = point.held {
            let count = min(held.count, new.entries.count)
            begin = begin.map { new.entries.prefix(count).reduce($0) { $0 + $1.duration } }
            new.drop(count, opensHole: opensHole)
            start = held.end
        }
        let rest = new.join(at: start, after: placing.end, opensHole: opensHole)
        // A playlist without new entries may be stale: its latency counts only if none was known.
        if let offset = begin.map({ start - $0 }),
            !new.entries.isEmpty
                || earlierUse?.offset == nil && !playlist.isEnded
                    && offset.magnitude <= Limits.sourceLatency.magnitude
        {
            placing.placeByArrival(offset: offset)
        }
        if new.entries.isEmpty, let last { join = .found(JoinPoint(number: last + 1, start: rest)) }
    }

    /// The boundary before the first new entry, and why time may be missing there.
    ///
    /// It waits for the next playlist when this one lists nothing new.
    private mutating func takeBoundary(
        _ cause: DiscontinuityCause?, _ hole: GapReason, isListed: Bool,
    ) -> (cause: DiscontinuityCause?, hole: GapReason) {
        let hole = cause == nil ? pendingBoundary?.hole ?? hole : hole
        let cause = cause ?? pendingBoundary?.cause
        pendingBoundary = isListed ? nil : cause.map { ($0, hole) }
        return (cause, hole)
    }

    /// Decides the times of entries.
    ///
    /// - Returns: the times, and the durations that the entries are expected to have, microseconds; 0 where
    ///   the time is counted back from the arrival, so that its end is right whatever the duration
    private mutating func place(
        _ new: inout NewEntries, arrival: Arrival, target: Int64,
    ) -> (placements: [TimePlacing.Placement], expected: [Int64]) {
        let isPlacedBack = placing.end == nil || new.entries.first?.opensHole ?? false
        let expected = new.entries.map { isPlacedBack ? 0 : $0.duration }
        let isByArrival = placing.clock == .arrival
        if isByArrival {
            for index in new.entries.indices {
                new.entries[index].duration += measured.takeShortfall(from: new.entries[index].duration)
            }
        }
        let placements = placing.place(new.entries, arrival: arrival, target: target)
        measured.placed(placements.count)
        for (index, placement) in placements.enumerated() {
            let entry = new.entries[index]
            if let date = entry.programDateTime { dates.add(date, beginsAt: placement.start) }
            let repaid = entry.duration - expected[index]
            let counts = isByArrival && !isPlacedBack && !placement.hasStep
            unmeasured.add(new.numbers[index], length: counts ? placement.duration - repaid : nil)
        }
        return (placements, expected)
    }
}
