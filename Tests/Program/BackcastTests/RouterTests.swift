import AdminAPI
import Catalogue
import Concurrency
import HTTP
import Logging
import Monitoring
import Postgres
import Telemetry
import Testing

@testable import Backcast

/// Answers the paths below a prefix with one status.
private struct Echo: RequestPart {
    var prefix: String
    var status: Int
    var limit = 0

    func admitBody(of request: HTTPRequest) -> HTTPBodyAdmission? {
        request.path.hasPrefix(prefix) ? .upTo(limit) : nil
    }

    func answer(_ request: HTTPRequest) -> HTTPAnswer? {
        guard request.path.hasPrefix(prefix) else { return nil }
        return .now(HTTPResponse(status: HTTPStatus(rawValue: status)))
    }
}

@Suite("The router")
struct RouterTests {
    @Test("the first part that knows the path answers, with its own body limit")
    func routed() {
        let router = Router([
            Echo(prefix: "/api", status: 201, limit: 10), Echo(prefix: "/", status: 202, limit: 20),
        ])
        #expect(status(router, "/api/v1/channels") == 201)
        #expect(status(router, "/live/a/index.m3u8") == 202)
        #expect(limit(router, "/api/v1/channels") == 10)
        #expect(limit(router, "/live") == 20)
    }

    @Test("OPTIONS * is answered by the server itself")
    func server() {
        let router = Router([Echo(prefix: "/api", status: 201)])
        guard case .now(let response) = router.answer(HTTPRequest(method: .options, path: "*")) else {
            Issue.record("OPTIONS * is not answered at once")
            return
        }
        #expect(response.status == .noContent)
        #expect(response.headers["Allow"] == "GET, HEAD, OPTIONS")
    }

    @Test("a path that no part knows is a 404 problem")
    func absent() {
        let router = Router([Echo(prefix: "/api", status: 201)])
        #expect(status(router, "/favicon.ico") == 404)
        guard case .now(let response) = router.answer(request("/favicon.ico")) else { return }
        #expect(response.headers["Content-Type"] == "application/problem+json")
    }

    @Test("a body to a path that no part knows is refused as 404, not as too large")
    func absentBody() {
        let router = Router([Echo(prefix: "/live", status: 201)])
        guard case .refused(let response) = router.admitBody(of: request("/api/v1/channels")) else {
            Issue.record("the body is read")
            return
        }
        #expect(response.status == .notFound)
        #expect(response.headers["Content-Type"] == "application/problem+json")
        #expect(limit(router, "*") == 0)
    }

    @Test(
        "with a separate address for operators, the viewers' address has only the probes",
        arguments: [
            ("/healthz", 200), ("/readyz", 200), ("/metrics", 404), ("/api/v1/channels", 404), ("/", 404),
            ("/healthz/", 404),
        ])
    func probes(path: String, expected: Int) {
        let router = Router([ProbesOnly(part: Echo(prefix: "/", status: 200))])
        #expect(status(router, path) == expected)
    }

    @Test("the probes take no body at the viewers' address", arguments: ["/healthz", "/readyz"])
    func probeBodies(path: String) async throws {
        let nowhere = try ConnectionString("postgresql://nobody@127.0.0.1:1/none")
        let logger = Logger(label: "test")
        let pool = PostgresPool(PoolConfiguration(nowhere, size: 1), logger: logger)
        let admin = try AdminAPI(
            catalogue: Catalogue(pool: pool, logger: logger), board: StatusBoard(),
            registry: MetricsRegistry(),
            configuration: AdminConfiguration(
                token: try AdminToken("a-token-of-this-test-0001"), version: "1", playsChannels: false),
            archiveIsReachable: { true }, clock: .system, logger: logger)
        #expect(limit(Router([ProbesOnly(part: admin)]), path) == 0)
        await pool.close()
    }

    private func request(_ path: String) -> HTTPRequest { HTTPRequest(method: .get, path: path) }

    private func status(_ router: Router, _ path: String) -> Int? {
        guard case .now(let response) = router.answer(request(path)) else { return nil }
        return response.status.rawValue
    }

    private func limit(_ router: Router, _ path: String) -> Int? {
        guard case .upTo(let limit) = router.admitBody(of: request(path)) else { return nil }
        return limit
    }
}
