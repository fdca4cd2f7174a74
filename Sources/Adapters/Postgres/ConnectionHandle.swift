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

    /// Connects and authenticates; blocks the thread.
    ///
    /// Each address has its own time, `limit`, and so has looking up a name: `PQconnectPoll` does not stop
    /// waiting for an address that does not answer, so the addresses after it would never be tried.
    /// `sessions` are the values of `target_session_attrs` to try, in order: if no server offers the first,
    /// those that accepted the login are asked for the second. As libpq does, a password that one server
    /// refuses is not sent to the next.
    static func open(
        _ configuration: PoolConfiguration, _ sessions: [String?], limit: Duration,
        wait newWait: (Duration) -> SocketWait, logger: Logger
    ) throws(PostgresError) -> ConnectionHandle {
        var servers = configuration.connection.servers
        var attempts = Attempts()
        for (choice, session) in sessions.enumerated() {
            for listed in servers {
                let addressed = try addressed(listed, configuration, newWait(limit), &attempts)
                for server in addressed where attempts.count < Limits.addresses {
                    attempts.count += 1
                    let handle = try attempt(
                        server, session, configuration, limit, newWait(limit), logger, &attempts)
                    guard var handle else { continue }
                    handle.isSecondChoice = choice > 0
                    return handle
                }
            }
            servers = attempts.answering
            (attempts.count, attempts.answering) = (0, [])
        }
        throw attempts.error
    }

    /// The server once for each address of its name, or itself if there is nothing to look up.
    private static func addressed(
        _ server: DatabaseServer, _ configuration: PoolConfiguration, _ wait: SocketWait,
        _ attempts: inout Attempts,
    ) throws(PostgresError) -> [DatabaseServer] {
        guard attempts.count < Limits.addresses else { return [] }
        guard let name = server.nameToLookUp else { return [server] }
        do throws(PostgresError) {
            let addresses = try configuration.lookups.addresses(of: name, wait, by: configuration.clock)
            return server.at(addresses, inRandomOrder: configuration.connection.isOrderRandom)
        } catch {
            try attempts.note(error)
            return []
        }
    }

    /// Connects to one server; nil if another one may be tried.
    private static func attempt(
        _ server: DatabaseServer, _ session: String?, _ configuration: PoolConfiguration, _ limit: Duration,
        _ wait: SocketWait, _ logger: Logger, _ attempts: inout Attempts,
    ) throws(PostgresError) -> ConnectionHandle? {
        let wanted = session.map { [(keyword: "target_session_attrs", value: $0)] } ?? []
        guard let pointer = unsafe start(configuration.libpqParameters + server.parameters + wanted) else {
            throw PostgresError(.unreachable, "no memory for a connection")
        }
        let handle = unsafe ConnectionHandle(
            owning: pointer, cancelSlots: configuration.cancelSlots, logger: logger)
        do throws(PostgresError) {
            try handle.finishConnecting(configuration, server, limit, wait)
            return handle
        } catch {
            try attempts.note(error)
            if handle.hasAuthenticated {
                if !wait.isOver { attempts.answering.append(server) }
            } else if handle.hasSentPassword, !wait.isOver {
                throw attempts.error
            }
            return nil
        }
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

/// What was tried to open one connection.
private struct Attempts {
    /// Addresses that were tried for the present kind of session.
    var count = 0
    /// The servers that accepted the login but do not offer this kind of session.
    var answering: [DatabaseServer] = []
    private var failures: [String] = []

    /// Keeps an error after which another server may be tried; throws any other one.
    mutating func note(_ error: PostgresError) throws(PostgresError) {
        guard error.kind == .unreachable else { throw error }
        failures.append(error.message)
    }

    var error: PostgresError { PostgresError(.unreachable, failures.joined(separator: "; ")) }
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
