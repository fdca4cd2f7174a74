import Concurrency
package import HTTP
package import Logging
import Synchronization

/// An HTTP/1.1 server for one handler, which answers from opening until it is stopped.
package final class HTTPServer: Sendable {
    /// The port, also when the kernel chose it.
    package let port: UInt16
    let core: ServerCore
    private let clock: HostClock
    private let sweeper: Mutex<Sweeper?>
    private let daemon: Mutex<DaemonHandle?>
    private let stopTask = Mutex<Task<Void, Never>?>(nil)
    private let untilStopped: (stream: AsyncStream<Never>, continuation: AsyncStream<Never>.Continuation)

    private init(
        port: UInt16, core: ServerCore, clock: HostClock, daemon: consuming sending DaemonHandle,
        sweeper: consuming sending Sweeper
    ) {
        self.port = port
        self.core = core
        self.clock = clock
        self.sweeper = Mutex(sweeper)
        self.daemon = Mutex(daemon)
        self.untilStopped = AsyncStream<Never>.makeStream()
    }

    deinit { tearDown() }

    /// Starts to listen and to answer; throws `addressInUse` if another process uses the address.
    package static func open(
        configuration: Configuration, handler: any HTTPHandler, logger: Logger,
    ) throws(HTTPServerError) -> HTTPServer {
        let socket = try ListenSocket.open(configuration.address)
        let port = socket.port
        let core = ServerCore(configuration, handler: handler, logger: logger)
        let daemon = try DaemonHandle.start(core, on: socket, threadCount: configuration.threadCount)
        let sweeper = try Sweeper.start(core)
        return HTTPServer(
            port: port, core: core, clock: configuration.clock, daemon: daemon, sweeper: sweeper)
    }

    /// Open connections, including idle ones.
    package var openConnections: Int { core.connections.count }

    /// Requests whose answer has not been sent completely.
    package var requestsInFlight: Int { core.exchangeCount }

    /// Waits until the surrounding task is cancelled or the server is stopped, then stops the server.
    package func run(drain: Duration) async {
        for await _ in untilStopped.stream {}
        await stop(drain: drain)
    }

    /// Refuses new connections, lets running answers finish within `drain`, then closes everything.
    ///
    /// Answers that are sent in that time close their connections. Cancelling the caller does not shorten it;
    /// a second call waits for the first.
    package func stop(drain: Duration) async {
        let task = stopTask.withLock { task in
            let running = task ?? Task { await self.drainAndTearDown(drain) }
            task = running
            return running
        }
        await task.value
    }

    private func drainAndTearDown(_ drain: Duration) async {
        core.stopAccepting()
        let deadline = clock.steady() + drain
        while core.exchangeCount > 0, clock.steady() < deadline {
            core.connections.shutDownIdle()
            try? await clock.sleep(for: Limits.drainPause)
        }
        tearDown()
        untilStopped.continuation.finish()
    }

    /// The library must not find a suspended connection: the table is closed and emptied first, after the
    /// sweeper has ended.
    private func tearDown() {
        core.stopAccepting()
        sweeper.withLock { $0 = nil }
        core.suspended.close()
        daemon.withLock { $0 = nil }
    }
}
