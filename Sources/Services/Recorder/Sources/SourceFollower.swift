import Concurrency
import Timeline

/// Which source of a channel is in use, and when the next one is opened.
///
/// Decides only; it has no clock. It begins with the one that was recorded from last. After one that brings
/// nothing it goes to the next, around again after the last, and back to a preferred one as soon as that
/// delivers.
struct SourceFollower: Sendable {
    private var order: SourceOrder
    /// The source in use; nil between two openings.
    var session: SourceSession?
    private(set) var failbackCheck: FailbackCheck?
    /// When the next source is opened; nil while one is in use.
    private var opening: SteadyInstant?
    /// When the last one was opened; nil before the first.
    private var opened: SteadyInstant?
    private var useCount = 0
    /// What was last seen of a source: its target duration and what its playlist held, microseconds, and when
    /// it last brought something.
    private var lastSeen: (target: Int64, playlistLength: Int64, lastChange: SteadyInstant)

    init(_ sources: [SourceSettings], now: SteadyInstant) {
        order = SourceOrder(sources)
        opening = now
        lastSeen = (4_000_000, 0, now)
    }

    var hasAlternative: Bool { order.sources.count > 1 }

    /// When something is due next.
    var next: SteadyInstant? {
        opening.orEarlier(session?.next).orEarlier(failbackCheck?.next)
    }

    /// A number for another use of a source.
    mutating func nextUse() -> Int {
        useCount += 1
        return useCount
    }

    /// Takes the source that is to be opened now into use; nil when none is due.
    ///
    /// `last` is the identity of the source that was recorded before the start. Sources that are preferred to
    /// it are checked at once, because they may have recovered long ago.
    mutating func openDue(after last: String?, now: SteadyInstant) -> SourceUse? {
        guard let opening, opening <= now else { return nil }
        let isFirst = opened == nil
        if isFirst { order.begin(with: last) }
        guard let source = order.current else { return nil }
        (self.opening, opened) = (nil, now)
        let use = SourceUse(number: nextUse(), source: source)
        session = SourceSession(use, now: now)
        failbackCheck =
            order.preferred.isEmpty
            ? nil
            : FailbackCheck(
                order.preferred, pause: order.failbackPause, first: isFirst ? .zero : nil, now: now)
        return use
    }

    /// The source with this identity; nil if the channel does not have it.
    func source(identifiedBy identity: String?) -> SourceSettings? {
        order.sources.first { SourceClient.identity($0.url) == identity }
    }

    /// Whether an answer is to a request of the source in use.
    func isCurrent(_ use: SourceUse) -> Bool { session?.use.number == use.number }

    /// The present use of the same source, which has its cookies; the use itself while there is none.
    func present(_ use: SourceUse) -> SourceUse {
        guard let current = session?.use, current.source == use.source else { return use }
        return current
    }

    /// The source could not be opened.
    mutating func openingFailed(now: SteadyInstant, chance: Double) {
        switch order.failed(after: now - (opened ?? now), now: now) {
        case .again: open(after: Limits.openingPause, now: now, chance: chance)
        case .another: open(after: .zero, now: now, chance: chance)
        case .later: pause(now: now, chance: chance)
        }
    }

    /// The source is opened again from its first playlist.
    mutating func reopen(now: SteadyInstant, chance: Double) {
        order.opened()
        pause(now: now, chance: chance)
    }

    /// The source could not be asked, which is not its failure: it is opened once more.
    mutating func notAsked(now: SteadyInstant, chance: Double) {
        pause(now: now, chance: chance)
    }

    /// The source brings nothing, and there is another one.
    mutating func leave(now: SteadyInstant, chance: Double) {
        order.opened()
        order.leave(now: now)
        pause(now: now, chance: chance)
    }

    /// A preferred source delivers again: it is opened at once.
    mutating func failBack(_ source: SourceSettings, now: SteadyInstant) {
        order.failBack(source, now: now)
        (session, failbackCheck, opening) = (nil, nil, now)
    }

    /// Nothing is asked of any source any more.
    mutating func stop() {
        (session, failbackCheck, opening) = (nil, nil, nil)
    }

    private mutating func pause(now: SteadyInstant, chance: Double) {
        if let timing = session?.shortest {
            lastSeen = (timing.target, timing.playlistLength, timing.lastChange)
        }
        let pause = PollInterval.afterFailure(
            order.rounds, target: lastSeen.target, playlistLength: lastSeen.playlistLength,
            lasting: now - lastSeen.lastChange)
        open(after: .microseconds(pause), now: now, chance: chance)
    }

    private mutating func open(after pause: Duration, now: SteadyInstant, chance: Double) {
        (session, failbackCheck) = (nil, nil)
        opening = now + .microseconds(PollInterval.shortened(pause.wholeMicroseconds, chance: chance))
    }
}

/// Looking at preferred sources.
extension SourceFollower {
    mutating func failbackRequest(now: SteadyInstant) -> PlaylistRequest? {
        guard let next = failbackCheck?.next, next <= now else { return nil }
        let use = nextUse()
        return failbackCheck?.request(use: use, now: now)
    }

    mutating func failbackPlaylistArrived(_ fetched: FetchedPlaylist, _ request: PlaylistRequest)
        -> FailbackCheck.Finding
    {
        failbackCheck?.arrived(fetched, request) ?? .nothing
    }

    mutating func failbackPlaylistFailed(_ request: PlaylistRequest, now: SteadyInstant) {
        failbackCheck?.failed(request, now: now)
    }
}
