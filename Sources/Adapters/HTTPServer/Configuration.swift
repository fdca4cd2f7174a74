package import Concurrency
package import HTTP

extension HTTPServer {
    /// The configuration of a server.
    package struct Configuration: Sendable {
        package var address: ListenAddress
        /// Threads that read requests and write answers: as many as there are cores.
        package var threadCount = 2
        package var limits = Limits()
        /// Proxies in front of the server: the limit per address does not apply to them.
        package var trustedProxies: [AddressNetwork] = []
        /// Called on a server thread after each request, complete or not; it must not wait.
        package var onFinished: (@Sendable (RequestSummary) -> Void)?

        /// Measures how long running answers may take when the server stops.
        package var clock = HostClock.system

        package init(address: ListenAddress) {
            self.address = address
        }
    }
}

/// What is counted and logged of a request.
package struct RequestSummary: Sendable {
    package var method: HTTPMethod
    /// The path as sent, percent-encoded.
    package var path: String
    package var remoteAddress: String
    /// Nil when the connection ended before there was an answer.
    package var status: HTTPStatus?
    /// Bytes of the body; when a stream was aborted, the bytes sent so far.
    package var byteCount: UInt64
    /// From the request line to the last byte passed to the kernel.
    package var duration: Duration
    /// False when the client disconnected, a deadline passed or the body failed.
    package var isComplete: Bool
}
