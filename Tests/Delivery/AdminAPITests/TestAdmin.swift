import Access
import Catalogue
import Concurrency
import DatabaseSupport
import Foundation
import HTTP
import HTTPSupport
import Monitoring
import Postgres
import Telemetry
import TestSupport
import Testing
import Timeline

@testable import AdminAPI

/// The admin API over a fresh catalogue, and a client.
struct TestAdmin: Sendable {
    static let token = "correct horse battery staple"
    static let secret = "a-playback-secret-of-tests"
    /// 2026-07-26T05:05:16Z.
    static let now = Instant(seconds: 1_785_042_316)

    let api: AdminAPI
    let pool: PostgresPool
    let board: StatusBoard
    let registry: MetricsRegistry
    let client: APIClient

    var catalogue: Catalogue { api.catalogue }

    /// Sends a request with the token; `fields` are added.
    func send(
        _ method: HTTPMethod, _ target: String, _ body: String? = nil, fields: HTTPHeaders = [:],
        hasToken: Bool = true,
    ) async throws -> ReceivedResponse {
        var headers = fields
        if hasToken, fields["Authorization"] == nil { headers["Authorization"] = "Bearer \(Self.token)" }
        if body != nil, fields["Content-Type"] == nil { headers["Content-Type"] = "application/json" }
        return try await client.send(method, target, headers, body: Array((body ?? "").utf8))
    }

    /// Makes a channel with one source and nothing else.
    @discardableResult
    func create(_ id: String) async throws -> ReceivedResponse {
        let answer = try await send(
            .post, "/api/v1/channels",
            "{\"id\":\"\(id)\",\"source_url\":\"http://origin.example/\(id).m3u8\"}")
        #expect(answer.status == 201)
        return answer
    }
}

extension ReceivedResponse {
    func string(_ name: String) throws -> String? { try json[name] as? String }

    /// The places that a problem names.
    var pointers: [String] {
        get throws {
            let errors = try json["errors"] as? [[String: Any]] ?? []
            return errors.compactMap { ($0["pointer"] ?? $0["parameter"]) as? String }
        }
    }
}

/// Runs a body with an admin API on a database of its own.
func withAdmin<T>(
    over transport: TransportKind = .handler, secrets: [String] = [TestAdmin.secret],
    playsChannels: Bool = true, purgeAnswer: Duration = Limits.purgeAnswer,
    archiveIsReachable: @escaping @Sendable () async -> Bool = { true },
    hasFFmpeg: @escaping @Sendable () -> Bool = { true }, _ body: (TestAdmin) async throws -> T
) async throws -> T {
    let result = try await databases.withPermit {
        try await withCatalogueDatabase { pool, _ in
            try await withAdmin(
                on: pool, over: transport, secrets: secrets, playsChannels: playsChannels,
                purgeAnswer: purgeAnswer, archiveIsReachable: archiveIsReachable, hasFFmpeg: hasFFmpeg, body)
        }
    }
    guard let result else { throw CancellationError() }
    return result
}

/// All tests begin at once; with a database for each, PostgreSQL refuses connections.
private let databases = AsyncSemaphore(permits: 12)

/// Runs a body with an admin API on the database of a pool.
func withAdmin<T>(
    on pool: PostgresPool, over transport: TransportKind = .handler,
    secrets: [String] = [TestAdmin.secret],
    playsChannels: Bool = true, purgeAnswer: Duration = Limits.purgeAnswer,
    archiveIsReachable: @escaping @Sendable () async -> Bool = { true },
    hasFFmpeg: @escaping @Sendable () -> Bool = { true }, _ body: (TestAdmin) async throws -> T
) async throws -> T {
    let (board, registry) = (StatusBoard(), MetricsRegistry())
    var configuration = AdminConfiguration(
        token: try AdminToken(TestAdmin.token), version: "1.2.3",
        tokenSigner: TokenSigner(secrets: secrets), playsChannels: playsChannels
    ) {
        host, _ in
        host == "169.254.169.254" ? "\(host) is link-local" : nil
    } isOwnHost: { host in
        ["127.0.0.1", "::1", "localhost", "test"].contains(host)
    } hasFFmpeg: {
        hasFFmpeg()
    }
    configuration.purgeAnswer = purgeAnswer
    var clock = HostClock.system
    clock.now = { TestAdmin.now }
    let api = try AdminAPI(
        catalogue: Catalogue(pool: pool, logger: silentLogger), board: board, registry: registry,
        configuration: configuration, archiveIsReachable: archiveIsReachable,
        clock: clock, logger: silentLogger)
    let handler = FunctionHandler(admitBody: { api.admitBody(of: $0) }, { api.answer($0) })
    await api.checkReadiness()
    let checks = Task { await api.run() }
    defer { checks.cancel() }
    return try await withAPIClient(over: transport, to: handler) { client in
        let admin = TestAdmin(api: api, pool: pool, board: board, registry: registry, client: client)
        return try await body(admin)
    }
}
