import HTTP
import Testing

@testable import Backcast

/// Answers everything with one status.
private struct Echo: HTTPHandler {
    var status: Int
    var limit: Int

    func bodyLimit(for request: HTTPRequest) -> Int { limit }
    func answer(_ request: HTTPRequest) -> HTTPAnswer {
        .now(HTTPResponse(status: HTTPStatus(rawValue: status)))
    }
}

@Suite("The router")
struct RouterTests {
    @Test(
        "each path has its part",
        arguments: [
            ("/healthz", Area.health), ("/readyz", .health), ("/", .administration),
            ("/api/v1/channels", .administration), ("/api", .administration), ("/metrics", .administration),
            ("/live/cctv2/index.m3u8", .playback), ("/recordings/1", .playback), ("/apix", .playback),
            ("/healthz/x", .health), ("/favicon.ico", .playback), ("//api", .administration),
            ("*", .administration),
        ])
    func areas(path: String, area: Area) {
        #expect(Area(path: path) == area)
    }

    @Test("a request goes to the handler of its area, with that one's limit of the body")
    func routed() {
        let router = Router([
            .administration: Echo(status: 201, limit: 10), .playback: Echo(status: 202, limit: 0),
        ])
        #expect(status(router, "/api/v1/channels") == 201)
        #expect(status(router, "/live/a/index.m3u8") == 202)
        #expect(router.bodyLimit(for: request("/api/v1/channels")) == 10)
    }

    @Test("an area that is not on this address is not found, as a problem")
    func absent() {
        let router = Router([.health: Echo(status: 200, limit: 0)])
        #expect(status(router, "/healthz") == 200)
        #expect(status(router, "/api/v1/channels") == 404)
        #expect(router.bodyLimit(for: request("/api/v1/channels")) == 0)
        guard case .now(let response) = router.answer(request("/metrics")) else { return }
        #expect(response.headers["Content-Type"] == "application/problem+json")
    }

    private func request(_ path: String) -> HTTPRequest { HTTPRequest(method: .get, path: path) }

    private func status(_ router: Router, _ path: String) -> Int? {
        guard case .now(let response) = router.answer(request(path)) else { return nil }
        return response.status.rawValue
    }
}
