import HTTP
import Logging
import Synchronization

/// The state that the library's callbacks, the tasks and the sweeper share.
final class ServerCore: Sendable {
    let handler: any HTTPHandler
    let limits: Limits
    let logger: Logger
    let onFinished: (@Sendable (RequestSummary) -> Void)?
    let connections: ConnectionTable
    let suspended = SuspensionTable()
    let laterAnswers: AnswerPlaces
    let reservedAnswers: AnswerPlaces
    private let exchanges = Atomic<Int>(0)
    private let stopping = Atomic<Bool>(false)

    init(_ configuration: HTTPServer.Configuration, handler: any HTTPHandler, logger: Logger) {
        self.handler = handler
        self.limits = configuration.limits
        self.logger = logger
        self.onFinished = configuration.onFinished
        self.laterAnswers = AnswerPlaces(limit: configuration.limits.laterAnswers)
        self.reservedAnswers = AnswerPlaces(limit: configuration.limits.reservedAnswers)
        self.connections = ConnectionTable(
            limitPerAddress: configuration.limits.connectionsPerAddress, trusted: configuration.trustedProxies
        )
    }

    /// Set once: no connection is accepted any more, and every answer closes its connection.
    var isStopping: Bool { stopping.load(ordering: .relaxed) }

    func stopAccepting() {
        stopping.store(true, ordering: .relaxed)
    }

    /// Requests whose answer has not been sent completely.
    var exchangeCount: Int { exchanges.load(ordering: .relaxed) }

    func exchangeStarted() {
        exchanges.add(1, ordering: .relaxed)
    }

    func exchangeFinished() {
        exchanges.subtract(1, ordering: .relaxed)
    }

    /// One round of the sweeper.
    func sweep() {
        let now = monotonicNanoseconds()
        let slow = connections.shutDownOverdue(at: now)
        if slow > 0 {
            logger.debug("Closed connections: request not received in time", metadata: ["count": "\(slow)"])
        }
        let late = suspended.resumeOverdue(at: now)
        if late > 0 { logger.warning("Answers took too long", metadata: ["count": "\(late)"]) }
        suspended.resumeAbandoned()
    }
}

/// Counts answers that are being made.
///
/// The task of an answer counts until it has ended, not until the request is answered, so that hanging work
/// cannot accumulate.
final class AnswerPlaces: Sendable {
    private let limit: Int
    private let taken = Atomic<Int>(0)

    init(limit: Int) {
        self.limit = limit
    }

    /// Whether another answer may be made; then `giveBack` has to follow.
    func take() -> Bool {
        let (_, count) = taken.add(1, ordering: .relaxed)
        if count <= limit { return true }
        giveBack()
        return false
    }

    func giveBack() {
        taken.subtract(1, ordering: .relaxed)
    }
}
