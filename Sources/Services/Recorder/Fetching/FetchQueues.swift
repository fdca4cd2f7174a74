import Concurrency
import HLS
import HTTP
import Timeline

/// The downloads of a channel: for each rendition a few at a time, in the order of listing.
///
/// Decides only; it has no clock. The queues outlive a change of source, so that downloads can finish.
struct FetchQueues: Sendable {
    struct Queue: Sendable {
        var waiting: [SegmentRequest] = []
        /// Segments that are fetched after the newest ones, because the queue was full when they were listed
        /// or because a part of them is stored.
        var postponed: [SegmentRequest] = []
        /// Requests that wait before their next try; they do not count as running.
        var delayed: [DelayedRequest] = [] { didSet { updateNextRetry() } }
        var running: [Running] = []
        /// Segments whose address may now lead to another segment: bytes from there are not stored.
        var doubted: Set<SegmentIdentity> = [] { didSet { updateNextRetry() } }
        /// When the doubt ends; nil if no doubt has started since the last accepted playlist.
        var doubtedUntil: SteadyInstant? { didSet { updateNextRetry() } }
        /// When the next pause between two tries ends; all events ask for it.
        private(set) var nextRetry: SteadyInstant?
        /// The segments of the last accepted playlist; nil before the first one.
        fileprivate var listed: Listed?

        /// How many downloads may begin now.
        ///
        /// A slow download no longer counts, up to `Limits.parallelFetchesWithSlow` downloads in all.
        var freeSlots: Int {
            let prompt = running.indices.count { running[$0].slowAt != nil }
            return max(
                0, min(Limits.parallelFetches - prompt, Limits.parallelFetchesWithSlow - running.count))
        }

        /// When the next running download counts as slow, so that another download may start.
        var nextSlow: SteadyInstant? {
            guard !waiting.isEmpty || !postponed.isEmpty, running.count < Limits.parallelFetchesWithSlow
            else { return nil }
            return running.indices.reduce(nil) { $0.orEarlier(running[$1].slowAt) }
        }

        /// Whether something is to be fetched at a time, if there is room for it.
        func isDue(at now: SteadyInstant) -> Bool {
            !waiting.isEmpty || !postponed.isEmpty || nextRetry.map { $0 <= now } ?? false
        }

        private mutating func updateNextRetry() {
            nextRetry = delayed.indices.reduce(nil) { $0.orEarlier(end(of: delayed[$1])) }
        }

        /// When the pause before the next attempt ends; a doubtful address extends the pause.
        private func end(of delayed: DelayedRequest) -> SteadyInstant {
            guard let doubtedUntil, doubted.contains(delayed.request.segment.identity) else {
                return delayed.until
            }
            return max(delayed.until, doubtedUntil)
        }

        /// Whether bytes of a segment may be those of another one at a time.
        func isDoubted(_ identity: SegmentIdentity, at now: SteadyInstant) -> Bool {
            doubted.contains(identity) && doubtedUntil.map { now < $0 } ?? false
        }

        /// Segments that are tried again, or will be.
        var retried: [SegmentRequest] { (running.map(\.request) + notRunning).filter { $0.attempt > 1 } }

        /// Whether a segment is being fetched, or will be.
        func holds(_ identity: SegmentIdentity) -> Bool {
            running.contains { $0.request.segment.identity == identity }
                || waiting.contains { $0.segment.identity == identity }
                || postponed.contains { $0.segment.identity == identity }
                || delayed.contains { $0.request.segment.identity == identity }
        }

        /// Segments that are not being fetched.
        var count: Int { waiting.count + postponed.count + delayed.count }
        /// Nothing is being fetched, or will be.
        var isEmpty: Bool { running.isEmpty && count == 0 }
        var notRunning: [SegmentRequest] { waiting + postponed + delayed.map(\.request) }

        /// Whether the bytes downloaded for a segment belong to it.
        func ownership(of identity: SegmentIdentity, now: SteadyInstant) -> Ownership {
            let isReplaced = running.contains { $0.isReplaced && $0.request.segment.identity == identity }
            return isReplaced ? .replaced : isDoubted(identity, at: now) ? .doubted : .own
        }

