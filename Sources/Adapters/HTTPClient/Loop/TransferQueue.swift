import Concurrency

/// The waiting transfers, and which of them begins next.
///
/// Sessions are served in a round, so that one with many waiting transfers does not delay the others; urgent
/// transfers begin before bulk ones. `TransferShares` says how many of a session or an origin may run.
struct TransferQueue {
    private var sessions: [SessionID: Waiting] = [:]
    /// Sessions with waiting transfers; the next one to have its turn comes first.
    private var sessionOrder: [SessionID] = []
    private var sessionOfWaiting: [TransferID: SessionID] = [:]
    private var running: [TransferID: Entry] = [:]
    private var shares: TransferShares
    /// No waiting transfer has a deadline before this one; nil when none waits.
    private(set) var nextDeadline: SteadyInstant?

    /// An entry of the queue.
    struct Entry: Equatable {
        var id: TransferID
        var session: SessionID
        /// Scheme, host and port of the first request.
        var origin: String
        var priority: TransferPriority
        /// The source's URL.
        var source: String
        /// Transfers of the source that may run at once, whatever their sessions; nil for no limit.
        var sourceLimit: Int?
        /// Until when it may wait.
        var deadline: SteadyInstant
    }

    private struct Waiting {
        var urgent: [Entry] = []
        var bulk: [Entry] = []

        var count: Int { urgent.count + bulk.count }

        subscript(priority: TransferPriority) -> [Entry] {
            get { priority == .urgent ? urgent : bulk }
            set { if priority == .urgent { urgent = newValue } else { bulk = newValue } }
        }
    }

    init(runningLimit: Int) {
        shares = TransferShares(limit: runningLimit)
    }

    /// Appends a transfer; returns the limit that it would exceed, in which case it is not added.
    mutating func enqueue(_ entry: Entry, at now: SteadyInstant) -> Int? {
        guard sessionOfWaiting.count < Limits.waitingTransfers else { return Limits.waitingTransfers }
        let count = sessions[entry.session]?.count ?? 0
        guard count < Limits.waitingPerSession else { return Limits.waitingPerSession }
        if count == 0 { sessionOrder.append(entry.session) }
        sessions[entry.session, default: Waiting()][entry.priority].append(entry)
        sessionOfWaiting[entry.id] = entry.session
        nextDeadline = min(nextDeadline ?? entry.deadline, entry.deadline)
        shares.noteQueued(entry, at: now)
        return nil
    }

    /// Removes the next transfer that may start and counts it as running.
    mutating func startNext(at now: SteadyInstant) -> TransferID? {
        guard shares.hasRoom else { return nil }
        for priority in [TransferPriority.urgent, .bulk] {
            for session in sessionOrder where shares.mayStart(session, priority, at: now) {
                guard let waiting = sessions[session]?[priority].prefix(Limits.checkedPerSession),
                    let entry = waiting.first(where: { shares.mayStart($0, at: now) })
                else { continue }
                removeWaiting(entry.id)
                if let place = sessionOrder.firstIndex(of: session) {
                    sessionOrder.append(sessionOrder.remove(at: place))
                }
                running[entry.id] = entry
                shares.started(entry, at: now)
                return entry.id
            }
        }
        return nil
    }

    /// Ends a waiting or running transfer.
    ///
    /// `hasAnswered` says whether the origin did; nil when that is unknown.
    mutating func end(_ id: TransferID, hasAnswered: Bool?, at now: SteadyInstant) {
        if let entry = running.removeValue(forKey: id) {
            shares.ended(entry, hasAnswered: hasAnswered, at: now)
        } else {
            removeWaiting(id)
        }
    }

    /// Removes the transfers that have waited too long.
    mutating func removeExpired(at now: SteadyInstant) -> [TransferID] {
        guard let nextDeadline, nextDeadline <= now else { return [] }
        let waiting = sessions.values.flatMap { $0.urgent + $0.bulk }
        self.nextDeadline = waiting.lazy.map(\.deadline).filter { $0 > now }.min()
        let expired = waiting.filter { $0.deadline <= now }.map(\.id)
        for id in expired { removeWaiting(id) }
        return expired
    }

    private mutating func removeWaiting(_ id: TransferID) {
        guard let session = sessionOfWaiting.removeValue(forKey: id) else { return }
        sessions[session]?.urgent.removeAll { $0.id == id }
        sessions[session]?.bulk.removeAll { $0.id == id }
        guard sessions[session]?.count == 0 else { return }
        sessions[session] = nil
        sessionOrder.removeAll { $0 == session }
    }
}
