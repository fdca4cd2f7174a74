import Concurrency
import Downloader
import Foundation
import HTTP
import HTTPClient
import HTTPServer
import HTTPSupport
import TestSupport

@testable import DownloadAPI

/// A running server of downloads, and an origin to download from.
struct PlayFixture {
    let folder: TemporaryFolder
    let origin: FaultyOrigin
    let manager: DownloadManager
    let client: APIClient
    let port: UInt16

    static let mark: HTTPHeaders = ["X-Backcast": "1"]

    /// Runs a body while the server runs on a folder.
    static func run(
        _ folder: TemporaryFolder? = nil, parallel: Int = 4, tasks: Int = 2, hlsScript: [UInt8]? = nil,
        _ body: @escaping @Sendable (PlayFixture) async throws -> Void
    ) async throws {
        let folder = try folder ?? TemporaryFolder("play")
        try await FaultyOrigin.run { origin in
            let transfers = try HTTPClient.open(ClientConfiguration(logger: silentLogger))
            var options = DownloadOptions()
            options.parallel = parallel
            options.tasks = tasks
            let manager = try await DownloadManager.open(
                folder.path, options, client: transfers, clock: .system)
            let api = DownloadAPI(
                manager: manager, host: "127.0.0.1", hlsScript: hlsScript, clock: .system)
            try await withHTTPServer(api) { server in
                let fixture = PlayFixture(
                    folder: folder, origin: origin, manager: manager,
                    client: APIClient(over: SocketTransport(port: server.port)), port: server.port)
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { await manager.run() }
                    group.addTask { try await body(fixture) }
                    // The manager ends only when it is cancelled.
                    try await group.next()
                    group.cancelAll()
                    try await group.waitForAll()
                }
            }
            await transfers.close()
        }
    }

    /// Adds the origin's stream as the task `task`.
    @discardableResult
    func add(
        _ path: String = "/vod/index.m3u8", _ more: [String: Any] = [:]
    ) async throws -> ReceivedResponse {
        let fields = ["url": origin.url(path), "id": "task"].merging(more) { $1 }
        return try await post("/downloads", Array(try JSONSerialization.data(withJSONObject: fields)))
    }

    func post(_ path: String, _ body: [UInt8] = []) async throws -> ReceivedResponse {
        try await client.send(.post, path, Self.mark, body: body)
    }

    func state(_ id: String = "task") async throws -> String? {
        try await client.get("/downloads/\(id)").json["state"] as? String
    }

    func reached(_ state: String) async throws {
        try await eventually("the state \(state)") { try await self.state() == state }
    }
}