        /// The downloads that begin now.
        mutating func takeDue(now: SteadyInstant) -> [SegmentRequest] {
            if let nextRetry, nextRetry <= now {
                let pauses = delayed
                add(pauses.filter { end(of: $0) <= now }.map(\.request.afterNewSegments))
                delayed = pauses.filter { end(of: $0) > now }
            }
            for index in running.indices where running[index].slowAt.map({ $0 <= now }) ?? false {
                running[index].slowAt = nil
            }
            let freeSlots = freeSlots
            guard freeSlots > 0 else { return [] }
            var started = removeNext(limit: freeSlots)
            var patientCount = running.indices.count {
                running[$0].request.silenceLimit > Limits.segmentSilence
            }
            for index in started.indices {
                let request = started[index]
                started[index].timeLimit = request.timeLimit(now: now)
                // Only a few wait for long: a host that was silent may answer the others by now.
                let isPatient = patientCount < Limits.patientFetches
                started[index].silenceLimit = isPatient ? request.longestSilence : Limits.segmentSilence
                if started[index].silenceLimit > Limits.segmentSilence { patientCount += 1 }
                started[index].isLast =
                    request.attempt >= 3 && now + request.pause > request.segment.availableUntil
                let limit = request.segment.leastTimeLimit
                running.append(Running(request: started[index], slowAt: now + limit + limit))
            }
            return started
        }

        /// A download has ended.
        ///
        /// - Returns: until when the source is expected to hold the segment, according to the latest playlist
        mutating func finish(_ identity: SegmentIdentity) -> SteadyInstant? {
            let index = running.firstIndex { $0.request.segment.identity == identity }
            return index.map { running.remove(at: $0).request.segment.availableUntil }
        }

        mutating func add(_ requests: [SegmentRequest]) {
            for request in requests {
                if request.isPostponed { postponed.append(request) } else { waiting.append(request) }
            }
        }

        /// Extends the availability of segments that are being fetched, because the source still lists them.
        fileprivate mutating func extendAvailability(
            until time: SteadyInstant, where isListed: (SegmentRequest) -> Bool,
        ) {
            for index in running.indices where isListed(running[index].request) {
                running[index].request = running[index].request.available(until: time)
            }
        }

        /// Changes the requests that are not running.
        fileprivate mutating func updateWaiting(_ changed: (SegmentRequest) -> SegmentRequest) {
            guard count > 0 else { return }
            waiting = waiting.map(changed)
            postponed = postponed.map(changed)
            delayed = delayed.map { DelayedRequest(request: changed($0.request), until: $0.until) }
        }

        /// Removes and returns the next requests, at most `limit`.
        mutating func removeNext(limit: Int) -> [SegmentRequest] {
            var taken: [SegmentRequest] = []
            if waiting.count <= limit {
                swap(&taken, &waiting)
            } else {
                taken = Array(waiting.prefix(limit))
                waiting.removeFirst(limit)
            }
            guard !postponed.isEmpty else { return taken }
            let later = postponed.prefix(limit - taken.count)
            taken += later
            postponed.removeFirst(later.count)
            return taken
        }
    }

    /// The segments of a playlist.
    fileprivate struct Listed: Sendable {
        var use: SourceUse
        var run: Int64?
        var first: UInt64
        var count: Int

        /// Where the segment of a request stands among them; nil when it is not one of them.
        func index(of request: SegmentRequest) -> Int? {
            let index = Int(clamping: request.segment.listedNumber &- first)
            // The source may have been opened again meanwhile.
            guard request.use.source == use.source, request.segment.identity.run == run, index < count
            else { return nil }
            return index
        }
    }

    struct DelayedRequest: Sendable {
        var request: SegmentRequest
        var until: SteadyInstant
    }

    struct Running: Sendable {
        var request: SegmentRequest
        /// When it counts as slow; nil once it does.
        var slowAt: SteadyInstant?
        /// Whether another segment has its address now.
        var isReplaced = false
    }

    /// Which segment the bytes of a download belong to.
    enum Ownership: Sendable {
        case own
        /// The bytes may belong to another segment; the next playlist decides.
        case doubted
        /// Another segment has the address: nothing is stored, and there is no retry.
        case replaced
    }

    var queues = ByRendition<Queue>()
    private var isClosed = false
    /// Segments that were to be fetched when the queues were closed, or later.
    private var dropped: [SegmentRequest] = []

    /// How many segments of a rendition can be added.
    func room(for id: RenditionID) -> Int {
        max(0, Limits.waitingSegments - (queues[id]?.count ?? 0))
    }

    /// Takes segments of a rendition, in the order of listing.
    mutating func add(_ requests: [SegmentRequest], of id: RenditionID) {
        guard !isClosed else { return }
        if queues[id] == nil { queues[id] = Queue() }
        if let index = queues.index(of: id) { queues.values[index].add(requests) }
    }

