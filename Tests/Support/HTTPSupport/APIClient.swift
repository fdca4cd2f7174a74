package import HTTP
import HTTPServer

/// Sends requests to an HTTP interface and reads whole responses; follows no redirect and keeps nothing.
package struct APIClient: Sendable {
    private let transport: any APITransport
    /// Fields of every request that does not have them itself.
    package var headers: HTTPHeaders

    package init(over transport: any APITransport, headers: HTTPHeaders = [:]) {
        self.transport = transport
        self.headers = headers
    }

    /// Sends a GET for a path with its query.
    package func get(_ target: String, _ headers: HTTPHeaders = [:]) async throws -> ReceivedResponse {
        try await send(.get, target, headers)
    }

    /// Sends a request for a path with its query, both as they stand.
    package func send(
        _ method: HTTPMethod, _ target: String, _ headers: HTTPHeaders = [:], body: [UInt8] = []
    ) async throws -> ReceivedResponse {
        try await send(HTTPRequest(method, target, headers, body: body))
    }

    package func send(_ request: HTTPRequest) async throws -> ReceivedResponse {
        var request = request
        for field in headers.fields where request.headers[field.name] == nil {
            request.headers.append(field.name, field.value)
        }
        return try await transport.response(to: request)
    }
}

extension HTTPRequest {
    /// A request for a path with its query, both as they stand.
    package init(
        _ method: HTTPMethod, _ target: String, _ headers: HTTPHeaders = [:], body: [UInt8] = []
    ) {
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        self.init(
            method: method, path: String(parts[0]), query: parts.count > 1 ? String(parts[1]) : nil,
            headers: headers, body: body)
    }
}

/// A way for requests to reach what answers them.
package protocol APITransport: Sendable {
    func response(to request: HTTPRequest) async throws -> ReceivedResponse
}

/// The transports over which a test can run.
package enum TransportKind: String, CaseIterable, Sendable {
    /// Calls the handler, without a server.
    case handler
    /// A server in front of the handler, and a connection for each request.
    case socket
}

/// Runs a body with a client whose requests reach a handler over a transport.
package func withAPIClient<Result>(
    over transport: TransportKind, to handler: any HTTPHandler, _ body: (APIClient) async throws -> Result
) async throws -> Result {
    switch transport {
    case .handler: try await body(APIClient(over: HandlerTransport(handler: handler)))
    case .socket:
        try await withHTTPServer(handler) { server in
            try await body(APIClient(over: SocketTransport(port: server.port)))
        }
    }
}
