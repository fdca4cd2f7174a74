import CLibpq
import Glibc
import Logging

/// The owner of a `PGconn`; used on its connection's thread alone.
@safe struct ConnectionHandle: ~Copyable {
    let pointer: OpaquePointer
    private let notices: Unmanaged<NoticeSink>
    /// Whether a cancel request is under way that no statement has felt yet: it could hit the next one.
    var hasStrayCancel = false

    private init(owning pointer: OpaquePointer, logger: Logger) {
        unsafe self.pointer = unsafe pointer
        unsafe notices = Unmanaged.passRetained(NoticeSink(logger))
        unsafe PQsetNoticeProcessor(pointer, receiveNotice, notices.toOpaque())
    }

    deinit {
        unsafe PQfinish(pointer)
        unsafe notices.release()
    }

    /// Connects and signs in; blocks the thread, the resolver's time included.
    static func open(
        _ configuration: PoolConfiguration, _ patience: Patience, logger: Logger
    ) throws(PostgresError) -> ConnectionHandle {
        guard let pointer = unsafe start(configuration.libpqParameters) else {
            throw PostgresError(.unreachable, "no memory for a connection")
        }
        let handle = unsafe ConnectionHandle(owning: pointer, logger: logger)
        try handle.finishConnecting(configuration, patience)
        return handle
    }

    private static func start(_ parameters: [(keyword: String, value: String)]) -> OpaquePointer? {
        var keywords = unsafe parameters.map { unsafe UnsafePointer(strdup($0.keyword)) } + [nil]
        var values = unsafe parameters.map { unsafe UnsafePointer(strdup($0.value)) } + [nil]
        defer { unsafe (keywords + values).forEach { unsafe free(UnsafeMutablePointer(mutating: $0)) } }
        return unsafe PQconnectStartParams(&keywords, &values, 1)
    }

    private func finishConnecting(
        _ configuration: PoolConfiguration, _ patience: Patience
    ) throws(PostgresError) {
        var progress = PGRES_POLLING_WRITING
        while progress != PGRES_POLLING_OK {
            guard progress != PGRES_POLLING_FAILED, unsafe PQsocket(pointer) >= 0 else {
                throw failureToConnect(configuration)
            }
            let events = progress == PGRES_POLLING_READING ? POLLIN : POLLOUT
            switch unsafe patience.wait(for: events, on: PQsocket(pointer)) {
            case .ready: progress = unsafe PQconnectPoll(pointer)
            case .interrupted: throw .cancelled
            case .expired:
                throw PostgresError(.unreachable, "no answer within \(configuration.connectTimeout)")
            }
        }
    }

    private func failureToConnect(_ configuration: PoolConfiguration) -> PostgresError {
        PostgresError(.unreachable, configuration.connection.redacted(errorMessage))
    }
}

extension ConnectionHandle {
    var isBroken: Bool { unsafe PQstatus(pointer) == CONNECTION_BAD }
    var isIdle: Bool { unsafe PQtransactionStatus(pointer) == PQTRANS_IDLE }
    var socket: Int32 { unsafe PQsocket(pointer) }

    /// libpq's last complaint on one line.
    var errorMessage: String {
        let text = unsafe String(cString: PQerrorMessage(pointer))
        return text.split(separator: "\n").joined(separator: " ")
    }

    /// Whether nothing has come from the server unasked: an end of the connection would show here.
    var isQuiet: Bool {
        var descriptor = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        return unsafe !isBroken && poll(&descriptor, 1, 0) == 0
    }
}

/// Where the server's notices go, instead of standard error.
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
    unsafe Unmanaged<NoticeSink>.fromOpaque(sink).takeUnretainedValue().logger.notice("PostgreSQL: \(text)")
}
