import Digest
import Encoding
import Foundation
import FoundationNetworking
import TestSupport

/// An answer as it came.
struct Answer {
    var status: Int
    var body: Data
    private let response: HTTPURLResponse

    init(_ response: HTTPURLResponse, _ body: Data) {
        status = response.statusCode
        self.body = body
        self.response = response
    }

    var text: String { String(decoding: body, as: UTF8.self) }

    func header(_ name: String) -> String? { response.value(forHTTPHeaderField: name) }

    /// The body as a JSON object.
    var object: [String: Any] {
        get throws {
            guard let object = try JSONSerialization.jsonObject(with: body) as? [String: Any] else {
                throw TestFailure("no JSON object but \(status): \(text)")
            }
            return object
        }
    }
}

/// Asks one server; nothing is remembered between two questions.
struct Client: Sendable {
    let base: String
    private let session: URLSession

    init(_ base: String) {
        self.base = base
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        configuration.timeoutIntervalForRequest = 20
        session = URLSession(configuration: configuration)
    }

    /// Asks for a path, with its query, below the base.
    func ask(
        _ path: String, method: String = "GET", headers: [String: String] = [:], body: Data? = nil
    ) async throws -> Answer {
        guard let url = URL(string: base + path) else { throw TestFailure("no URL: \(base + path)") }
        var request = URLRequest(url: url)
        request.httpMethod = method
        request.httpBody = body
        for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
        let (data, response) = try await session.data(for: request)
        guard let response = response as? HTTPURLResponse else { throw TestFailure("no HTTP answer: \(url)") }
        return Answer(response, data)
    }

    /// Asks for a media playlist that must be there.
    func list(_ path: String) async throws -> MediaList {
        let answer = try await ask(path)
        guard answer.status == 200 else { throw TestFailure("\(path): \(answer.status) \(answer.text)") }
        return try MediaList(answer.text)
    }

    /// SHA-256 of what is sent for each segment of a channel's list, as the ledger writes digests.
    func digests(of list: MediaList, in channel: String) async throws -> [String] {
        var digests: [String] = []
        for uri in list.uris { digests.append(try await digest(of: uri, in: channel)) }
        return digests
    }

    /// SHA-256 of what is sent for a segment.
    func digest(of uri: String, in channel: String) async throws -> String {
        let answer = try await ask("/live/\(channel)/\(uri)")
        guard answer.status == 200 else { throw TestFailure("\(uri): \(answer.status)") }
        return Hexadecimal.encode(try SHA256.digest(of: [UInt8](answer.body)))
    }
}
