import Concurrency
import Testing

@testable import HTTPClient

struct TransferQueueTests {
    private let start = SteadyInstant.now
    private let first = SessionID(rawValue: 1)
    private let second = SessionID(rawValue: 2)

    private func entry(
        _ id: UInt, _ session: SessionID, _ priority: TransferPriority = .urgent, origin: String? = nil,
        source: String? = nil, limit: Int? = nil, seconds: Int = 60,
    ) -> TransferQueue.Entry {
        TransferQueue.Entry(
            id: TransferID(rawValue: id), session: session, origin: origin ?? "http://\(session.rawValue)",
            priority: priority, source: source ?? "http://\(session.rawValue)/live.m3u8", sourceLimit: limit,
            deadline: start + .seconds(seconds))
    }

    private func started(_ queue: inout TransferQueue, at seconds: Int = 0) -> [UInt] {
        var ids: [UInt] = []
        while let id = queue.startNext(at: start + .seconds(seconds)) { ids.append(id.rawValue) }
        return ids
    }

    private func end(
        _ queue: inout TransferQueue, _ ids: [UInt], hasAnswered: Bool? = true, at seconds: Int = 0,
    ) {
        for id in ids {
            queue.end(TransferID(rawValue: id), hasAnswered: hasAnswered, at: start + .seconds(seconds))
        }
    }

    private func expired(_ queue: inout TransferQueue, at seconds: Int) -> [TransferID] {
        queue.removeExpired(at: start + .seconds(seconds))
    }

    private func add(_ queue: inout TransferQueue, _ entry: TransferQueue.Entry) -> Int? {
        queue.enqueue(entry, at: start)
    }

    @Test("A session with a limit waits, and does not delay others")
    func limits() {
        var queue = TransferQueue(runningLimit: 10)
        for id: UInt in 1...3 { #expect(add(&queue, entry(id, first, limit: 1)) == nil) }
        #expect(add(&queue, entry(4, second)) == nil)
        #expect(started(&queue) == [1, 4])
        end(&queue, [1])
        #expect(started(&queue) == [2])
        end(&queue, [4])
        #expect(started(&queue) == [])
        end(&queue, [2])
        #expect(started(&queue) == [3])
    }

    @Test("Two sessions of one source share its limit, and playlists of both begin before segments")
    func sourceLimit() {
        var queue = TransferQueue(runningLimit: 10)
        let url = "http://provider/live.m3u8"
        _ = add(&queue, entry(1, first, .bulk, source: url, limit: 1))
        #expect(started(&queue) == [1])
        _ = add(&queue, entry(2, first, .bulk, source: url, limit: 1))
        _ = add(&queue, entry(3, second, source: url, limit: 1))
        #expect(started(&queue) == [])
        end(&queue, [1])
        #expect(started(&queue) == [3])
        end(&queue, [3])
        #expect(started(&queue) == [2])
    }

    @Test("All sessions together stay within the client's limit, and take turns")
    func turns() {
        var queue = TransferQueue(runningLimit: 2)
        for id: UInt in 1...4 { _ = add(&queue, entry(id, first)) }
        for id: UInt in 5...6 { _ = add(&queue, entry(id, second)) }
        #expect(started(&queue) == [1, 5])
        end(&queue, [1])
        #expect(started(&queue) == [2])
        end(&queue, [2, 5])
        #expect(started(&queue) == [6, 3])
    }

    @Test("Urgent transfers begin before bulk ones, of all sessions, and have a quarter of the share")
    func priorities() {
        var queue = TransferQueue(runningLimit: 100)
        for id: UInt in 1...100 { _ = add(&queue, entry(id, first, .bulk)) }
        _ = add(&queue, entry(101, second, .urgent))
        #expect(started(&queue).first == 101)
        end(&queue, [101])
        for id: UInt in 102...103 { _ = add(&queue, entry(id, first, .urgent)) }
        #expect(started(&queue) == [102, 103])
    }

    @Test("A limit below one counts as one, so that a session never stalls")
    func zeroLimit() {
        var queue = TransferQueue(runningLimit: 2)
        _ = add(&queue, entry(1, first, limit: 0))
        #expect(started(&queue) == [1])
    }

    @Test("A session with too many waiting transfers is refused, others are not")
    func sessionBound() {
        var queue = TransferQueue(runningLimit: 1)
        for id in 0..<Limits.waitingPerSession { #expect(add(&queue, entry(UInt(id), first)) == nil) }
        #expect(add(&queue, entry(9999, first)) == Limits.waitingPerSession)
        #expect(add(&queue, entry(9999, second)) == nil)
    }

    @Test("Only entries past their deadline are removed")
    func deadlines() {
        var queue = TransferQueue(runningLimit: 0)
        _ = add(&queue, entry(1, first, seconds: 5))
        _ = add(&queue, entry(2, first, seconds: 3))
        #expect(queue.nextDeadline == start + .seconds(3))
        #expect(expired(&queue, at: 2) == [])
        #expect(expired(&queue, at: 3) == [TransferID(rawValue: 2)])
        #expect(queue.nextDeadline == start + .seconds(5))
    }

    @Test("A waiting transfer that ends is never started")
    func removal() {
        var queue = TransferQueue(runningLimit: 1)
        for id: UInt in 1...2 { _ = add(&queue, entry(id, first)) }
        #expect(started(&queue) == [1])
        end(&queue, [2], hasAnswered: nil)
        end(&queue, [1])
        #expect(started(&queue) == [])
    }

    /// A queue in which so many sessions have asked for fifteen transfers each.
    private func crowded(_ count: Int, origin: String? = nil) -> TransferQueue {
        var queue = TransferQueue(runningLimit: 512)
        for session in 1...UInt(count) {
            for number: UInt in 0..<15 {
                let priority: TransferPriority = number < 3 ? .urgent : .bulk
                let id = session * 100 + number
                _ = queue.enqueue(
                    entry(id, SessionID(rawValue: session), priority, origin: origin), at: start)
            }
        }
        return queue
    }

    @Test("Two hundred sessions without an answer leave room for one that comes later")
    func silence() {
        var queue = crowded(200)
        let hung = started(&queue)
        #expect(hung.count == 256)
        let good = SessionID(rawValue: 900)
        for id: UInt in 1...2 { _ = add(&queue, entry(id, good)) }
        #expect(started(&queue, at: 1) == [1])
        end(&queue, [1], at: 1)
        #expect(started(&queue, at: 1) == [2])
        end(&queue, [2], at: 1)
        end(&queue, hung, hasAnswered: false, at: 15)
        #expect(started(&queue, at: 15).count == 256)
        for id: UInt in 1...8 { _ = add(&queue, entry(id, good)) }
        #expect(started(&queue, at: 15) == Array(1...8))
    }

    @Test("An origin that does not answer has its share, however many sessions use it")
    func silentOrigin() {
        var queue = crowded(400, origin: "http://cdn")
        let hung = started(&queue)
        _ = add(&queue, entry(1, SessionID(rawValue: 900)))
        #expect(started(&queue, at: 4) == [1])
        end(&queue, [1], at: 4)
        end(&queue, hung, hasAnswered: false, at: 15)
        #expect(started(&queue, at: 15).count == 256)
    }
}
