import AdminAPI
import Concurrency
import HTTP
import HTTPServer
import Logging
import ViewerAPI

/// The listening servers of a process: one, or two when operators have a separate address.
struct Servers: Sendable {
    private let all: [HTTPServer]
    /// The addresses they listen on, with the ports that the kernel chose.
    let addresses: [ListenAddress]

    /// Opens a server for each plan; the error for an address that cannot be used names its setting.
    static func open(
        _ plans: [ServerPlan], settings: Settings, descriptors: Int, background: BackgroundExecutor,
        clock: HostClock, logger: Logger,
        onFinished: @escaping @Sendable (RequestSummary) -> Void,
    ) throws(ProgramError) -> Servers {
        var all: [HTTPServer] = []
        var addresses: [ListenAddress] = []
        for plan in plans {
            var configuration = HTTPServer.Configuration(address: plan.address)
            configuration.trustedProxies = settings.trustedProxies
            // Operators send few requests.
            configuration.threadCount =
                plan.setting == .adminListen ? 1 : settings.serverThreads ?? Processors().count
            configuration.assignsRequestIDs = settings.logsRequests
            configuration.background = background
            configuration.onFinished = onFinished
            configuration.clock = clock
            configuration.limits.connections = min(
                configuration.limits.connections,
                max(
                    descriptors - Limits.reservedDescriptors
                        - 2 * Limits.openFiles(descriptors: descriptors),
                    descriptors / 2))
            let server = try open(plan, configuration, logger: logger)
            all.append(server)
            addresses.append(ListenAddress(host: plan.address.host, port: server.port))
        }
        return Servers(all: all, addresses: addresses)
    }

    /// Shows the load of the servers in the metrics.
    func report(to metrics: RequestMetrics) {
        metrics.observe(zip(addresses, all).map { ($0.description, $1) })
    }

    /// Answers until cancelled, then lets running answers finish for a while.
    func run() async {
        await withDiscardingTaskGroup { group in
            for server in all {
                group.addTask { await server.run(drain: Limits.drain) }
            }
        }
    }

    private static func open(
        _ plan: ServerPlan, _ configuration: HTTPServer.Configuration, logger: Logger,
    ) throws(ProgramError) -> HTTPServer {
        do {
            return try HTTPServer.open(
                configuration: configuration, handler: Router(plan.parts), logger: logger)
        } catch {
            throw ProgramError("\(plan.setting.rawValue): \(error)")
        }
    }
}

/// The parts that answer on an address, and the setting that configures the address.
struct ServerPlan: Sendable {
    var setting: Setting
    var address: ListenAddress
    var parts: [any RequestPart]

    /// The plans of a role: `gate` comes first on every server; `viewer` is nil for a role that serves no
    /// viewers.
    static func plans(
        _ settings: Settings, gate: any RequestPart, admin: any RequestPart, viewer: (any RequestPart)?,
    ) -> [ServerPlan] {
        let viewers = viewer.map { [$0] } ?? []
        guard let own = settings.adminListen else {
            return [
                ServerPlan(setting: .listen, address: settings.listen, parts: [gate] + viewers + [admin])
            ]
        }
        let operators = ServerPlan(setting: .adminListen, address: own, parts: [gate, admin])
        guard !viewers.isEmpty else { return [operators] }
        let open = ServerPlan(
            setting: .listen, address: settings.listen, parts: [gate] + viewers + [ProbesOnly(part: admin)])
        return [open, operators]
    }
}

extension AdminAPI: RequestPart {}

extension ViewerAPI: RequestPart {}
