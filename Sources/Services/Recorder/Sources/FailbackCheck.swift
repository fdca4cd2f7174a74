import Concurrency
import HLS
import HTTP
import Timeline

/// Checks from time to time whether a source that is preferred to the one in use delivers again.
///
/// Two playlists in a row have to show progress, because a frozen source would be left again at once.
///
/// Decides only; it has no clock.
struct FailbackCheck: Sendable {
    private enum Step: Sendable {
        case pausing(until: SteadyInstant)
        /// A playlist of this use was asked for; the newest entry of the first look, if this is the second
        /// one.
        case asking(SourceUse, before: SeenEntry?)
        /// Between the two looks.
        case comparing(SourceUse, before: SeenEntry, until: SteadyInstant)
    }

    /// In order of preference.
    private let candidates: [SourceSettings]
    private let pause: Duration
    private var step: Step
    /// Index of the candidate that is looked at next.
    private var index = 0

    /// The first look comes after a pause of its own, if one is given.
    init(_ candidates: [SourceSettings], pause: Duration, first: Duration? = nil, now: SteadyInstant) {
        self.candidates = candidates
        self.pause = pause
        step = .pausing(until: now + (first ?? pause))
    }

    /// When something is to be asked; nil while an answer is awaited or there is nothing to look at.
    var next: SteadyInstant? {
        switch step {
        case .pausing(let until): candidates.isEmpty ? nil : until
        case .comparing(_, _, let until): until
        case .asking: nil
        }
    }

    /// The playlist to ask for now, if it is time; `use` is the number for another use of a source.
    mutating func request(use number: Int, now: SteadyInstant) -> PlaylistRequest? {
        guard let next, next <= now else { return nil }
        let (use, before): (SourceUse, SeenEntry?) =
            switch step {
            case .comparing(let use, let before, _): (use, before)
            default: (SourceUse(number: number, source: candidates[index]), nil)
            }
        step = .asking(use, before: before)
        return PlaylistRequest(use: use, purpose: .failbackCheck, isFresh: before == nil, startedAt: now)
    }

    /// What an answer leads to.
    enum Finding: Sendable, Equatable {
        case delivers(SourceSettings)
        /// The first variant tells whether the source delivers.
        case asks(PlaylistRequest)
        case nothing
    }

    /// A playlist that was asked for has arrived.
    mutating func arrived(_ fetched: FetchedPlaylist, _ request: PlaylistRequest) -> Finding {
        guard case .asking(let use, let before) = step, use == request.use else { return .nothing }
        switch fetched.playlist {
        case .multivariant(let playlist):
            guard request.url == nil, let variant = variant(of: playlist, fetched.base, request) else {
                break
            }
            return .asks(variant)
        case .media(let playlist):
            // A source whose numbers stand still goes on by names.
            guard !playlist.isEnded, let newest = SeenEntry(playlist, playlist.segments.count - 1) else {
                break
            }
            guard let before else {
                let wait = Duration.microseconds(PlaylistFollower.target(of: playlist) * 3 / 2)
                step = .comparing(use, before: newest, until: fetched.arrival.steady + wait)
                return .nothing
            }
            if newest.number >= before.number, newest != before { return .delivers(use.source) }
        }
        lookAtNext(now: fetched.arrival.steady)
        return .nothing
    }

    /// A playlist that was asked for did not come.
    mutating func failed(_ request: PlaylistRequest, now: SteadyInstant) {
        guard case .asking(let use, _) = step, use == request.use else { return }
        lookAtNext(now: now)
    }

    private mutating func lookAtNext(now: SteadyInstant) {
        index = (index + 1) % max(1, candidates.count)
        step = .pausing(until: index == 0 ? now + pause : now)
    }

    private func variant(
        of playlist: MultivariantPlaylist, _ base: HTTPURL, _ request: PlaylistRequest,
    ) -> PlaylistRequest? {
        guard let variant = playlist.variants.first,
            let url = try? base.resolving(
                variant.uri, inheritingQuery: request.use.source.inheritQuery)
        else { return nil }
        var next = request
        (next.url, next.inherited, next.isFresh) = (url, InheritedTags(of: playlist), false)
        return next
    }
}
