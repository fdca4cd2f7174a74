import HTTP
import HTTPSupport
import Testing

@testable import AdminAPI

@Suite struct AdmissionTests {
    private static let guarded = [
        "/api/v1/channels", "/api/v1/channels/a", "/api/v1/channels/a/status", "/api/v1/channels/a/timeline",
        "/api/v1/channels/a/reanchor",
        "/api",
        "/api/v1/nothing", "/api/v2/channels",
    ]

    @Test(
        "Without the token the API answers 401 and names what it requires", arguments: TransportKind.allCases,
        guarded)
    func withoutToken(transport: TransportKind, path: String) async throws {
        try await withAdmin(over: transport) { admin async throws in
            let answer = try await admin.send(.get, path, hasToken: false)
            #expect(answer.isProblem(401))
            #expect(answer.headers["WWW-Authenticate"]?.hasPrefix("Bearer") == true)
        }
    }

    @Test(
        "Any other text than the token is refused",
        arguments: [
            "", "Bearer", "Bearer ", "Bearer correct horse battery stapl",
            "Bearer correct horse battery staplE",
            "Bearer correct horse battery staple2", "Basic correct horse battery staple",
            "correct horse battery staple",
        ])
    func wrongToken(value: String) async throws {
        try await withAdmin { admin async throws in
            let fields: HTTPHeaders = ["Authorization": value]
            #expect(try await admin.send(.get, "/api/v1/channels", fields: fields).isProblem(401))
        }
    }

    @Test(
        "A request to a Host that is not this service is refused, also with the token",
        arguments: TransportKind.allCases,
        [
            ("rebound.example", 421), ("rebound.example:8080", 421), ("localhost:1", 200),
            ("[::1]:8080", 200), ("[::2]", 421), ("127.0.0.1", 200), ("localhost:port", 421),
        ])
    func foreignHost(transport: TransportKind, host: (field: String, status: Int)) async throws {
        try await withAdmin(over: transport) { admin async throws in
            let fields: HTTPHeaders = ["Host": host.field]
            let answer = try await admin.send(.get, "/api/v1/channels", fields: fields)
            #expect(answer.status == host.status)
            if host.status == 421 { #expect(answer.isProblem(421)) }
            #expect(try await admin.send(.get, "/healthz", fields: fields).status == 200)
        }
    }

    @Test(
        "The scheme is case-insensitive; two Authorization headers are refused",
        arguments: TransportKind.allCases)
    func scheme(transport: TransportKind) async throws {
        try await withAdmin(over: transport) { admin async throws in
            let fields: HTTPHeaders = ["Authorization": "bearer \(TestAdmin.token)"]
            #expect(try await admin.send(.get, "/api/v1/channels", fields: fields).status == 200)
            let twice: HTTPHeaders = [
                "Authorization": "Bearer \(TestAdmin.token)", "Authorization": "Bearer \(TestAdmin.token)",
            ]
            #expect(try await admin.send(.get, "/api/v1/channels", fields: twice).isProblem(401))
        }
    }

    @Test(
        "Health, readiness, metrics, the document and the page need no token",
        arguments: TransportKind.allCases, ["/healthz", "/readyz", "/metrics", "/api/v1/openapi.json", "/"])
    func open(transport: TransportKind, path: String) async throws {
        try await withAdmin(over: transport) { admin async throws in
            #expect(try await admin.send(.get, path, hasToken: false).status == 200)
            #expect(try await admin.send(.head, path, hasToken: false).status == 200)
        }
    }

    @Test("A token is never printed")
    func secret() throws {
        let token = try AdminToken("hunter2")
        #expect(!"\(token) \(token.debugDescription)".contains("hunter2"))
        #expect(Mirror(reflecting: token).children.isEmpty)
    }

    @Test(
        "An unknown path is 404",
        arguments: [
            "/api", "/api/", "/api/v1", "/api/v1/channels/", "/api/v1/channels/a/",
            "/api/v1/channels/a/settings",
            "/api/v1/channels/a/status/x", "/api/v1/channel", "/api/v1/recordings",
        ])
    func unknown(path: String) async throws {
        try await withAdmin { admin async throws in
            #expect(try await admin.send(.get, path).isProblem(404))
        }
    }

    @Test(
        "Paths of other parts of the server are not answered",
        arguments: ["/live/a/index.m3u8", "/apix", "/x", "/healthz/"])
    func foreign(path: String) async throws {
        try await withAdmin { admin async throws in
            let request = HTTPRequest(method: .get, path: path)
            if admin.api.answer(request) != nil { Issue.record("\(path) is answered") }
            if admin.api.admitBody(of: request) != nil { Issue.record("\(path) is admitted") }
        }
    }

    @Test(
        "Another method is 405, and Allow has the accepted methods",
        arguments: TransportKind.allCases,
        [
            ("/api/v1/channels", "DELETE", "GET, HEAD, POST"),
            ("/api/v1/channels/a", "POST", "GET, HEAD, PUT, PATCH, DELETE"),
            ("/api/v1/channels/a/status", "PUT", "GET, HEAD"),
            ("/api/v1/channels/a/timeline", "OPTIONS", "GET, HEAD"),
            ("/api/v1/channels/a/reanchor", "GET", "POST"),
            ("/healthz", "POST", "GET, HEAD"), ("/", "TRACE", "GET, HEAD"),
            ("/api/v1/openapi.json", "PUT", "GET, HEAD"),
        ])
    func methods(transport: TransportKind, resource: (path: String, method: String, allowed: String))
        async throws
    {
        try await withAdmin(over: transport) { admin async throws in
            let answer = try await admin.send(HTTPMethod(rawValue: resource.method), resource.path)
            #expect(answer.isProblem(405))
            #expect(answer.headers["Allow"] == resource.allowed)
        }
    }

    @Test("A body may have one mebibyte; without the token, or for another method, it is not read")
    func bodies() async throws {
        try await withAdmin { admin async throws in
            let token: HTTPHeaders = ["Authorization": "Bearer \(TestAdmin.token)"]
            #expect(admin.admission(.post, token) == "1048576 bytes")
            #expect(admin.admission(.post, [:]) == "401")
            #expect(admin.admission(.put, token) == "405")
        }
    }

    @Test(
        "What anyone may ask for without a token takes no body", arguments: TransportKind.allCases,
        ["/healthz", "/readyz", "/metrics", "/api/v1/openapi.json", "/"])
    func openBodies(transport: TransportKind, path: String) async throws {
        try await withAdmin(over: transport) { admin async throws in
            #expect(admin.admission(.get, [:], path) == "0 bytes")
            #expect(try await admin.send(.get, path, "{}", hasToken: false).status == 413)
        }
    }
}

extension TestAdmin {
    /// What becomes of the body of a request.
    fileprivate func admission(
        _ method: HTTPMethod, _ headers: HTTPHeaders, _ path: String = "/api/v1/channels",
    ) -> String? {
        let request = HTTPRequest(method: method, path: path, headers: headers)
        return switch api.admitBody(of: request) {
        case .upTo(let limit): "\(limit) bytes"
        case .refused(let response): "\(response.status.rawValue)"
        case nil: nil
        }
    }
}
