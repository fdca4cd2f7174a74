import Concurrency

/// How many transfers of each session and of each origin may run at once.
///
/// While less than half of the client's limit is in use, a session is bounded only by its share, which is at
/// least `Limits.minimumShare`. Above half, a silent session may run one transfer, so that hundreds of hung
/// transfers do not block others; a silent origin may run its share, however many sessions use it. The last
/// eighth of the limit is for sessions and origins with few transfers.
///
/// A session or an origin is silent if the last transfer that ended got no answer. While transfers run, it is
/// also silent if its last answer is older than `Limits.shareLifetime`, or if none came for `Limits.silence`.
struct TransferShares {
    private let limit: Int
    private var runningCount = 0
    private var sessions: [SessionID: Usage] = [:]
    private var origins: [String: Usage] = [:]
    /// How many transfers of each source run: providers count the connections of all sessions.
    private var sources: [String: Int] = [:]
    private var lastRemoval: SteadyInstant?

    private struct Usage {
        var running = 0
        /// The last transfer that ended had no answer.
        var isUnresponsive = false
        /// Since when transfers run and none has ended with an answer.
        var silentSince: SteadyInstant?
        /// When a transfer last ended with an answer.
        var lastAnswer: SteadyInstant?
        var lastUse: SteadyInstant

        func isSilent(at now: SteadyInstant) -> Bool {
            guard !isUnresponsive, let silentSince else { return isUnresponsive }
            let hasAnswered = lastAnswer.map { now - $0 <= Limits.shareLifetime } ?? false
            return !hasAnswered || now - silentSince > Limits.silence
        }

        func isRecent(at now: SteadyInstant) -> Bool {
            running > 0 || now - lastUse <= Limits.shareLifetime
        }

        mutating func started(at now: SteadyInstant) {
            running += 1
            silentSince = silentSince ?? now
            lastUse = now
        }

        mutating func ended(hasAnswered: Bool?, at now: SteadyInstant) {
            running -= 1
            lastUse = now
            if hasAnswered == true { lastAnswer = now }
            isUnresponsive = hasAnswered.map { !$0 } ?? isUnresponsive
            if running == 0 { silentSince = nil } else if hasAnswered == true { silentSince = now }
        }
    }

    init(limit: Int) {
        self.limit = limit
    }

    var hasRoom: Bool { runningCount < limit }

    /// What may be used by any session; the rest is a reserve.
    private var common: Int { limit - limit / 8 }

    private var sessionShare: Int { max(Limits.minimumShare, common / max(sessions.count, 1)) }

    private var originShare: Int { max(Limits.minimumShare, common / max(origins.count, 1)) }

    /// Whether a session may start a transfer, as far as it does not depend on the transfer's origin.
    func mayStart(_ id: SessionID, _ priority: TransferPriority, at now: SteadyInstant) -> Bool {
        let session = sessions[id] ?? Usage(lastUse: now)
        guard hasRoom, session.running < Self.part(of: sessionShare, priority) else { return false }
        if runningCount < limit / 2 || session.running == 0 && runningCount < common { return true }
        guard !session.isSilent(at: now) else { return false }
        return runningCount < common || session.running < 2
    }

    /// Whether the limits of its source and its origin let a waiting transfer start.
    ///
    /// The session is checked before this.
    func mayStart(_ entry: TransferQueue.Entry, at now: SteadyInstant) -> Bool {
        guard sources[entry.source] ?? 0 < max(entry.sourceLimit ?? .max, 1) else { return false }
        if runningCount < limit / 2 { return true }
        let origin = origins[entry.origin] ?? Usage(lastUse: now)
        if origin.isSilent(at: now), origin.running >= originShare { return false }
        return runningCount < common || origin.running < limit / 2 && !origin.isSilent(at: now)
    }

    /// The part of a share that transfers of a priority may use: bulk leaves a quarter to urgent ones.
    private static func part(of share: Int, _ priority: TransferPriority) -> Int {
        priority == .urgent ? share : share - share / 4
    }

    /// A transfer waits: its session and origin have a share from now on.
    mutating func noteQueued(_ entry: TransferQueue.Entry, at now: SteadyInstant) {
        sessions[entry.session, default: Usage(lastUse: now)].lastUse = now
        origins[entry.origin, default: Usage(lastUse: now)].lastUse = now
        guard lastRemoval.map({ now - $0 > .seconds(1) }) ?? true else { return }
        lastRemoval = now
        sessions = sessions.filter { $0.value.isRecent(at: now) }
        origins = origins.filter { $0.value.isRecent(at: now) }
    }

    mutating func started(_ entry: TransferQueue.Entry, at now: SteadyInstant) {
        runningCount += 1
        sessions[entry.session, default: Usage(lastUse: now)].started(at: now)
        origins[entry.origin, default: Usage(lastUse: now)].started(at: now)
        sources[entry.source, default: 0] += 1
    }

    mutating func ended(_ entry: TransferQueue.Entry, hasAnswered: Bool?, at now: SteadyInstant) {
        runningCount -= 1
        sessions[entry.session]?.ended(hasAnswered: hasAnswered, at: now)
        origins[entry.origin]?.ended(hasAnswered: hasAnswered, at: now)
        let rest = (sources[entry.source] ?? 1) - 1
        sources[entry.source] = rest > 0 ? rest : nil
    }
}
