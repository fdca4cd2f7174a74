import Concurrency
import HLS
import HTTP
import Timeline

/// The downloads of a channel: of each rendition a few run at once, in the order in which they were listed.
///
/// Decides only; it has no clock. They outlive the use of a source, so that running downloads can finish.
struct FetchQueues: Sendable {
    struct Queue: Sendable {
        var waiting: [SegmentRequest] = []
        /// Of more segments than there was room for those that are fetched after the live edge.
        var postponed: [SegmentRequest] = []
        /// Between two tries; these hold no place.
        ///
        /// All events look at their times: where many wait, a copy of each request would cost more than all
        /// else.
        var resting: [Resting] = []
        var running: [Running] = []
        /// Segments whose addresses may be those of others by now: what comes from there is not stored.
        var doubted: Set<SegmentIdentity> = []
        /// How long they are; nil where none have been since a playlist was accepted.
        var doubtedUntil: SteadyInstant?

        /// Downloads that may begin now; slow ones do not hold back what was listed after them, up to a
        /// bound.
        var free: Int {
            let prompt = running.indices.count { running[$0].slowAt != nil }
            return max(
                0, min(Limits.parallelFetches - prompt, Limits.parallelFetchesWithSlow - running.count))
        }

        /// When a running download becomes slow, and another one may begin beside it.
        var nextSlow: SteadyInstant? {
            guard !waiting.isEmpty || !postponed.isEmpty, running.count < Limits.parallelFetchesWithSlow
            else { return nil }
            return running.indices.reduce(nil) { $0.orEarlier(running[$1].slowAt) }
        }

        /// Whether something is to be fetched at a time, if there is room for it.
        func isDue(at now: SteadyInstant) -> Bool {
            !waiting.isEmpty || !postponed.isEmpty || nextRested.map { $0 <= now } ?? false
        }

        /// When the next pause between two tries ends.
        var nextRested: SteadyInstant? {
            resting.indices.reduce(nil) { $0.orEarlier(end(of: resting[$1])) }
        }

        /// When a pause between two tries ends: not while the address is in doubt.
        private func end(of resting: Resting) -> SteadyInstant {
            guard let doubtedUntil, doubted.contains(resting.request.segment.identity) else {
                return resting.until
            }
            return max(resting.until, doubtedUntil)
        }

        /// Whether bytes of a segment may be those of another one at a time.
        func isDoubted(_ identity: SegmentIdentity, at now: SteadyInstant) -> Bool {
            doubted.contains(identity) && doubtedUntil.map { now < $0 } ?? false
        }

        /// Segments that are tried again, or will be.
        var retried: [SegmentRequest] { (running.map(\.request) + all).filter { $0.attempt > 1 } }

        /// Segments that are not being fetched.
        var count: Int { waiting.count + postponed.count + resting.count }
        var all: [SegmentRequest] { waiting + postponed + resting.map(\.request) }

        /// The downloads that begin now.
        mutating func start(now: SteadyInstant) -> [SegmentRequest] {
            if let nextRested, nextRested <= now {
                let pauses = resting
                add(pauses.filter { end(of: $0) <= now }.map(\.request))
                resting = pauses.filter { end(of: $0) > now }
            }
            for place in running.indices where running[place].slowAt.map({ $0 <= now }) ?? false {
                running[place].slowAt = nil
            }
            let started = take(free).map { request in
                var request = request
                request.timeLimit = request.segment.timeLimit(now: now)
                request.isLast =
                    request.attempt >= 3 && now + request.pause > request.segment.availableUntil
                return request
            }
            running += started.map {
                Running(request: $0, slowAt: now + $0.segment.leastTimeLimit * 2)
            }
            return started
        }

        mutating func add(_ requests: [SegmentRequest]) {
            waiting += requests.filter { !$0.isPostponed }
            postponed += requests.filter(\.isPostponed)
        }

        /// Takes out the next ones, at most so many.
        mutating func take(_ limit: Int) -> [SegmentRequest] {
            let prompt = waiting.prefix(limit)
            let later = postponed.prefix(limit - prompt.count)
            waiting.removeFirst(prompt.count)
            postponed.removeFirst(later.count)
            return Array(prompt + later)
        }
    }

    struct Resting: Sendable {
        var request: SegmentRequest
        var until: SteadyInstant
    }

    struct Running: Sendable {
        var request: SegmentRequest
        /// When it counts as slow; nil once it does.
        var slowAt: SteadyInstant?
        /// Another segment has its address by now.
        var isReplaced = false
    }

    /// Whose the bytes are that a download brings.
    enum Standing: Sendable {
        case own
        /// They may be those of another segment, which the next playlist will tell.
        case doubted
        /// Another segment has the address: nothing is stored, and nothing tried again.
        case replaced
    }

    var queues: [RenditionID: Queue] = [:]
    private var isClosed = false
    /// Segments that were to be fetched when the queues were closed, or later.
    private var dropped: [SegmentRequest] = []

    /// How many segments of a rendition can be added.
    func room(for id: RenditionID) -> Int {
        guard let queue = queues[id] else { return Limits.waitingSegments }
        return max(0, Limits.waitingSegments - queue.count)
    }

