import CMicrohttpd

/// The library's daemon: its threads, its listening socket and the context of the callbacks.
@safe struct DaemonHandle: ~Copyable {
    private let daemon: OpaquePointer
    private let context: UnsafeMutableRawPointer

    private init(owning daemon: OpaquePointer, context: UnsafeMutableRawPointer) {
        unsafe self.daemon = daemon
        unsafe self.context = context
    }

    /// Ends the threads and closes every connection.
    ///
    /// No connection may be suspended, or the library aborts the process.
    deinit {
        unsafe MHD_stop_daemon(daemon)
        unsafe Unmanaged<ServerCore>.fromOpaque(context).release()
    }

    /// Starts the threads.
    ///
    /// The library closes the listening socket at the end, and when it cannot start.
    static func start(
        _ core: ServerCore, on socket: consuming ListenSocket, threadCount: Int,
    ) throws(HTTPServerError) -> DaemonHandle {
        let context = unsafe Unmanaged.passRetained(core).toOpaque()
        var options = unsafe self.options(core.limits, context: context)
        unsafe options.listen_socket = socket.release()
        unsafe options.thread_count = UInt32(clamping: threadCount)
        guard let daemon = unsafe backcast_daemon_start(&options) else {
            unsafe Unmanaged<ServerCore>.fromOpaque(context).release()
            throw .cannotStart
        }
        return unsafe DaemonHandle(owning: daemon, context: context)
    }

    private static func options(_ limits: Limits, context: UnsafeMutableRawPointer) -> backcast_daemon_options
    {
        var options = unsafe backcast_daemon_options()
        // Not MHD_USE_TURBO: it is no faster, and with it the library does not shut down the socket after a
        // body that ends with its connection (an error, HTTP/1.0), so that the client waits.
        unsafe options.flags =
            MHD_USE_EPOLL_INTERNAL_THREAD.rawValue
            | MHD_ALLOW_SUSPEND_RESUME.rawValue
            | MHD_USE_ERROR_LOG.rawValue
        unsafe options.connection_limit = UInt32(clamping: limits.connections)
        // The sweeper has a deadline for every connection, so the library's timer must not end one earlier: a
        // client that takes nothing for a while may still be fast enough. The timer is for what the sweeper
        // cannot measure, a client of a Unix socket that takes nothing.
        let silence = max(limits.idle, limits.minimumRate.over)
        unsafe options.idle_timeout_seconds = UInt32(clamping: max(silence.components.seconds, 1))
        unsafe options.connection_memory = limits.connectionMemory
        // Lax on purpose: in strict mode the library closes the connection without an answer when the target
        // contains a blank. `RawRequest` answers 400 to that, to a missing Host, and to more.
        unsafe options.strict_for_client = 0
        unsafe options.log = logMessage
        unsafe options.accept = acceptConnection
        unsafe options.answer = answerRequest
        unsafe options.target = beginRequest
        unsafe options.unescape = keepEscapes
        unsafe options.completed = finishRequest
        unsafe options.connection = noteConnection
        unsafe options.context = context
        return unsafe options
    }
}
