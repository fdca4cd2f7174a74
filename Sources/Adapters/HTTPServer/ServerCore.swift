import HTTP
import Logging
import Synchronization

/// The state that the library's callbacks, the tasks and the sweeper share.
final class ServerCore: Sendable {
    let handler: any HTTPHandler
    let limits: Limits
    let logger: Logger
    let onFinished: (@Sendable (RequestSummary) -> Void)?
    let assignsRequestIDs: Bool
    let background: (any TaskExecutor)?
    let connections: ConnectionTable
    let suspended = SuspensionTable()
    let laterResponses: ResponseSlots
    let lightweightResponses: ResponseSlots
    let reservedResponses: ResponseSlots
    let streams: ClientSlots
    /// The requests that trusted proxies forward.
    let forwarded: ClientSlots
    let proxies: TrustedProxies
    private let exchanges = Atomic<Int>(0)
    private let stopping = Atomic<Bool>(false)

    init(_ configuration: HTTPServer.Configuration, handler: any HTTPHandler, logger: Logger) {
        self.handler = handler
        self.limits = configuration.limits
        self.logger = logger
        self.onFinished = configuration.onFinished
        self.assignsRequestIDs = configuration.assignsRequestIDs
        self.background = configuration.background
        self.laterResponses = ResponseSlots(limit: configuration.limits.laterResponses)
        self.lightweightResponses = ResponseSlots(limit: configuration.limits.lightweightResponses)
        self.reservedResponses = ResponseSlots(limit: configuration.limits.reservedResponses)
        self.streams = ClientSlots(
            limit: configuration.limits.streams, perClient: configuration.limits.streamsPerClient)
        self.forwarded = ClientSlots(
            limit: configuration.limits.connections, perClient: configuration.limits.forwardedPerClient)
        self.proxies = TrustedProxies(networks: configuration.trustedProxies)
        self.connections = ConnectionTable(
            limitPerAddress: configuration.limits.connectionsPerAddress, proxies: proxies)
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
        let overdue = connections.shutDownOverdue(at: now)
        if overdue > 0 {
            logger.debug(
                "Closed connections: request not received in time", metadata: ["count": "\(overdue)"])
        }
        let isFull = connections.count > limits.connections / 2 || streams.isHalfTaken
        let slow = connections.shutDownSlow(
            at: now, isFull ? limits.minimumRateWhenFull : limits.minimumRate)
        if slow > 0 {
            logger.debug("Closed connections: answer not received in time", metadata: ["count": "\(slow)"])
        }
        let late = suspended.resumeOverdue(at: now)
        if late > 0 { logger.warning("Answers took too long", metadata: ["count": "\(late)"]) }
        suspended.resumeDisconnected()
    }
}
