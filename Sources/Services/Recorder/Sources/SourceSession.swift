import HLS
import HTTP
import Timeline

/// What the renditions of one source share while it is in use: their URLs and variables, which a new
/// multivariant playlist may change, and how well each of them delivers.
///
/// Decides only; it has no clock.
struct SourceSession: Sendable {
    let use: SourceUse
    /// Where each rendition's playlist is; empty until the source's first playlist has come.
    private(set) var places: [RenditionID: HTTPURL] = [:]
    private(set) var polls: [RenditionID: RenditionPoll] = [:]
    /// The playlists that were taken last.
    private var versions: [RenditionID: PlaylistVersion] = [:]
    /// Those of the multivariant playlist, for its media playlists to import.
    private var variables: [String: String] = [:]
    private var isMultivariant = false
    private var conditions: [RenditionID: SourceCondition] = [:]
    /// Tries for segments that failed since one last succeeded.
    private var misses: [RenditionID: (count: Int, since: ContinuousClock.Instant)] = [:]
    private var lastRenewal: ContinuousClock.Instant
    /// Why the multivariant playlist is being read again; nil when it is not.
    private(set) var renewalReason: String?

    init(_ use: SourceUse, now: ContinuousClock.Instant) {
        self.use = use
        lastRenewal = now
    }

    var isOpen: Bool { !places.isEmpty }

    /// The polling of the rendition whose playlist holds least; nil before the source was opened.
    var shortest: Polling? {
        polls.values.lazy.map(\.polling).filter { $0.playlistLength > 0 }.min {
            $0.playlistLength < $1.playlistLength
        }
    }

    /// The source is a media playlist, which has arrived already.
    mutating func open(single id: RenditionID, at url: HTTPURL, poll: RenditionPoll) {
        (places, polls) = ([id: url], [id: poll])
    }

    /// The source is a multivariant playlist with these renditions.
    mutating func open(
        _ places: [RenditionID: HTTPURL], variables: [String: String], polls: [RenditionID: RenditionPoll],
        now: ContinuousClock.Instant,
    ) {
        (self.places, self.variables, self.polls) = (places, variables, polls)
        (isMultivariant, lastRenewal) = (true, now)
    }
}

/// Polling.
extension SourceSession {
    /// The playlists that are due.
    mutating func dueRequests(now: ContinuousClock.Instant) -> [PlaylistRequest] {
        var requests: [PlaylistRequest] = []
        for (id, poll) in polls.sorted(by: { $0.key < $1.key }) {
            guard let next = poll.next, next <= now else { continue }
            polls[id]?.begin(at: now)
            requests.append(
                PlaylistRequest(
                    use: use, purpose: .rendition(id), url: places[id], isFresh: poll.polling.failures > 0,
                    variables: variables, known: versions[id],
                    isConditional: poll.polling.mayAskConditionally(now: now), begun: now))
        }
        if isMultivariant, renewalReason == nil, now - lastRenewal >= Limits.renewalInterval,
            let request = renewal(because: "the renditions have changed", now: now)
        {
            requests.append(request)
        }
        return requests
    }

    /// The tries to read a doubtful segment that are due.
    mutating func dueProbes(now: ContinuousClock.Instant) -> [ProbeRequest] {
        polls.keys.sorted().compactMap { id in
            guard let retry = polls[id]?.doubt?.retry, retry.at <= now else { return nil }
            polls[id]?.doubt?.retry = nil
            return retry.request
        }
    }

    /// When something is due next.
    var next: ContinuousClock.Instant? {
        var times = polls.values.flatMap { [$0.next, $0.doubt?.retry?.at] }.compactMap { $0 }
        if isMultivariant, renewalReason == nil { times.append(lastRenewal + Limits.renewalInterval) }
        return times.min()
    }

    /// A playlist has arrived and was taken.
    mutating func loaded(
        _ id: RenditionID, _ playlist: MediaPlaylist, isNews: Bool, now: ContinuousClock.Instant,
    ) {
        guard let begun = polls[id]?.begun else { return }
        polls[id]?.polling.loaded(playlist, changed: isNews, begun: begun, now: now)
    }

    /// What the playlist is told by that was taken last; nil asks for all of the next one.
    mutating func knows(_ id: RenditionID, _ version: PlaylistVersion?) {
        versions[id] = version
    }

    /// The playlist that was taken last has come once more.
    mutating func unchanged(_ id: RenditionID, now: ContinuousClock.Instant) {
        guard let begun = polls[id]?.begun else { return }
        polls[id]?.polling.unchanged(begun: begun, now: now)
    }

    mutating func failed(_ id: RenditionID, now: ContinuousClock.Instant) {
        versions[id] = nil
        polls[id]?.polling.failed(now: now)
    }

    mutating func doubts(_ id: RenditionID, _ doubt: RenditionPoll.Doubt) {
        polls[id]?.doubt = doubt
    }

    mutating func rest(_ id: RenditionID, now: ContinuousClock.Instant, chance: Double) {
        polls[id]?.rest(now: now, chance: chance)
    }
}

/// How well the source delivers.
extension SourceSession {
    /// A try for a segment of this use ended.
    mutating func tried(_ id: RenditionID, succeeded: Bool, now: ContinuousClock.Instant) {
        let before = misses[id] ?? (0, now)
        misses[id] = succeeded ? nil : (before.count + 1, before.since)
    }

    /// The condition of the source as a whole, with that of a rendition as it is now.
    ///
    /// It is that of the best of its videos: one failing playlist of audio or subtitles is no reason to leave
    /// a source. A playlist whose segments fail for longer than its patience is as bad as none.
    mutating func condition(after id: RenditionID, now: ContinuousClock.Instant) -> SourceCondition {
        guard let polling = polls[id]?.polling else { return .healthy }
        let isBarren =
            misses[id].map { $0.count >= Limits.missesInARow && now - $0.since > polling.patience } ?? false
        conditions[id] = isBarren ? .barren : polling.condition(now: now)
        let videos = places.keys.filter { $0.kind == .video }
        let leading = videos.isEmpty ? Array(places.keys) : videos
        return leading.map { conditions[$0] ?? .healthy }.min() ?? .healthy
    }
}

/// Reading the multivariant playlist again.
extension SourceSession {
    /// A request for the multivariant playlist; nil for a source that has none, or that was asked lately.
    mutating func renewal(because reason: String, now: ContinuousClock.Instant) -> PlaylistRequest? {
        guard isMultivariant, renewalReason == nil, now - lastRenewal >= Limits.renewalPause else {
            return nil
        }
        (lastRenewal, renewalReason) = (now, reason)
        return PlaylistRequest(use: use, purpose: .renewal, isFresh: true, begun: now)
    }

    /// The multivariant playlist could not be read: the URLs stay as they are.
    mutating func renewalFailed() {
        renewalReason = nil
    }

    /// The multivariant playlist was read again.
    ///
    /// - Returns: false when its renditions are not those that are being recorded
    mutating func renewed(_ places: [RenditionID: HTTPURL], variables: [String: String]) -> Bool {
        renewalReason = nil
        guard Set(places.keys) == Set(self.places.keys) else { return false }
        (self.places, self.variables) = (places, variables)
        return true
    }
}
