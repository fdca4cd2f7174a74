import AdminAPI
import Concurrency
import HTTP
import HTTPServer
import Logging
import Telemetry
import Testing

@testable import Backcast

private struct Silent: RequestPart {
    func admitBody(of request: HTTPRequest) -> HTTPBodyAdmission? { nil }
    func answer(_ request: HTTPRequest) -> HTTPAnswer? { nil }
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

    private func open(_ address: String, _ setting: Setting) throws -> Servers {
        let settings = try Settings.reading(SettingSources(), for: .run)
        let plan = ServerPlan(setting: setting, address: try ListenAddress.reading(address), parts: [])
        return try Servers.open(
            [plan], settings: settings, descriptors: 4096, background: BackgroundExecutor(threads: 1),
            clock: .system, logger: Logger(label: "test"), onFinished: { _ in })
    }
}
