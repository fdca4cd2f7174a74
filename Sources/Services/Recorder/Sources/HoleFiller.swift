import Concurrency
import HLS
import Timeline

/// Looks in the other sources of a channel for what one of them did not bring, while they list it.
///
/// Decides only; it has no clock. One source is asked at a time, and one segment is fetched at a time.
struct HoleFiller: Sendable {
    private let sources: [SourceSettings]
    private(set) var holes: [Hole] = []
    /// The source that is being asked.
    private(set) var use: SourceUse?
    /// Requests to that source that have no answer yet.
    private var unanswered = 0
    /// The source run of what is fetched of it, once something is.
    private var run: Int64?
    private var due: SteadyInstant?
    private var lastLook: SteadyInstant?
    /// Looks since a hole was last noted.
    private var looks = 0
    /// Rises with each look.
    private(set) var lookCount = 0
    /// The use of each source by URL, so that its connection is reused.
    private var uses: [String: SourceUse] = [:]
    /// How long the newest playlist of each source was, by URL, as far as one was seen.
    private var listLengths: [String: Duration] = [:]
    private var waiting: [SegmentRequest] = []
    private(set) var running: SegmentRequest?
    /// Segments that are stored in part.
    var parts = IncompleteSegmentRepairs()

    init(_ sources: [SourceSettings]) {
        self.sources = sources
    }

    /// When a source is to be asked; nil when there is nothing to ask for, or an answer is awaited.
    var next: SteadyInstant? { use == nil && !holes.isEmpty ? due : nil }

    /// Adds a time range that a source did not deliver.
    mutating func add(_ hole: Hole, now: SteadyInstant) {
        guard sources.contains(where: hole.mayBeFilled) else { return }
        let wasIdle = holes.isEmpty
        insert(hole)
        looks = 0
        let soon = max(now + Limits.firstRepair, lastLook.map { $0 + Limits.repairPause } ?? now)
        due = wasIdle ? soon : due.map { min($0, soon) } ?? soon
    }

    /// Consecutive lost segments are one hole: other sources may cut their segments differently.
    private mutating func insert(_ hole: Hole) {
        guard hole.window.microseconds > Limits.joinTolerance else { return }
        let before = holes.firstIndex {
            $0.segment == nil && hole.segment == nil && $0.rendition == hole.rendition
                && $0.source == hole.source && $0.excludedSources == hole.excludedSources
                && (hole.window.begin - $0.window.end).magnitude <= Limits.joinTolerance.magnitude
        }
        if let before {
            holes[before].window.end = hole.window.end
            holes[before].since = hole.since
        } else {
            holes.append(hole)
        }
        if holes.count > Limits.holes { holes.removeFirst() }
    }

    /// Stops all searches; the running download may finish.
    mutating func stop() {
        (holes, waiting, use, due) = ([], [], nil, nil)
    }
}

/// Asking.
extension HoleFiller {
    /// The source to ask now, if it is time; `number` is for its first use.
    ///
    /// The one in use is asked through the connection that it has.
    mutating func request(
        use number: Int, current: SourceUse?, now: SteadyInstant,
    ) -> PlaylistRequest? {
        guard let next, next <= now else { return nil }
        let sought = holes.filter { hole in
            now - hole.since <= patience(with: hole) && sources.contains(where: hole.mayBeFilled)
        }
        holes = sought
        let able = sources.filter { source in holes.contains { $0.mayBeFilled(by: source) } }
        guard !able.isEmpty else { return nil }
        lookCount += 1
        let source = able[lookCount % able.count]
        var use = uses[source.url] ?? SourceUse(number: number, source: source)
        if let current, current.source == source { use = current } else { uses[source.url] = use }
        (self.use, unanswered, run) = (use, 1, nil)
        return PlaylistRequest(use: use, purpose: .repair(nil), startedAt: now)
    }

    /// How long a hole is looked for: a source that is away may still list it when it is back.
    private func patience(with hole: Hole) -> Duration {
        guard hole.segment == nil else { return Limits.repairTime }
        let lengths = sources.filter(hole.mayBeFilled).compactMap { listLengths[$0.url] }
        return min(max(Limits.repairTime, lengths.max() ?? .zero), Limits.longestRepairTime)
    }

