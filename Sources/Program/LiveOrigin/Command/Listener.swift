import Concurrency
import HTTP
import HTTPServer
import Logging

/// The listening server of the run.
actor Listener {
    private let address: String
    private let handler: any HTTPHandler
    private var server: HTTPServer?

    init(address: String, handler: any HTTPHandler) {
        self.address = address
        self.handler = handler
    }

    /// Listens and returns the port, also when the kernel chose it.
    @discardableResult
    func open(port: UInt16) throws -> UInt16 {
        var configuration = HTTPServer.Configuration(address: ListenAddress(host: address, port: port))
        // Tests, recorder and viewers all use one address.
        configuration.limits.connectionsPerAddress = configuration.limits.connections
        let opened = try HTTPServer.open(
            configuration: configuration, handler: handler, logger: Logger(label: "live-origin"))
        server = opened
        return opened.port
    }

    /// Refuses connections for a while, then listens again on the same port.
    func pause(seconds: Double) async throws {
        guard let port = server?.port else { return }
        await close(drain: Limits.pauseDrain)
        try await WallClock.host.sleep(for: .seconds(seconds))
        try open(port: port)
    }

    /// Aborts what is still being sent after `drain`: a demonstration has no viewers to wait for.
    func close(drain: Duration = .zero) async {
        let closing = server
        server = nil
        await closing?.stop(drain: drain)
    }
}
