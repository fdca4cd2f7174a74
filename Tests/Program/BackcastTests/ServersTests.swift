import AdminAPI
import Concurrency
import Dispatch
import HTTP
import HTTPServer
import HTTPSupport
import Logging
import Synchronization
import Telemetry
import TestSupport
import Testing

@testable import Backcast

private struct Silent: RequestPart {
    func admitBody(of request: HTTPRequest) -> HTTPBodyAdmission? { nil }
    func answer(_ request: HTTPRequest) -> HTTPAnswer? { nil }
}

/// Holds every request back on its server thread until it is opened.
private final class Barrier: RequestPart {
    private let count = Mutex(0)
    private let gate = DispatchSemaphore(value: 0)

    /// Requests that are held back.
    var held: Int { count.withLock { $0 } }

    func admitBody(of request: HTTPRequest) -> HTTPBodyAdmission? { nil }

    func answer(_ request: HTTPRequest) -> HTTPAnswer? {
        count.withLock { $0 += 1 }
        _ = gate.wait(timeout: .now() + 180)
        gate.signal()
        return .now(HTTPResponse(status: .noContent))
    }

    func open() { gate.signal() }
}

@Suite("Servers")
struct ServersTests {
    @Test(
        "the servers follow from the role and the operators' address",
        arguments: [
            (nil, true, ["BACKCAST_LISTEN 3"]),
            (nil, false, ["BACKCAST_LISTEN 2"]),
            (":0", true, ["BACKCAST_LISTEN 3", "BACKCAST_ADMIN_LISTEN 2"]),
            (":0", false, ["BACKCAST_ADMIN_LISTEN 2"]),
        ] as [(String?, Bool, [String])])
    func plans(adminListen: String?, hasViewers: Bool, expected: [String]) throws {
        let flags = adminListen.map { [Setting.adminListen: $0] } ?? [:]
        let settings = try Settings.reading(SettingSources(flags: flags), for: .run)
        let plans = ServerPlan.plans(
            settings, gate: Silent(), admin: Silent(), viewer: hasViewers ? Silent() : nil)
        #expect(plans.map { "\($0.setting.rawValue) \($0.parts.count)" } == expected)
    }

    @Test(
        "as many requests are answered at a time as the setting says or as there are cores, of operators one",
        arguments: [(.listen, 3, 3), (.listen, nil, Processors().count), (.adminListen, 3, 1)]
            as [(Setting, Int?, Int)])
    func threads(setting: Setting, wanted: Int?, expected: Int) async throws {
        let barrier = Barrier()
        let flags = wanted.map { [Setting.serverThreads: "\($0)"] } ?? [:]
        let servers = try open("127.0.0.1:0", setting, [barrier], flags)
        defer { barrier.open() }
        let port = try #require(servers.addresses.first?.port)
        var clients: [RawConnection] = []
        // A thread that is held accepts no connection, so each goes to another one.
        for number in 1...expected {
            clients.append(try RawConnection(port: port))
            clients.last?.get("/")
            try await eventually("request \(number)") { barrier.held == number }
        }
        let more = try RawConnection(port: port)
        more.get("/")
        try await Task.sleep(for: .milliseconds(200))
        #expect(barrier.held == expected)
        barrier.open()
        #expect(try await more.response().status == 204)
    }

    @Test("a taken port is an error that names the setting")
    func taken() throws {
        let first = try open("127.0.0.1:0", .listen)
        let port = try #require(first.addresses.first?.port)
        #expect(port != 0)
        let error = #expect(throws: ProgramError.self) { try open("127.0.0.1:\(port)", .adminListen) }
        #expect(
            error?.description.hasPrefix("BACKCAST_ADMIN_LISTEN: 127.0.0.1 port \(port) is in use") == true)
    }

    @Test("a scrape says how many connections and requests each server has")
    func load() throws {
        let servers = try open("127.0.0.1:0", .listen)
        let address = try #require(servers.addresses.first)
        let registry = MetricsRegistry()
        servers.report(to: RequestMetrics(registry: registry))
        let text = String(decoding: registry.prometheusText(), as: UTF8.self)
        #expect(text.contains("backcast_http_open_connections{listen=\"\(address)\"} 0\n"))
        #expect(text.contains("backcast_http_requests_in_flight{listen=\"\(address)\"} 0\n"))
    }

    private func open(
        _ address: String, _ setting: Setting, _ parts: [any RequestPart] = [],
        _ flags: [Setting: String] = [:],
    ) throws -> Servers {
        let settings = try Settings.reading(SettingSources(flags: flags), for: .run)
        let plan = ServerPlan(setting: setting, address: try ListenAddress.reading(address), parts: parts)
        return try Servers.open(
            [plan], settings: settings, descriptors: 4096, background: BackgroundExecutor(threads: 1),
            clock: .system, logger: Logger(label: "test"), onFinished: { _ in })
    }
}
