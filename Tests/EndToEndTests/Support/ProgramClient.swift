import Digest
import Encoding
import HTTP
import HTTPSupport
import TestSupport

/// A client of one program that runs, at the address that it printed.
struct ProgramClient: Sendable {
    let base: String
    private let api: APIClient

    /// Takes `http://127.0.0.1:port`; nothing answers at an empty base.
    init(_ base: String) {
        self.base = base
        api = APIClient(over: (try? SocketTransport(address: base)) ?? SocketTransport(port: 0))
    }

    func get(_ target: String, _ headers: HTTPHeaders = [:]) async throws -> ReceivedResponse {
        try await api.get(target, headers)
    }

    func send(
        _ method: HTTPMethod, _ target: String, _ headers: HTTPHeaders = [:], body: String? = nil
    ) async throws -> ReceivedResponse {
        try await api.send(method, target, headers, body: Array((body ?? "").utf8))
    }

    /// Asks for a media playlist that must be there.
    func playlist(_ path: String) async throws -> ReceivedPlaylist {
        let answer = try await get(path)
        guard answer.status == 200 else { throw TestFailure("\(path): \(answer.status) \(answer.text)") }
        return try ReceivedPlaylist(answer.text)
    }

    /// SHA-256 of what is sent for each segment of a channel's playlist, as the ledger writes digests.
    func digests(of playlist: ReceivedPlaylist, in channel: String) async throws -> [String] {
        var digests: [String] = []
        for uri in playlist.uris { digests.append(try await digest(of: uri, in: channel)) }
        return digests
    }

    /// SHA-256 of what is sent for a segment.
    func digest(of uri: String, in channel: String) async throws -> String {
        let answer = try await get("/live/\(channel)/\(uri)")
        guard answer.status == 200 else { throw TestFailure("\(uri): \(answer.status)") }
        return Hexadecimal.encode(try SHA256.digest(of: answer.body))
    }
}
