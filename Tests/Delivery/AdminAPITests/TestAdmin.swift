import Catalogue
import Concurrency
import DatabaseSupport
import Foundation
import HTTP
import Monitoring
import Postgres
import Telemetry
import TestSupport
import Testing
import Timeline

@testable import AdminAPI

/// The admin API over a fresh catalogue, asked by values.
struct TestAdmin: Sendable {
    static let token = "correct horse battery staple"
    /// 2026-07-26T05:05:16Z.
    static let now = Instant(seconds: 1_785_042_316)

    let api: AdminAPI
    let pool: PostgresPool
    let board = StatusBoard()
    let registry = MetricsRegistry()

    var catalogue: Catalogue { api.catalogue }

    init(
        _ pool: PostgresPool, archiveIsReachable: @escaping @Sendable () async -> Bool = { true }
    ) throws {
        self.pool = pool
        let token = try AdminToken(Self.token)
        let configuration = AdminConfiguration(token: token, version: "1.2.3") { host, _ in
            host == "169.254.169.254" ? "\(host) is link-local" : nil
        }
        var clock = HostClock.system
        clock.now = { Self.now }
        api = try AdminAPI(
            catalogue: Catalogue(pool: pool, logger: silentLogger), board: board, registry: registry,
            configuration: configuration, archiveIsReachable: archiveIsReachable,
            clock: clock, logger: silentLogger)
    }

    /// Sends a request with the token; `fields` are added.
    func send(
        _ method: HTTPMethod, _ target: String, _ body: String? = nil, fields: HTTPHeaders = [:],
        hasToken: Bool = true,
    ) async throws -> Answer {
        let halves = target.split(separator: "?", maxSplits: 1).map(String.init)
        var request = HTTPRequest(
            method: method, path: halves[0], query: halves.count > 1 ? halves[1] : nil,
            body: Array((body ?? "").utf8))
        if hasToken { request.headers["Authorization"] = "Bearer \(Self.token)" }
        if body != nil { request.headers["Content-Type"] = "application/json" }
        for field in fields.fields { request.headers[field.name] = field.value }
        return try await answer(to: request)
    }

    func answer(to request: HTTPRequest) async throws -> Answer {
        switch try #require(api.answer(request)) {
        case .now(let response): try Answer(response)
        case .later(let work): try Answer(await work())
        }
    }

    /// Makes a channel with one source and nothing else.
    @discardableResult
    func create(_ id: String) async throws -> Answer {
        let answer = try await send(
            .post, "/api/v1/channels",
            "{\"id\":\"\(id)\",\"source_url\":\"http://origin.example/\(id).m3u8\"}")
        #expect(answer.status == 201)
        return answer
    }
}

/// A response with its body read.
struct Answer {
    let status: Int
    let headers: HTTPHeaders
    let text: String

    init(_ response: HTTPResponse) throws {
        status = response.status.rawValue
        headers = response.headers
        switch response.body {
        case .empty: text = ""
        case .bytes(let bytes): text = String(decoding: bytes, as: UTF8.self)
        default: throw TestFailure("the admin API answers from memory only")
        }
    }

    /// The body as Foundation reads it: another reader than the one under test.
    var json: [String: Any] {
        get throws {
            let value = try JSONSerialization.jsonObject(with: Data(text.utf8))
            return try #require(value as? [String: Any])
        }
    }

    func string(_ name: String) throws -> String? { try json[name] as? String }

    /// The places that a problem names.
    var pointers: [String] {
        get throws {
            let errors = try json["errors"] as? [[String: Any]] ?? []
            return errors.compactMap { ($0["pointer"] ?? $0["parameter"]) as? String }
        }
    }

    /// Whether it is a problem of RFC 9457 with this status.
    func isProblem(_ code: Int) throws -> Bool {
        try status == code && headers["Content-Type"] == "application/problem+json"
            && json["status"] as? Int == code && json["title"] is String && json["type"] is String
            && json["detail"] is String
    }
}

/// Gives a test an admin API on a database of its own.
func withAdmin<T>(
    archiveIsReachable: @escaping @Sendable () async -> Bool = { true }, _ body: (TestAdmin) async throws -> T
) async throws -> T {
    try await withCatalogueDatabase { pool, _ in
        try await body(try TestAdmin(pool, archiveIsReachable: archiveIsReachable))
    }
}