    /// Records the length of the newest playlist of a source.
    mutating func noteList(_ playlist: MediaPlaylist, of source: SourceSettings) {
        guard sources.count > 1, playlist.skip == nil, !playlist.segments.isEmpty else { return }
        listLengths[source.url] = .microseconds(PlaylistFollower.length(of: playlist))
    }

    /// The holes of a rendition, or of all of them, that the source in question may fill.
    func fillable(of rendition: RenditionID? = nil) -> [Hole] {
        guard let use else { return [] }
        return holes.filter { $0.mayBeFilled(by: use.source) && $0.rendition == rendition ?? $0.rendition }
    }

    /// Expects `count` more answers.
    mutating func expectAnswers(_ count: Int) {
        unanswered += count
    }

    /// An answer has come, or will not.
    mutating func receiveAnswer(now: SteadyInstant) {
        unanswered -= 1
        guard unanswered <= 0 else { return }
        (use, lastLook) = (nil, now)
        let areOld = holes.allSatisfy { now - $0.since > Limits.repairTime }
        let longest = areOld ? Limits.rareRepairPause : Limits.longestRepairPause
        due = now + min(Limits.repairPause * (1 << min(looks, 8)), longest)
        looks += 1
    }

    /// The source run of what is fetched of the source in question; `id` is for a new one.
    mutating func run(_ id: Int64) -> (id: Int64, isNew: Bool) {
        defer { run = run ?? id }
        return (run ?? id, run == nil)
    }
}

/// Fetching.
extension HoleFiller {
    var hasRoom: Bool { waiting.count < Limits.waitingRepairs }

    /// A segment is fetched for a part of a hole.
    mutating func fetch(_ request: SegmentRequest, for part: TimeWindow) {
        guard let repair = request.repair, let place = holes.firstIndex(of: repair.hole) else { return }
        waiting.append(request)
        holes.remove(at: place)
        addRest(of: repair.hole, around: part)
    }

    private mutating func addRest(of hole: Hole, around part: TimeWindow) {
        let rests = [
            TimeWindow(begin: hole.window.begin, end: part.begin),
            TimeWindow(begin: part.end, end: hole.window.end),
        ]
        for rest in rests where rest.end - rest.begin > Limits.timestampSlack {
            var left = hole
            left.window = rest
            holes.append(left)
        }
    }

    /// Removes a window from the holes, because it is now stored.
    mutating func settle(_ window: TimeWindow, of rendition: RenditionID) {
        for hole in holes
        where hole.segment == nil && hole.rendition == rendition && hole.window.overlaps(window) {
            holes.removeAll { $0 == hole }
            addRest(of: hole, around: window.clamped(to: hole.window))
        }
    }

    /// The download that begins now, if one does.
    ///
    /// What its source need not hold any longer stays a hole.
    mutating func start(now: SteadyInstant) -> SegmentRequest? {
        guard running == nil else { return nil }
        while !waiting.isEmpty {
            var request = waiting.removeFirst()
            guard request.segment.availableUntil > now else {
                reopen(request)
                continue
            }
            request.timeLimit = request.timeLimit(now: now)
            running = request
            return request
        }
        return nil
    }

    /// The download that was running has ended.
    mutating func ended() {
        running = nil
    }

    /// A segment does not fill its part of a hole: another source, or another look, may.
    ///
    /// `excludesSource`: its media belong elsewhere, and its source has no others for the hole.
    mutating func reopen(_ request: SegmentRequest, excludesSource: Bool = false) {
        guard var hole = request.repair?.hole else { return }
        if let part = hole.segment {
            guard parts[part] != nil else { return }
            hole.tries += 1
            guard hole.tries < Limits.repairTries else { return parts.giveUp(part) }
        }
        hole.window = request.segment.placed.window
        if excludesSource { hole.excludedSources.insert(request.use.source.url) }
        insert(hole)
    }

    /// The source of a part has brought all of the segment after all.
    mutating func drop(_ part: SegmentIdentity) {
        guard parts[part] != nil else { return }
        parts.drop(part)
        holes.removeAll { $0.segment == part }
        waiting.removeAll { $0.repair?.hole.segment == part }
    }
}