    /// Takes segments of a rendition, in the order of listing.
    mutating func add(_ requests: [SegmentRequest], of id: RenditionID) {
        guard !isClosed else { return }
        queues[id, default: Queue()].add(requests)
    }

    /// A playlist of a source run lists segments again that are still to be fetched: tokens in their URLs and
    /// those of their keys may be new, and the source holds them for longer.
    ///
    /// After a bounded number of tries the time of a segment is not moved on any more.
    mutating func relist(
        _ playlist: MediaPlaylist, of id: RenditionID, run: Int64?, _ use: SourceUse, base: HTTPURL,
        arrival: SteadyInstant,
    ) {
        queues[id]?.doubted = []
        queues[id]?.doubtedUntil = nil
        guard let queue = queues[id], queue.count > 0 else { return }
        let first = playlist.number(at: 0)
        let length = min(PlaylistFollower.length(of: playlist), Limits.longestRetry)
        let available = arrival + .microseconds(length + PlaylistFollower.target(of: playlist))
        func relisted(_ request: SegmentRequest) -> SegmentRequest {
            let index = Int(clamping: request.segment.listedNumber &- first)
            guard request.use == use, request.segment.identity.run == run,
                playlist.segments.indices.contains(index)
            else { return request }
            let entry = playlist.segments[index]
            guard SeenEntry.core(of: entry) == SeenEntry.core(of: request.segment.entry) else {
                return request
            }
            var request = request
            (request.segment.entry.uri, request.base) = (entry.uri, base)
            // What is in force at the first segment after skipped ones is not in the playlist.
            if playlist.skip == nil {
                request.segment.entry.keys = entry.keys
                request.segment.entry.map = entry.map
            }
            if request.attempt < Limits.triesWhileListed {
                request.segment.availableUntil = max(request.segment.availableUntil, available)
            }
            return request
        }
        queues[id]?.waiting = queue.waiting.map(relisted)
        queues[id]?.postponed = queue.postponed.map(relisted)
        queues[id]?.resting = queue.resting.map {
            Resting(request: relisted($0.request), until: $0.until)
        }
    }

    /// A try ended; with a time the segment is tried again then.
    mutating func ended(_ request: SegmentRequest, retry: SteadyInstant? = nil) {
        let id = request.segment.identity.rendition
        if let place = queues[id]?.running.firstIndex(where: {
            $0.request.segment.identity == request.segment.identity
        }) {
            queues[id]?.running.remove(at: place)
        }
        guard let retry else { return }
        var request = request
        request.attempt += 1
        guard !isClosed else { return dropped.append(request) }
        queues[id]?.resting.append(Resting(request: request, until: retry))
    }

    /// The newest request for a segment that is being fetched, or will be.
    func request(of identity: SegmentIdentity) -> SegmentRequest? {
        guard let queue = queues[identity.rendition] else { return nil }
        return (queue.running.map(\.request) + queue.all).first { $0.segment.identity == identity }
    }

    /// Whether a segment is being fetched, or will be.
    func holds(_ identity: SegmentIdentity) -> Bool {
        guard let queue = queues[identity.rendition] else { return false }
        return queue.running.contains { $0.request.segment.identity == identity }
            || queue.all.contains { $0.segment.identity == identity }
    }

    /// A segment is not fetched again after the try that is under way.
    mutating func drop(_ identity: SegmentIdentity) {
        queues[identity.rendition]?.resting.removeAll { $0.request.segment.identity == identity }
        queues[identity.rendition]?.waiting.removeAll { $0.segment.identity == identity }
        queues[identity.rendition]?.postponed.removeAll { $0.segment.identity == identity }
    }

    /// The downloads that begin now.
    mutating func start(now: SteadyInstant) -> [SegmentRequest] {
        let due = queues.compactMap { id, queue in queue.isDue(at: now) ? id : nil }
        return due.sorted().flatMap { queues[$0]?.start(now: now) ?? [] }
    }

    /// Drops what waits; what runs may finish.
    mutating func close() {
        isClosed = true
        for id in queues.keys {
            dropped += queues[id]?.all ?? []
            queues[id]?.waiting = []
            queues[id]?.postponed = []
            queues[id]?.resting = []
        }
    }

    /// What has not ended, one way or the other.
    var unfinished: [SegmentRequest] {
        dropped + queues.values.flatMap { $0.all + $0.running.map(\.request) }
    }

    var isIdle: Bool { queues.values.allSatisfy { $0.running.isEmpty } }

    /// When the next download may begin; nil when none rests, and none waits behind others.
    var next: SteadyInstant? {
        queues.values.reduce(nil) { next, queue in
            next.orEarlier(queue.nextSlow).orEarlier(queue.nextRested)
        }
    }
}

extension Limits {
    /// How long a playlist may leave open whose bytes the addresses hold that it lists.
    static func doubt(of playlist: MediaPlaylist) -> Duration {
        .microseconds(doubtfulTargets * PlaylistFollower.target(of: playlist))
    }
}
