import Concurrency
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
    private(set) var playlistURLs: [RenditionID: HTTPURL] = [:]
    /// The same with the redundant streams, which are tried when a playlist fails.
    private var streams: [RenditionID: [HTTPURL]] = [:]
    /// Which of them is in use, and how many were tried since one last brought something.
    private var streamChoices: [RenditionID: (index: Int, count: Int)] = [:]
    private(set) var polls = ByRendition<RenditionPollState>()
    /// Where the playlists were redirected to, and until when they are asked for there.
    private var redirects: [RenditionID: (url: HTTPURL, until: SteadyInstant)] = [:]
    /// The playlists that were taken last.
    private var versions: [RenditionID: PlaylistVersion] = [:]
    /// Renditions with keys or initialization sections in their last playlist that left nothing out.
    private var tagged: Set<RenditionID> = []
    /// What its multivariant playlist says for its media playlists.
    private var inherited = InheritedTags()
    private(set) var isMultivariant = false
    private var conditions: [RenditionID: SourceCondition] = [:]
    /// Tries for segments that failed since one last succeeded.
    private var misses: [RenditionID: (count: Int, since: SteadyInstant)] = [:]
    private var lastRenewal: SteadyInstant
    /// When the multivariant playlist was asked for that named the renditions last.
    private var named: SteadyInstant
    /// The first rendition, whose playlist is to come before the others': they are placed beside it.
    ///
    /// They wait until a time; nil once it has come.
    private var leader: (id: RenditionID, until: SteadyInstant)?
    /// When it is read again because a token in its URLs expires.
    private var tokenRenewal: SteadyInstant?
    /// Why the multivariant playlist is being read again; nil when it is not.
    private(set) var renewalReason: String?

    init(_ use: SourceUse, now: SteadyInstant) {
        self.use = use
        (lastRenewal, named) = (now, now)
    }

    /// The polling of the rendition whose playlist holds least; nil before the source was opened.
    var shortest: PollTiming? {
        polls.values.lazy.map(\.timing).filter { $0.playlistLength > 0 }.min {
            $0.playlistLength < $1.playlistLength
        }
    }

    /// The source is a media playlist, which has arrived already.
    mutating func open(single id: RenditionID, at url: HTTPURL, poll: RenditionPollState) {
        (playlistURLs, polls) = ([id: url], ByRendition([id: poll]))
    }

    /// The source is a multivariant playlist with these renditions.
    mutating func open(
        _ streams: [RenditionID: [HTTPURL]], inherited: InheritedTags,
        polls: [RenditionID: RenditionPollState], at now: Moment,
    ) {
        (self.streams, self.inherited, self.polls) = (streams, inherited, ByRendition(polls))
        playlistURLs = streams.compactMapValues(\.first)
        (isMultivariant, lastRenewal, named) = (true, now.steady, now.steady)
        leader = streams.keys.min().map { ($0, now.steady + Limits.leaderLead) }
        tokenRenewal = TokenExpiry.renewal(of: streams.values.joined(), at: now)
    }
}

/// Polling.
extension SourceSession {
    /// The playlists that are due.
    mutating func dueRequests(now: SteadyInstant) -> [PlaylistRequest] {
        var requests: [PlaylistRequest] = []
        if let until = leader?.until, until <= now { leader = nil }
        for (index, id) in polls.keys.enumerated() where leader == nil || leader?.id == id {
            guard let next = polls.values[index].next, next <= now else { continue }
            polls.values[index].begin(at: now)
            let timing = polls.values[index].timing
            requests.append(
                PlaylistRequest(
                    use: use, purpose: .rendition(id),
                    url: redirectTarget(of: id, now: now) ?? playlistURLs[id],
                    isFresh: timing.failures > 0,
                    inherited: inherited, known: versions[id],
                    isConditional: timing.mayAskConditionally(now: now), startedAt: now))
        }
        if let nextRenewal, nextRenewal <= now {
            let isForToken = tokenRenewal.map { $0 <= now } ?? false
            let reason = isForToken ? "a token expires" : "the renditions have changed"
            if let request = renewal(because: reason, now: now) { requests.append(request) }
        }
        return requests
    }

    /// The tries to read a doubtful segment that are due.
    mutating func dueProbes(now: SteadyInstant) -> [ProbeRequest] {
        var probes: [ProbeRequest] = []
        for index in polls.values.indices {
            guard let retry = polls.values[index].retryAt, retry <= now,
                let probe = polls.values[index].doubt?.retry
            else { continue }
            polls.values[index].doubt?.retry = nil
            probes.append(probe.request)
        }
        return probes
    }

