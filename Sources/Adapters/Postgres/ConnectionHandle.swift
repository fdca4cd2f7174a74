import CLibpq
import Glibc
import Logging

/// The owner of a `PGconn`; used only on its connection's thread.
@safe struct ConnectionHandle: ~Copyable {
    let pointer: OpaquePointer
    private let notices: Unmanaged<NoticeSink>
    let cancelRequests: CancelRequests
    /// Whether no server offered the session that is preferred.
    private(set) var isSecondChoice = false

    private init(owning pointer: OpaquePointer, cancelSlots: CancelSlots, logger: Logger) {
        unsafe self.pointer = unsafe pointer
        cancelRequests = CancelRequests(cancelSlots)
        unsafe notices = Unmanaged.passRetained(NoticeSink(logger))
        unsafe PQsetNoticeProcessor(pointer, receiveNotice, notices.toOpaque())
    }

    deinit {
        unsafe PQfinish(pointer)
        unsafe notices.release()
    }

    /// Connects and authenticates; blocks the thread, also while resolving.
    ///
    /// Each address has its own time, `limit`: `PQconnectPoll` does not stop waiting for an address that does
    /// not answer, so the addresses after it would never be tried. `sessions` are the values of
    /// `target_session_attrs` to try, in order: if no server offers the first, those that accepted the login
    /// are asked for the second. As libpq does, a password that one server refuses is not sent to the next.
    static func open(
        _ configuration: PoolConfiguration, _ sessions: [String?], limit: Duration,
        wait newWait: (Duration) -> SocketWait, logger: Logger
    ) throws(PostgresError) -> ConnectionHandle {
        var servers = configuration.connection.servers
        var failures: [String] = []
        for (choice, session) in sessions.enumerated() {
            let wanted = session.map { [(keyword: "target_session_attrs", value: $0)] } ?? []
            var (tried, answering) = (0, [DatabaseServer]())
            let isRandom = configuration.connection.isOrderRandom
            for server in servers.lazy.flatMap({ $0.resolved(inRandomOrder: isRandom) }) {
                guard tried < Limits.addresses else { break }
                tried += 1
                let parameters = configuration.libpqParameters + server.parameters + wanted
                guard let pointer = unsafe start(parameters) else {
                    throw PostgresError(.unreachable, "no memory for a connection")
                }
                var handle = unsafe ConnectionHandle(
                    owning: pointer, cancelSlots: configuration.cancelSlots, logger: logger)
                handle.isSecondChoice = choice > 0
                let wait = newWait(limit)
                do throws(PostgresError) {
                    try handle.finishConnecting(configuration, server, limit, wait)
                    return handle
                } catch {
                    guard error.kind == .unreachable else { throw error }
                    failures.append(error.message)
                    if handle.hasAuthenticated {
                        if !wait.isOver { answering.append(server) }
                    } else if handle.hasSentPassword, !wait.isOver {
                        throw PostgresError(.unreachable, failures.joined(separator: "; "))
                    }
                }
            }
            servers = answering
        }
        throw PostgresError(.unreachable, failures.joined(separator: "; "))
    }

    private static func start(_ parameters: [(keyword: String, value: String)]) -> OpaquePointer? {
        var keywords = unsafe parameters.map { unsafe UnsafePointer(strdup($0.keyword)) } + [nil]
        var values = unsafe parameters.map { unsafe UnsafePointer(strdup($0.value)) } + [nil]
        defer { unsafe (keywords + values).forEach { unsafe free(UnsafeMutablePointer(mutating: $0)) } }
        return unsafe PQconnectStartParams(&keywords, &values, 1)
    }

    private func finishConnecting(
        _ configuration: PoolConfiguration, _ server: DatabaseServer, _ limit: Duration, _ wait: SocketWait
    ) throws(PostgresError) {
        var progress = PGRES_POLLING_WRITING
        while progress != PGRES_POLLING_OK {
            guard progress != PGRES_POLLING_FAILED, unsafe PQsocket(pointer) >= 0 else {
                throw failureToConnect(configuration)
            }
            let events = progress == PGRES_POLLING_READING ? POLLIN : POLLOUT
            switch unsafe wait.untilReady(for: events, on: PQsocket(pointer)) {
            case .ready: progress = unsafe PQconnectPoll(pointer)
            case .interrupted: throw .cancelled
            case .expired:
                throw PostgresError(.unreachable, "no answer from \(server) within \(limit)")
            }
        }
        // Else libpq waits without a limit for a server that receives nothing.
        guard unsafe PQsetnonblocking(pointer, 1) == 0 else { throw failureToConnect(configuration) }
    }

    /// Whether the server accepted the login, whatever came then: it sends its version after that.
    private var hasAuthenticated: Bool { unsafe PQparameterStatus(pointer, "server_version") != nil }

    private var hasSentPassword: Bool { unsafe PQconnectionUsedPassword(pointer) != 0 }

    private func failureToConnect(_ configuration: PoolConfiguration) -> PostgresError {
        PostgresError(.unreachable, configuration.connection.redacted(errorMessage))
    }
}

extension ConnectionHandle {
    var isBroken: Bool { unsafe PQstatus(pointer) == CONNECTION_BAD }
    var isIdle: Bool { unsafe PQtransactionStatus(pointer) == PQTRANS_IDLE }
    var socket: Int32 { unsafe PQsocket(pointer) }

    /// libpq's last error message on one line.
    var errorMessage: String {
        let text = unsafe String(cString: PQerrorMessage(pointer))
        return text.split(separator: "\n").joined(separator: " ")
    }

    /// Whether the server has sent nothing unexpected: the end of the connection would show here.
    var isQuiet: Bool {
        var descriptor = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        return unsafe !isBroken && poll(&descriptor, 1, 0) == 0
    }
}

/// The receiver of the server's notices, instead of standard error.
private final class NoticeSink: Sendable {
    let logger: Logger

    init(_ logger: Logger) {
        self.logger = logger
    }
}

/// libpq calls this on the connection's thread; the sink is released after `PQfinish`.
private func receiveNotice(_ sink: UnsafeMutableRawPointer?, _ message: UnsafePointer<CChar>?) {
    guard let sink = unsafe sink, let message = unsafe message else { return }
    let text = unsafe String(cString: message).split(separator: "\n").joined(separator: " ")
    let logger = unsafe Unmanaged<NoticeSink>.fromOpaque(sink).takeUnretainedValue().logger
    logger.notice("Notice of PostgreSQL: \(text)")
}
