import Concurrency
import HLS
import HTTP
import Timeline

/// What the renditions of one source share while it is in use: their URLs and variables, which a new multivariant
/// playlist may change, and how each of them goes.
actor SourceSession {
    /// Where the renditions of a multivariant playlist are, to be recorded under which ids.
    typealias Planning =
        @Sendable (MultivariantPlaylist, _ base: HTTPURL) async throws -> [RenditionID: HTTPURL]

    private let link: SourceLink
    private let clock: HostClock
    /// Nil for a source that is a media playlist.
    private let planning: Planning?
    private var places: [RenditionID: HTTPURL]
    /// Those of the multivariant playlist, for its media playlists to import.
    private var variables: [String: String]
    private var conditions: [RenditionID: SourceCondition] = [:]
    /// Tries for segments that came to nothing since one was last had.
    private var misses: [RenditionID: (count: Int, since: ContinuousClock.Instant)] = [:]
    private var lastRenewal: ContinuousClock.Instant

    init(
        _ places: [RenditionID: HTTPURL], variables: [String: String] = [:], link: SourceLink,
        clock: HostClock, planning: Planning? = nil,
    ) {
        self.link = link
        self.clock = clock
        self.planning = planning
        self.places = places
        self.variables = variables
        lastRenewal = clock.steady()
    }

    /// Fetches and reads a rendition's playlist from where it is now.
    func playlist(of rendition: RenditionID, fresh: Bool) async throws(PlaylistFailure) -> FetchedPlaylist {
        try await link.playlist(
            places[rendition] ?? link.url, now: clock, fresh: fresh, imports: variables)
    }

    /// Reads the multivariant playlist anew, as tokens in its URLs may have expired; not more than once in
    /// `Limits.renewalPause`, whoever asks.
    ///
    /// - Returns: false when its renditions are not those any more that are being recorded
    func renew() async -> Bool {
        let now = clock.steady()
        guard let planning, now - lastRenewal >= Limits.renewalPause else { return true }
        lastRenewal = now
        guard let fetched = try? await link.playlist(link.url, now: clock, fresh: true) else { return true }
        guard case .multivariant(let list) = fetched.playlist,
            let renewed = try? await planning(list, fetched.base)
        else { return false }
        guard Set(renewed.keys) == Set(places.keys) else { return false }
        (places, variables) = (renewed, list.variables)
        return true
    }

    /// Renews on a timer, which is how renditions that are added are noticed; ends when they have changed.
    func watch() async {
        while !Task.isCancelled {
            try? await Task.sleep(for: Limits.renewalInterval)
            if !Task.isCancelled, await !renew() { return }
        }
    }

    /// A segment of a rendition was had, or a try for one came to nothing.
    func tried(_ rendition: RenditionID, succeeded: Bool) {
        let before = misses[rendition] ?? (0, clock.steady())
        misses[rendition] = succeeded ? nil : (before.count + 1, before.since)
    }

    /// Notes how a rendition's list goes; the condition of the source as a whole.
    ///
    /// It is that of the best of its videos: one dead list of sound or subtitles is no reason to leave a source. A list
    /// whose segments cannot be had for longer than `patience` is as bad as none.
    func report(
        _ rendition: RenditionID, _ condition: SourceCondition, patience: Duration,
    ) -> SourceCondition {
        let isBarren =
            misses[rendition].map { $0.count >= Limits.missesInARow && clock.steady() - $0.since > patience }
            ?? false
        conditions[rendition] = isBarren ? .barren : condition
        let videos = places.keys.filter { $0.kind == .video }
        let leading = videos.isEmpty ? Array(places.keys) : videos
        return leading.map { conditions[$0] ?? .well }.min() ?? condition
    }
}