    /// Updates waiting requests for segments that a playlist of their source run lists again.
    ///
    /// URLs of segments and keys may have new tokens, and the source holds the segments for longer. After
    /// `Limits.triesWhileListed` tries `availableUntil` is no longer moved. `areRenamed`: the source renames
    /// its segments with each load.
    mutating func relist(
        _ playlist: MediaPlaylist, of id: RenditionID, run: Int64?, areRenamed: Bool = false,
        _ use: SourceUse, base: HTTPURL, arrival: SteadyInstant,
    ) {
        if queues[id] == nil { queues[id] = Queue() }
        guard let index = queues.index(of: id) else { return }
        if queues.values[index].doubtedUntil != nil {
            (queues.values[index].doubted, queues.values[index].doubtedUntil) = ([], nil)
        }
        let listed = Listed(
            use: use, run: run, first: playlist.number(at: 0), count: playlist.segments.count)
        queues.values[index].listed = listed
        guard !queues.values[index].isEmpty else { return }
        let available = arrival + .microseconds(RenditionProgress.listedFor(playlist))
        func entry(of request: SegmentRequest) -> MediaSegment? {
            guard let entry = listed.index(of: request).map({ playlist.segments[$0] }),
                SeenEntry.isSame(entry, as: request.segment.entry, areRenamed: areRenamed)
            else { return nil }
            return entry
        }
        queues.values[index].extendAvailability(until: available) { entry(of: $0) != nil }
        queues.values[index].updateWaiting { request in
            guard let entry = entry(of: request) else { return request }
            var request = request
            (request.segment.entry.uri, request.base, request.use) = (entry.uri, base, use)
            request.listingsSinceOtherBytes = request.listingsSinceOtherBytes.map { $0 + 1 }
            // What is in force at the first segment after skipped ones is not in the playlist.
            if playlist.skip == nil {
                request.segment.entry.keys = entry.keys
                request.segment.entry.map = entry.map
            }
            return request.available(until: available)
        }
    }

    /// Extends the availability of the listed segments, because the playlist has not changed.
    mutating func extendAvailability(_ id: RenditionID, until time: SteadyInstant) {
        guard let index = queues.index(of: id), let listed = queues.values[index].listed else { return }
        queues.values[index].extendAvailability(until: time) { listed.index(of: $0) != nil }
        queues.values[index].updateWaiting { request in
            listed.index(of: request) == nil ? request : request.available(until: time)
        }
    }

    /// Ends an attempt; schedules the next one if `retry` is not nil.
    mutating func ended(_ request: SegmentRequest, retry: SteadyInstant? = nil) {
        let identity = request.segment.identity
        let index = queues.index(of: identity.rendition)
        let available = index.flatMap { queues.values[$0].finish(identity) }
        guard let retry else { return }
        var request = available.map(request.available) ?? request
        request.attempt += 1
        guard !isClosed else { return dropped.append(request) }
        if let index { queues.values[index].delayed.append(DelayedRequest(request: request, until: retry)) }
    }

    /// The newest request for a segment that is being fetched, or will be.
    func request(of identity: SegmentIdentity) -> SegmentRequest? {
        guard let queue = queues[identity.rendition] else { return nil }
        return (queue.running.map(\.request) + queue.notRunning).first { $0.segment.identity == identity }
    }

    /// Whether a segment is being fetched, or will be.
    func holds(_ identity: SegmentIdentity) -> Bool {
        queues[identity.rendition]?.holds(identity) ?? false
    }

    /// Removes all waiting requests for a segment; a running attempt continues.
    mutating func drop(_ identity: SegmentIdentity) {
        queues[identity.rendition]?.delayed.removeAll { $0.request.segment.identity == identity }
        queues[identity.rendition]?.waiting.removeAll { $0.segment.identity == identity }
        queues[identity.rendition]?.postponed.removeAll { $0.segment.identity == identity }
    }

    /// The downloads that begin now.
    mutating func takeDue(now: SteadyInstant) -> [SegmentRequest] {
        var started: [SegmentRequest] = []
        for index in queues.values.indices where queues.values[index].isDue(at: now) {
            started += queues.values[index].takeDue(now: now)
        }
        return started
    }

    /// Drops all waiting requests; running downloads may finish.
    mutating func close() {
        isClosed = true
        for id in queues.keys {
            dropped += queues[id]?.notRunning ?? []
            queues[id]?.waiting = []
            queues[id]?.postponed = []
            queues[id]?.delayed = []
        }
    }

    /// Requests that are waiting or running, or that `close()` has dropped.
    var unfinished: [SegmentRequest] {
        dropped + queues.values.flatMap { $0.notRunning + $0.running.map(\.request) }
    }

    var isIdle: Bool { queues.values.allSatisfy { $0.running.isEmpty } }

    /// The next time at which a download may begin; nil when only an event can start one.
    var next: SteadyInstant? {
        var next: SteadyInstant?
        for index in queues.values.indices {
            next = next.orEarlier(queues.values[index].nextSlow).orEarlier(queues.values[index].nextRetry)
        }
        return next
    }
}

extension Limits {
    /// How long the addresses that a doubtful playlist lists stay in doubt.
    static func doubt(of playlist: MediaPlaylist) -> Duration {
        .microseconds(doubtfulTargets * PlaylistFollower.target(of: playlist))
    }
}
