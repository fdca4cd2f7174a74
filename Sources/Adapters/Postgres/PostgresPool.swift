package import Logging
import Synchronization

/// A bounded set of connections, opened on first use and after a loss.
///
/// No call blocks a thread of Swift's pool. Cancelling a task also cancels its statement on the server. While
/// the database is unavailable every call fails with a transient error.
package final class PostgresPool: Sendable {
    typealias Waiter = CheckedContinuation<WaitResult, Never>

    /// The answer to a waiter.
    enum WaitResult {
        case use(Connection)
        case askAgain
        case leave(PostgresError)
    }

    let configuration: PoolConfiguration
    let logger: Logger
    private let statements = StatementCount()
    private let primary = PrimaryWatch()
    private let state: Mutex<PoolState<Connection, Waiter>>
    private let arrivals = Atomic(0)

    package init(_ configuration: PoolConfiguration, logger: Logger) {
        self.configuration = configuration
        self.logger = logger
        state = Mutex(PoolState(size: configuration.size, waiterLimit: Limits.waiters))
    }

    /// Statements that were sent since the pool was made; BEGIN and COMMIT are statements too.
    package var statementCount: Int { statements.value }

    /// Runs one statement on any connection.
    package func query(_ statement: Statement) async throws(PostgresError) -> Rows {
        try await withLease { (connection, interruption) async throws(PostgresError) in
            try await connection.query(statement, interruption)
        }
    }

    /// Closes idle connections and refuses waiters; a connection in use is closed when it returns.
    package func close() async {
        let (connections, waiters) = state.withLock { $0.close() }
        for waiter in waiters {
            waiter.resume(returning: .leave(PostgresError(.closed, "the pool is closed")))
        }
        for connection in connections { await connection.close() }
    }

    /// Uses a connection for one interruptible request.
    private func withLease<Answer: Sendable>(
        _ body: @Sendable (Connection, Interruption) async throws(PostgresError) -> Answer
    ) async throws(PostgresError) -> Answer {
        let connection = try await acquire()
        defer { release(connection) }
        return try await connection.interruptible { (interruption) async throws(PostgresError) in
            try await body(connection, interruption)
        }
    }
}

extension PostgresPool {
    func acquire() async throws(PostgresError) -> Connection {
        while true {
            switch state.withLock({ $0.connectionWanted() }) {
            case .use(let connection): return connection
            case .make: return try makeConnection()
            case .refuse(let error): throw error
            case .wait:
                switch await waitForConnection() {
                case .use(let connection): return connection
                case .askAgain: continue
                case .leave(let error): throw error
                }
            }
        }
    }

    func release(_ connection: Connection) {
        state.withLock { $0.connectionReturned(connection) }?.resume(returning: .use(connection))
    }

    private func makeConnection() throws(PostgresError) -> Connection {
        do {
            return try Connection(configuration, count: statements, primary: primary, logger: logger)
        } catch {
            state.withLock { $0.connectingFailed() }?.resume(returning: .askAgain)
            throw error
        }
    }

    private func waitForConnection() async -> WaitResult {
        let number = arrivals.wrappingAdd(1, ordering: .relaxed).newValue
        let limit = configuration.acquireTimeout
        var timer: DeadlineTimer?
        defer { timer?.cancel() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                guard state.withLock({ $0.waiterArrived(number, waiter) }) else {
                    return waiter.resume(returning: .askAgain)
                }
                if Task.isCancelled { refuse(number, .cancelled) }
                timer = DeadlineTimer(after: limit) { [weak self] in
                    self?.refuse(
                        number, PostgresError(.exhausted, "no connection became free within \(limit)"))
                }
            }
        } onCancel: {
            refuse(number, .cancelled)
        }
    }

    /// Refuses a waiter; one that has been served is not in the list any more.
    private func refuse(_ number: Int, _ reason: PostgresError) {
        state.withLock { $0.waiterLeft(number) }?.resume(returning: .leave(reason))
    }
}

extension Connection {
    /// Runs a request that the cancellation of the task interrupts.
    nonisolated func interruptible<Answer: Sendable>(
        _ body: (Interruption) async throws(PostgresError) -> Answer
    ) async throws(PostgresError) -> Answer {
        let interruption = Interruption(pipe)
        let result: Result<Answer, PostgresError> = await withTaskCancellationHandler {
            do throws(PostgresError) {
                return .success(try await body(interruption))
            } catch {
                return .failure(error)
            }
        } onCancel: {
            interruption.request()
        }
        return try result.get()
    }
}
