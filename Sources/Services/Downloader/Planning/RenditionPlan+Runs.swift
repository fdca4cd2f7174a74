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
    /// The playlists in a row that are not where the run has got to.
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

    /// Counts a playlist that is not where the run has got to; whether there were too many of them for a
    /// server that lags behind.
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
        let likenesses = ([runs.current] + others).map { run in
            (run: run, likeness: likeness(of: listed, playlist, to: run))
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
        case .unknown, .near, .sameDates: runs.goesOn(in: runs.current)
        }
        return true
    }

    private func likeness(
        of listed: [ListedPart], _ playlist: MediaPlaylist, to run: Int
    ) -> RunLikeness {
        guard let end = runs.ends[run], let last = listed.last?.identity.number else { return .unknown }
        var (isKnown, span, least) = (false, Int64(0), Int64?.none)
        for (part, segment) in zip(listed, playlist.segments) {
            var identity = part.identity
            identity.run = run == 0 ? nil : run
            guard knows(identity) else { continue }
            isKnown = true
            span += segment.durationMicroseconds
            guard let date = segment.programDateTimeMicroseconds,
                let former = knownSegment(identity)?.programDateTimeMicroseconds
            else { continue }
            let difference = date &- former
            if difference.magnitude <= max(segment.durationMicroseconds.magnitude, 1_000_000) {
                return .sameDates
            }
            least = min(least ?? difference, difference)
        }
        guard isKnown else { return .unknown }
        // Two servers whose clocks differ a little list the same media.
        if let least, least > max(span, 1_000_000) { return .laterDates }
        return end > last && end - last > UInt64(listed.count) ? .far : .near
    }

    private func knownSegment(_ identity: PartIdentity) -> MediaSegment? {
        indices[identity].map { parts[$0].segment } ?? kept[identity].flatMap { recorded?.segment(of: $0) }
    }
}