    /// When something is due next.
    var next: SteadyInstant? {
        var next = nextRenewal
        for (index, id) in polls.keys.enumerated() {
            let load = leader == nil || leader?.id == id ? polls.values[index].next : leader?.until
            next = next.orEarlier(load).orEarlier(polls.values[index].retryAt)
        }
        return next
    }

    /// When the multivariant playlist is read again though nothing has failed.
    private var nextRenewal: SteadyInstant? {
        guard isMultivariant, renewalReason == nil else { return nil }
        let regular = lastRenewal + Limits.renewalInterval
        return max(min(regular, tokenRenewal ?? regular), lastRenewal + Limits.renewalPause)
    }

    /// A playlist has arrived and was taken.
    mutating func loaded(
        _ id: RenditionID, _ playlist: MediaPlaylist, isChanged: Bool, isStale: Bool = false,
        now: SteadyInstant,
    ) {
        guard let index = polls.index(of: id) else { return }
        let startedAt = polls.values[index].startedAt
        polls.values[index].timing.loaded(
            playlist, changed: isChanged, isStale: isStale, startedAt: startedAt, now: now)
        if isChanged { streamChoices[id]?.count = 0 }
    }

    /// A playlist's URL led to another one: the next ones are asked for there.
    ///
    /// A balancer would send each request to another server, which may be behind the one before.
    mutating func redirected(_ id: RenditionID, to url: HTTPURL?, at now: Moment) {
        guard let url else { return }
        let until = now.steady + Limits.redirectTime
        let expiry = TokenExpiry.renewal(of: [url], at: now)
        redirects[id] = (url, min(until, expiry ?? until))
    }

    /// The server that answers now, as long as it brings something.
    private mutating func redirectTarget(of id: RenditionID, now: SteadyInstant) -> HTTPURL? {
        guard let redirectTarget = redirects[id], redirectTarget.until > now,
            let timing = polls[id]?.timing, timing.failures == 0,
            timing.mayAskConditionally(now: now)
        else {
            redirects[id] = nil
            return nil
        }
        return redirectTarget.url
    }

    /// Sets the version of the playlist taken last; with nil the next one is read even if it is the same.
    mutating func setVersion(_ version: PlaylistVersion?, of id: RenditionID) {
        versions[id] = version
    }

    /// Whether a playlist states the keys and the initialization section of its segments.
    ///
    /// False if these tags stand with the segments that it skips (RFC 8216bis §4.4.5.2).
    mutating func statesTagsInForce(_ id: RenditionID, _ playlist: MediaPlaylist) -> Bool {
        guard playlist.skip == nil else { return !tagged.contains(id) }
        guard !playlist.segments.isEmpty else { return true }
        if playlist.hasKeysOrMaps { tagged.insert(id) } else { tagged.remove(id) }
        return true
    }

    /// The playlist that was taken last has come once more.
    ///
    /// - Returns: until when the source can be expected to hold what it lists; nil without such a playlist
    mutating func unchanged(_ id: RenditionID, now: SteadyInstant) -> SteadyInstant? {
        guard let index = polls.index(of: id) else { return nil }
        let startedAt = polls.values[index].startedAt
        polls.values[index].timing.unchanged(startedAt: startedAt, now: now)
        return now + polls.values[index].timing.availability
    }

    mutating func failed(_ id: RenditionID, now: SteadyInstant) {
        (versions[id], redirects[id]) = (nil, nil)
        polls[id]?.timing.failed(now: now)
    }

    mutating func setDoubt(_ doubt: RenditionPollState.DoubtfulPlaylist, of id: RenditionID) {
        polls[id]?.doubt = doubt
    }

    /// Whether the next playlist is to be judged instead, as this one could not be.
    ///
    /// It is requested half a target duration later.
    mutating func keepInDoubt(
        _ id: RenditionID, _ playlist: MediaPlaylist, now: SteadyInstant,
    ) -> Bool {
        versions[id] = nil
        let pause = Duration.microseconds(PlaylistFollower.target(of: playlist) / 2)
        return polls[id]?.keepInDoubt(until: now + pause) ?? false
    }

    mutating func scheduleNext(_ id: RenditionID, now: SteadyInstant, chance: Double) {
        if leader?.id == id { leader = nil }
        if let index = polls.index(of: id) { polls.values[index].scheduleNext(now: now, chance: chance) }
    }
}

