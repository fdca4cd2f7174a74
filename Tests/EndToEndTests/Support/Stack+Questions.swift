import Foundation
import HTTP
import HTTPSupport
import TestSupport

/// What scenarios ask of a running stack.
extension Stack {
    /// Asks the admin API.
    func admin(_ path: String, method: HTTPMethod = .get, body: String? = nil) async throws
        -> ReceivedResponse
    {
        let headers: HTTPHeaders = [
            "Authorization": "Bearer \(Self.token)", "Content-Type": "application/json",
        ]
        return try await service.send(method, "/api/v1" + path, headers, body: body)
    }

    /// Records what the origin has under a path, with further settings as members of a JSON object.
    func addChannel(
        _ id: String = Stack.channel, path: String = "/ch1/index.m3u8", also: String = ""
    ) async throws {
        let source = #""source_url":"\#(origin.base + path)""#
        try await addChannel(id, settings: also.isEmpty ? source : source + "," + also)
    }

    /// Records a channel with settings as members of a JSON object.
    func addChannel(_ id: String = Stack.channel, settings: String) async throws {
        let body = #"{"id":"\#(id)",\#(settings)}"#
        let answer = try await admin("/channels", method: .post, body: body)
        guard answer.status == 201 else { throw TestFailure("no channel: \(answer.status) \(answer.text)") }
    }

    /// Puts a fault of the origin in force.
    func fault(_ query: String, of channel: String = Stack.channel) async throws {
        let answer = try await origin.send(.post, "/control?channel=\(channel)&fault=\(query)")
        guard answer.status == 200 else { throw TestFailure("no fault: \(answer.text)") }
    }

    /// Waits until so many segments of a rendition are published; what is published then.
    @discardableResult
    func published(_ count: Int, of rendition: String = "v0") async throws -> [LedgerEntry] {
        try await waitFor("published segment \(count)") {
            let entries = try ledger(rendition)
            return entries.count >= count ? entries : nil
        }
    }

    /// The end of what is published by the service, milliseconds since 1970.
    func liveEdge(of channel: String = Stack.channel) async throws -> Int64? {
        let status = try await admin("/channels/\(channel)/status").json
        return try (status["live_edge"] as? String).map(Instant.milliseconds)
    }

    /// Waits until everything before an instant, in milliseconds since 1970, is published by the service.
    func settled(_ instant: Int64) async throws {
        try await eventually("a live edge behind \(instant)") {
            // Half a frame for what rounding takes away.
            try await (liveEdge() ?? 0) >= instant - 20
        }
    }

    /// What the service sends for each segment of a list, as the ledger writes digests.
    func digests(of list: ReceivedPlaylist) async throws -> [String] {
        try await service.digests(of: list, in: Self.channel)
    }

    /// What the service sends for a segment, as the ledger writes digests.
    func digest(of uri: String) async throws -> String {
        try await service.digest(of: uri, in: Self.channel)
    }

    /// What ffmpeg says when it plays a path of the service; nothing is right.
    func playing(_ path: String) async throws -> String {
        try await Command.run(
            "/usr/bin/ffmpeg",
            ["-nostdin", "-v", "warning", "-xerror", "-i", service.base + path, "-f", "null", "-"])
    }

    /// The rows that a statement answers.
    func rows(_ sql: String) async throws -> [String] {
        try await PostgresPrograms().rows(of: sql, on: database)
    }

    /// The path of a window.
    nonisolated func window(
        _ begin: Int64, _ end: Int64? = nil, name: String = "index.m3u8", also: String = ""
    ) -> String {
        let ending = end.map { "&endtime=\($0)" } ?? ""
        return "/live/\(Self.channel)/\(name)?begintime=\(begin)\(ending)\(also)"
    }
}
