import HLS

/// The runs of the encoder of a live presentation.
///
/// An encoder that starts again may use the numbers and names of its former segments for new media. What it
/// then lists has the same numbers and paths, but is of another run.
struct SegmentRuns: Sendable {
    /// The run whose segments are listed now.
    private(set) var current = 0
    /// The number of the segment of each run that was taken last.
    private(set) var ends: [Int: UInt64] = [:]
    /// How many playlists in a row did not continue the run.
    private var strangeCount = 0

    init(kept: [PartNames], recorded: RecordedParts?) {
        for names in kept + (recorded?.inOrder(kept) ?? []) { taken(names.identity) }
        current = ends.keys.max() ?? 0
    }

    /// As identities have it.
    var identityRun: Int? { current == 0 ? nil : current }

    mutating func taken(_ identity: PartIdentity) {
        ends[identity.run ?? 0] = identity.number
    }

    /// The playlist is of a known run.
    mutating func goesOn(in run: Int) {
        (current, strangeCount) = (run, 0)
    }

    /// The playlist is of a new run.
    mutating func begins() {
        goesOn(in: (ends.keys.max() ?? 0) + 1)
    }

    /// Counts a playlist that does not continue the run; whether there were too many of them for a server
    /// that lags behind.
    mutating func countsTooManyStrange() -> Bool {
        strangeCount += 1
        return strangeCount > Limits.strangeReadings
    }
}

/// How a playlist compares with a run.
private enum RunLikeness {
    /// Nothing of it is known there.
    case unknown
    /// It lists known segments near the end of the run.
    case near
    /// Its numbers are far behind the end of the run, and dates do not tell that they are those segments.
    case far
    /// A date says that it lists known segments.
    case sameDates
    /// All dates say that it lists later media under known numbers and paths.
    case laterDates
}

extension RenditionPlan {
    /// Finds the run of which a live playlist is; false where a server lags behind, so that it is left out.
    ///
    /// Later dates of known segments show a new run at once. Without dates, numbers that are far behind show
    /// it when they stay so: a server that lags behind is soon not asked any more.
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
            if lagsBehind, !runs.countsTooManyStrange() { return false }
            runs.goesOn(in: same.run)
            return true
        }
        if let near = likenesses.first(where: { $0.likeness == .near }) {
            runs.goesOn(in: near.run)
            return true
        }
        switch likenesses[0].likeness {
        case .laterDates: runs.begins()
        case .far: if runs.countsTooManyStrange() { runs.begins() }
        case .unknown where isFar(listed, from: runs.current) && !isMoved(listed, playlist): runs.begins()
        case .unknown, .near, .sameDates: runs.goesOn(in: runs.current)
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
        return !formerIdentities(of: listed, playlist).isEmpty
    }

    /// `dates` are those of the list, `known` those of all parts.
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
            guard let date = dates[index], let former = formerDate(of: identity, known) else { continue }
            let difference = date.microseconds &- former.microseconds
            let duration = max(playlist.segments[index].durationMicroseconds, 1_000_000)
            if difference.magnitude <= duration.magnitude { return .sameDates }
            // Rounding may hide that they are the same.
            if former.isSame(as: date, of: duration) == nil { continue }
            least = min(least ?? difference, difference)
        }
        guard isKnown else { return .unknown }
        let span = playlist.segments.reduce(0) { $0 + $1.durationMicroseconds }
        // Two servers whose clocks differ a little list the same media.
        if let least, least > max(span, 1_000_000) { return .laterDates }
        return isFar(listed, from: run) ? .far : .near
    }

    /// The date that a known segment had; of an earlier process only where a tag stands at it.
    private func formerDate(of identity: PartIdentity, _ known: [SegmentDate?]) -> SegmentDate? {
        if let index = indices[identity] { return known[index] }
        let segment = kept[identity].flatMap { recorded?.segment(of: $0) }
        return segment?.programDateTimeMicroseconds.map { SegmentDate(microseconds: $0, distance: 0) }
    }
}
