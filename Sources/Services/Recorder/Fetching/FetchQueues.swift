import Timeline

/// The downloads of a channel: of each rendition a few run at once, in the order in which they were listed.
///
/// Decides only; it has no clock. They outlive the use of a source, so that running downloads can finish.
struct FetchQueues: Sendable {
    struct Queue: Sendable {
        var waiting: [SegmentRequest] = []
        /// Between two tries; these hold no place.
        var resting: [(request: SegmentRequest, until: ContinuousClock.Instant)] = []
        var running = 0
    }

    private(set) var queues: [RenditionID: Queue] = [:]
    private var isClosed = false

    /// Takes a segment; false when too many wait already, or none are taken any more.
    mutating func add(_ request: SegmentRequest) -> Bool {
        let id = request.segment.identity.rendition
        let queue = queues[id, default: Queue()]
        guard !isClosed, queue.waiting.count + queue.resting.count < Limits.waitingSegments else {
            return false
        }
        queues[id, default: Queue()].waiting.append(request)
        return true
    }

    /// A try ended; with a time the segment is tried again then.
    mutating func ended(_ request: SegmentRequest, retry: ContinuousClock.Instant? = nil) {
        let id = request.segment.identity.rendition
        queues[id]?.running -= 1
        guard let retry, !isClosed else { return }
        var request = request
        request.attempt += 1
        queues[id]?.resting.append((request, retry))
    }

    /// The downloads that begin now.
    mutating func start(now: ContinuousClock.Instant) -> [SegmentRequest] {
        queues.keys.sorted().flatMap { start($0, now: now) }
    }

    private mutating func start(_ id: RenditionID, now: ContinuousClock.Instant) -> [SegmentRequest] {
        guard var queue = queues[id] else { return [] }
        queue.waiting += queue.resting.filter { $0.until <= now }.map(\.request)
        queue.resting.removeAll { $0.until <= now }
        let free = max(0, Limits.parallelFetches - queue.running)
        let started = queue.waiting.prefix(free).map { request in
            var request = request
            request.isLast = request.attempt >= 3 && now + request.pause > request.segment.availableUntil
            return request
        }
        queue.waiting.removeFirst(started.count)
        queue.running += started.count
        queues[id] = queue
        return started
    }

    /// Drops what waits; what runs may finish.
    mutating func close() {
        isClosed = true
        for id in queues.keys {
            queues[id]?.waiting = []
            queues[id]?.resting = []
        }
    }

    var isIdle: Bool { queues.values.allSatisfy { $0.running == 0 } }

    /// When the next try is due; nil when none rests.
    var next: ContinuousClock.Instant? {
        queues.values.lazy.flatMap { $0.resting.lazy.map(\.until) }.min()
    }
}
