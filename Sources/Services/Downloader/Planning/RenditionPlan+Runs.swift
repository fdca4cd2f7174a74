import HLS

/// The runs of the encoder of a live presentation.
///
/// An encoder that restarts may use the numbers and names of earlier segments for new media. Its new segments
/// have the same numbers and paths, but belong to another run.
struct SegmentRuns: Sendable {
    /// The run whose segments are listed now.
    private(set) var current = 0
    /// The number of the last segment that was taken of each run.
    private(set) var ends: [Int: UInt64] = [:]
    /// How many playlists in a row did not continue the run.
    private var laggingCount = 0
    /// How many playlists in a row had other names for known numbers of the run.
    private var renamedCount = 0

    init(kept: [PartNames], recorded: RecordedParts?) {
        for names in kept + (recorded?.inOrder(kept) ?? []) { note(names.identity) }
        current = ends.keys.max() ?? 0
    }

    /// The run as identities state it.
    var identityRun: Int? { current == 0 ? nil : current }

    /// A segment was taken.
    mutating func note(_ identity: PartIdentity) {
        ends[identity.run ?? 0] = identity.number
    }

    /// A playlist belongs to a known run.
    mutating func continueRun(_ run: Int) {
        if run != current { renamedCount = 0 }
        (current, laggingCount) = (run, 0)
    }

    /// A playlist belongs to a new run.
    mutating func startRun() {
        continueRun((ends.keys.max() ?? 0) + 1)
    }

    /// Whether the names of the run change with each load, so that they tell nothing.
    var ignoresNames: Bool { renamedCount > Limits.renamedReadings }

    /// Counts a playlist that has other names for known numbers of the run.
    mutating func countRenamed() {
        renamedCount += 1
    }

    /// A playlist continues the run under known names.
    mutating func keepNames() {
        if !ignoresNames { renamedCount = 0 }
    }

    /// Counts a playlist that does not continue the run.
    ///
    /// - Returns: whether it may come from a server that lags behind
    mutating func countLagging() -> Bool {
        laggingCount += 1
        return laggingCount <= Limits.laggingReadings
    }
}

/// How a playlist compares with a run.
private enum RunLikeness {
    /// It lists no known segment of the run.
    case unknown
    /// It lists known segments near the end of the run.
    case near
    /// It lists known segments far behind the end of the run, and no date confirms that they are the same.
    case far
    /// A date confirms that it lists known segments.
    case sameDates
    /// All dates show that it lists later media under known numbers and paths.
    case laterDates
}

extension RenditionPlan {
    /// Finds the run to which a live playlist belongs.
    ///
    /// Later dates of known segments show a new run at once. Without dates, numbers show it if they stay far
    /// behind: a server that lags behind does not answer every request.
    ///
    /// - Returns: false if the playlist comes from a server that lags behind, and is ignored
    mutating func findRun(of listed: [ListedPart], _ playlist: MediaPlaylist) -> Bool {
        guard !playlist.isEnded, !listed.isEmpty else { return true }
        let others = runs.ends.keys.sorted(by: >).filter { $0 != runs.current }
        let dates = SegmentDate.dates(of: playlist.segments)
        let hasDates = dates.contains { $0 != nil }
        let known = hasDates ? SegmentDate.dates(of: parts.map(\.segment)) : []
        let likenesses = ([runs.current] + others).map { run in
            (run: run, likeness: likeness(of: listed, playlist, dates, to: run, known))
        }
        // Dates tell more than numbers.
        if let same = likenesses.first(where: { $0.likeness == .sameDates }) {
            let lagsBehind = same.run != runs.current && !parts.isEmpty
            if lagsBehind, runs.countLagging() { return false }
            runs.continueRun(same.run)
            return true
        }
        if let near = likenesses.first(where: { $0.likeness == .near }) {
            runs.continueRun(near.run)
            return true
        }
        switch likenesses[0].likeness {
        case .laterDates: runs.startRun()
        case .far: if !runs.countLagging() { runs.startRun() }
        case .unknown where isFar(listed, from: runs.current) && !isMoved(listed, playlist): runs.startRun()
        case .unknown, .near, .sameDates: runs.continueRun(runs.current)
        }
        return true
    }

    /// Whether the numbers of a list are far behind the end of a run.
    private func isFar(_ listed: [ListedPart], from run: Int) -> Bool {
        guard let end = runs.ends[run], let last = listed.last?.identity.number else { return false }
        return end > last && end - last > UInt64(listed.count)
    }

    /// Whether a list has segments of the current run under other paths.
    private func isMoved(_ listed: [ListedPart], _ playlist: MediaPlaylist) -> Bool {
        var listed = listed
        for index in listed.indices { listed[index].identity.run = runs.identityRun }
        return !previousIdentities(of: listed, playlist).isEmpty
    }

    /// Compares a list with a run; `dates` are those of the list, `known` those of all parts.
    private func likeness(
        of listed: [ListedPart], _ playlist: MediaPlaylist, _ dates: [SegmentDate?], to run: Int,
        _ known: [SegmentDate?],
    ) -> RunLikeness {
        guard runs.ends[run] != nil else { return .unknown }
        var (isKnown, least) = (false, Int64?.none)
        for (index, part) in listed.enumerated() {
            var identity = part.identity
            identity.run = run == 0 ? nil : run
            guard knows(identity) else { continue }
            isKnown = true
            guard let date = dates[index], let previous = previousDate(of: identity, known) else { continue }
            let difference = date.microseconds &- previous.microseconds
            let duration = max(playlist.segments[index].durationMicroseconds, 1_000_000)
            if difference.magnitude <= duration.magnitude { return .sameDates }
            // Rounding may hide that they are the same.
            if previous.isSame(as: date, of: duration) == nil { continue }
            least = min(least ?? difference, difference)
        }
        guard isKnown else { return .unknown }
        let span = playlist.segments.reduce(0) { $0 + $1.durationMicroseconds }
        // Two servers whose clocks differ a little list the same media.
        if let least, least > max(span, 1_000_000) { return .laterDates }
        return isFar(listed, from: run) ? .far : .near
    }

    /// The date that a known segment had; of an earlier process only where a tag stands at it.
    private func previousDate(of identity: PartIdentity, _ known: [SegmentDate?]) -> SegmentDate? {
        if let index = indices[identity] { return known[index] }
        let segment = kept[identity].flatMap { recorded?.segment(of: $0) }
        return segment?.programDateTimeMicroseconds.map { SegmentDate(microseconds: $0, distance: 0) }
    }
}
