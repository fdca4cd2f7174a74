/// Which transfers wait and whose turn it is: first come, first served, within the limit of each session and of all.
struct TransferQueue {
    private var waiting: [Ticket] = []
    private var runningBySession: [SessionID: Int] = [:]
    private var runningCount = 0
    private let runningLimit: Int

    /// A transfer's place in the queue.
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

    /// Adds a transfer at the end; gives the limit that it would pass, when it may not wait.
    mutating func enqueue(_ ticket: Ticket) -> Int? {
        guard waiting.count < Limits.waitingTransfers else { return Limits.waitingTransfers }
        guard waiting.count(where: { $0.session == ticket.session }) < Limits.waitingPerSession else {
            return Limits.waitingPerSession
        }
        waiting.append(ticket)
        return nil
    }

    /// Takes the first transfer that may start, and counts it as running.
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

    /// Gives the turn of a running transfer back.
    mutating func finished(in session: SessionID) {
        runningCount -= 1
        let left = runningBySession[session, default: 1] - 1
        runningBySession[session] = left > 0 ? left : nil
    }

    /// Takes a waiting transfer out; false when it does not wait.
    mutating func remove(_ id: TransferID) -> Bool {
        guard let place = waiting.firstIndex(where: { $0.id == id }) else { return false }
        waiting.remove(at: place)
        return true
    }

    /// Takes out the transfers that have waited too long.
    mutating func takeExpired(at now: ContinuousClock.Instant) -> [TransferID] {
        let expired = waiting.filter { $0.deadline <= now }
        if !expired.isEmpty { waiting.removeAll { $0.deadline <= now } }
        return expired.map(\.id)
    }

    var nextDeadline: ContinuousClock.Instant? { waiting.lazy.map(\.deadline).min() }
}
