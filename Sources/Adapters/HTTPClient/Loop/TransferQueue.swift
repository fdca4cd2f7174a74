/// The waiting transfers: first come, first served, within the limits of each session and of the client.
struct TransferQueue {
    private var waiting: [Ticket] = []
    private var runningBySession: [SessionID: Int] = [:]
    private var runningCount = 0
    private let runningLimit: Int

    /// An entry of the queue.
    struct Ticket: Equatable {
        var id: TransferID
        var session: SessionID
        /// Transfers of the session that may run at once; nil for no limit.
        var sessionLimit: Int?
        var deadline: ContinuousClock.Instant
    }

    init(runningLimit: Int) {
        self.runningLimit = runningLimit
    }

    /// Appends a transfer; returns the limit that it would exceed, in which case it is not added.
    mutating func enqueue(_ ticket: Ticket) -> Int? {
        guard waiting.count < Limits.waitingTransfers else { return Limits.waitingTransfers }
        guard waiting.count(where: { $0.session == ticket.session }) < Limits.waitingPerSession else {
            return Limits.waitingPerSession
        }
        waiting.append(ticket)
        return nil
    }

    /// Removes the first transfer that may start and counts it as running.
    mutating func startNext() -> TransferID? {
        guard runningCount < runningLimit, let place = waiting.firstIndex(where: mayStart) else { return nil }
        let ticket = waiting.remove(at: place)
        runningCount += 1
        runningBySession[ticket.session, default: 0] += 1
        return ticket.id
    }

    private func mayStart(_ ticket: Ticket) -> Bool {
        guard let limit = ticket.sessionLimit else { return true }
        return runningBySession[ticket.session, default: 0] < max(limit, 1)
    }

    /// Ends the count of a running transfer.
    mutating func finished(in session: SessionID) {
        runningCount -= 1
        let left = runningBySession[session, default: 1] - 1
        runningBySession[session] = left > 0 ? left : nil
    }

    /// Removes a waiting transfer; false when it is not waiting.
    mutating func remove(_ id: TransferID) -> Bool {
        guard let place = waiting.firstIndex(where: { $0.id == id }) else { return false }
        waiting.remove(at: place)
        return true
    }

    /// Removes the transfers that have waited too long.
    mutating func removeExpired(at now: ContinuousClock.Instant) -> [TransferID] {
        let expired = waiting.filter { $0.deadline <= now }
        if !expired.isEmpty { waiting.removeAll { $0.deadline <= now } }
        return expired.map(\.id)
    }

    var nextDeadline: ContinuousClock.Instant? { waiting.lazy.map(\.deadline).min() }
}
