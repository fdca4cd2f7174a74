import Testing

@testable import HTTPClient

struct TransferQueueTests {
    private let start = ContinuousClock.now
    private let first = SessionID(rawValue: 1)
    private let second = SessionID(rawValue: 2)

    private func ticket(_ id: UInt, _ session: SessionID, limit: Int? = nil, seconds: Int = 60)
        -> TransferQueue.Ticket
    {
        TransferQueue.Ticket(
            id: TransferID(rawValue: id), session: session, sessionLimit: limit,
            deadline: start.advanced(by: .seconds(seconds)))
    }

    private func started(_ queue: inout TransferQueue) -> [UInt] {
        var ids: [UInt] = []
        while let id = queue.startNext() { ids.append(id.rawValue) }
        return ids
    }

    private func removes(_ queue: inout TransferQueue, _ id: TransferID) -> Bool { queue.remove(id) }

    private func expired(_ queue: inout TransferQueue, _ now: ContinuousClock.Instant) -> [TransferID] {
        queue.removeExpired(at: now)
    }

    private func limit(_ queue: inout TransferQueue, _ ticket: TransferQueue.Ticket) -> Int? {
        queue.enqueue(ticket)
    }

    @Test("A session with a limit waits, and does not delay others")
    func turns() {
        var queue = TransferQueue(runningLimit: 10)
        for id: UInt in 1...3 { #expect(limit(&queue, ticket(id, first, limit: 1)) == nil) }
        #expect(limit(&queue, ticket(4, second)) == nil)
        #expect(started(&queue) == [1, 4])
        queue.finished(in: first)
        #expect(started(&queue) == [2])
        queue.finished(in: second)
        #expect(started(&queue) == [])
        queue.finished(in: first)
        #expect(started(&queue) == [3])
    }

    @Test("All sessions together stay within the client's limit, first come, first served")
    func wholeLimit() {
        var queue = TransferQueue(runningLimit: 2)
        for id: UInt in 1...4 { _ = queue.enqueue(ticket(id, id.isMultiple(of: 2) ? first : second)) }
        #expect(started(&queue) == [1, 2])
        queue.finished(in: second)
        #expect(started(&queue) == [3])
    }

    @Test("A limit below one counts as one, so that a session never stalls")
    func zeroLimit() {
        var queue = TransferQueue(runningLimit: 2)
        _ = queue.enqueue(ticket(1, first, limit: 0))
        #expect(started(&queue) == [1])
    }

    @Test("A session with too many waiting transfers is refused, others are not")
    func sessionBound() {
        var queue = TransferQueue(runningLimit: 1)
        for id in 0..<Limits.waitingPerSession { #expect(limit(&queue, ticket(UInt(id), first)) == nil) }
        #expect(limit(&queue, ticket(9999, first)) == Limits.waitingPerSession)
        #expect(limit(&queue, ticket(9999, second)) == nil)
    }

    @Test("Only entries past their deadline are removed")
    func deadlines() {
        var queue = TransferQueue(runningLimit: 0)
        _ = queue.enqueue(ticket(1, first, seconds: 5))
        _ = queue.enqueue(ticket(2, first, seconds: 3))
        #expect(queue.nextDeadline == start.advanced(by: .seconds(3)))
        #expect(expired(&queue, start.advanced(by: .seconds(2))) == [])
        #expect(expired(&queue, start.advanced(by: .seconds(3))) == [TransferID(rawValue: 2)])
        #expect(queue.nextDeadline == start.advanced(by: .seconds(5)))
    }

    @Test("A waiting transfer can be removed, a running one is not in the queue")
    func removal() {
        var queue = TransferQueue(runningLimit: 1)
        _ = queue.enqueue(ticket(1, first))
        _ = queue.enqueue(ticket(2, first))
        #expect(started(&queue) == [1])
        #expect(!removes(&queue, TransferID(rawValue: 1)))
        #expect(removes(&queue, TransferID(rawValue: 2)))
        queue.finished(in: first)
        #expect(started(&queue) == [])
    }
}
