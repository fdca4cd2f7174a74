package import HTTP
package import HTTPServer
import TestSupport

/// Sends each request over a connection of its own to a server on this machine.
package struct SocketTransport: APITransport {
    private let port: UInt16

    package init(port: UInt16) {
        self.port = port
    }

    /// The server at `127.0.0.1:port`, as a program prints where it listens.
    package init(address: some StringProtocol) throws {
        guard let port = address.split(separator: ":").last.flatMap({ UInt16($0) }) else {
            throw TestFailure("no port: \(address)")
        }
        self.port = port
    }

    package func response(to request: HTTPRequest) async throws -> ReceivedResponse {
        let target = request.path + (request.query.map { "?" + $0 } ?? "")
        var head = "\(request.method.rawValue) \(target) HTTP/1.1\r\n"
        if request.headers["Host"] == nil { head += "Host: 127.0.0.1:\(port)\r\n" }
        for field in request.headers.fields { head += "\(field.name): \(field.value)\r\n" }
        if !request.body.isEmpty { head += "Content-Length: \(request.body.count)\r\n" }
        let connection = try RawConnection(port: port)
        return try await connection.exchange(
            Array((head + "\r\n").utf8) + request.body, toHead: request.method == .head)
    }
}

/// Runs a body with a server on a port that the kernel chose, and stops the server at once.
package func withHTTPServer<Result>(
    _ handler: any HTTPHandler, configure: (inout HTTPServer.Configuration) -> Void = { _ in },
    _ body: (HTTPServer) async throws -> Result
) async throws -> Result {
    var configuration = HTTPServer.Configuration(address: ListenAddress(host: "127.0.0.1", port: 0))
    configure(&configuration)
    let server = try HTTPServer.open(configuration: configuration, handler: handler, logger: silentLogger)
    do {
        let result = try await body(server)
        await server.stop(drain: .zero)
        return result
    } catch {
        await server.stop(drain: .zero)
        throw error
    }
}