/// How well the source delivers.
extension SourceSession {
    /// A try for a segment of this use ended.
    mutating func tried(_ id: RenditionID, succeeded: Bool, now: SteadyInstant) {
        let before = misses[id] ?? (0, now)
        misses[id] = succeeded ? nil : (before.count + 1, before.since)
    }

    /// The renditions by which the source as a whole is judged: its videos, if it has any.
    ///
    /// One failing playlist of audio or subtitles is no reason to leave a source.
    var leading: [RenditionID] {
        let videos = playlistURLs.keys.filter { $0.kind == .video }
        return videos.isEmpty ? Array(playlistURLs.keys) : videos
    }

    /// The condition of the source as a whole, with that of a rendition as it is now.
    ///
    /// It is that of the best of its leading renditions. A playlist whose segments fail for longer than its
    /// patience is as bad as none.
    mutating func condition(after id: RenditionID, now: SteadyInstant) -> SourceCondition {
        guard let timing = polls[id]?.timing else { return .healthy }
        let isDown =
            misses[id].map { $0.count >= Limits.missesInARow && now - $0.since > timing.patience } ?? false
        conditions[id] = isDown ? .down : timing.condition(now: now)
        return leading.map { conditions[$0] ?? .healthy }.min() ?? .healthy
    }
}

/// Renditions that bring nothing.
extension SourceSession {
    /// Why a rendition delivers nothing now; nil while it delivers, or if the source does not have it.
    func absence(of id: RenditionID, now: SteadyInstant) -> GapReason? {
        polls[id]?.timing.absence(now: now)
    }

    /// Whether the source names a rendition, as far as is known, since it last brought something.
    func isStillNamed(_ id: RenditionID) -> Bool {
        polls[id].map { named >= $0.timing.lastChange } ?? false
    }
}

/// Reading the multivariant playlist again.
extension SourceSession {
    /// A request for the multivariant playlist; nil for a source that has none, or that was asked lately.
    ///
    /// A source without one is asked at its own URL again, instead of where that was redirected to.
    mutating func renewal(because reason: String, now: SteadyInstant) -> PlaylistRequest? {
        guard renewalReason == nil, now - lastRenewal >= Limits.renewalPause else { return nil }
        lastRenewal = now
        guard isMultivariant else {
            if !redirects.isEmpty { (redirects, versions) = ([:], [:]) }
            return nil
        }
        renewalReason = reason
        return PlaylistRequest(use: use, purpose: .renewal, isFresh: true, startedAt: now)
    }

    /// The multivariant playlist could not be read: the URLs stay as they are.
    mutating func renewalFailed() {
        (renewalReason, named) = (nil, lastRenewal)
    }

    /// The multivariant playlist was read again.
    ///
    /// - Returns: false when its renditions are not those that are being recorded
    mutating func renewed(
        _ streams: [RenditionID: [HTTPURL]], inherited: InheritedTags, at now: Moment,
    ) -> Bool {
        renewalReason = nil
        tokenRenewal = TokenExpiry.renewal(of: streams.values.joined(), at: now)
        guard Set(streams.keys) == Set(playlistURLs.keys) else { return false }
        for (id, urls) in streams where self.streams[id]?.count != urls.count { streamChoices[id] = nil }
        (self.streams, self.inherited, redirects, named) = (streams, inherited, [:], lastRenewal)
        for (id, urls) in streams { playlistURLs[id] = urls[streamChoices[id]?.index ?? 0] }
        return true
    }
}

/// Redundant streams.
extension SourceSession {
    /// A rendition's playlist brings nothing: its next stream is asked from now on.
    ///
    /// - Returns: false when all of them were tried since one last brought something
    mutating func switchStream(_ id: RenditionID, now: SteadyInstant) -> Bool {
        guard let urls = streams[id] else { return false }
        let choice = streamChoices[id] ?? (0, 0)
        guard choice.count + 1 < urls.count else { return false }
        let next = (choice.index + 1) % urls.count
        streamChoices[id] = (next, choice.count + 1)
        playlistURLs[id] = urls[next]
        (versions[id], redirects[id], misses[id], conditions[id]) = (nil, nil, nil, nil)
        polls[id]?.timing.beginStream(now: now)
        return true
    }

    /// Whether a rendition's playlist, or what it lists, has brought nothing for longer than its patience.
    func isDown(_ id: RenditionID) -> Bool { conditions[id] == .down }
}
