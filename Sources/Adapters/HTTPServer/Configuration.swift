package import Concurrency
package import HTTP

extension HTTPServer {
    /// The configuration of a server.
    package struct Configuration: Sendable {
        package var address: ListenAddress
        /// Threads that read requests and write answers: as many as there are cores.
        package var threadCount = 2
        package var limits = Limits()
        /// Runs `later` answers after their first wait, and streamed bodies; nil: the runtime's threads.
        package var background: (any TaskExecutor)?
        /// Proxies in front of the server: the limit per address does not apply to them, but to the requests
        /// that they forward for a client.
        package var trustedProxies: [AddressNetwork] = []
        /// Whether each request gets an id, which its answer names in `X-Request-Id`.
        package var assignsRequestIDs = false
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
    /// The path, percent-encoded except for unreserved characters.
    package var path: String
    package var remoteAddress: String
    /// The request's id: a trusted proxy's, else one of the server; nil unless requests have ids.
    package var requestID: String?
    /// Nil when the connection ended before there was an answer.
    package var status: HTTPStatus?
    /// Bytes of the body; when a stream was aborted, the bytes sent so far.
    package var byteCount: UInt64
    /// From the request line to the last byte passed to the kernel.
    package var duration: Duration
    /// False when the client disconnected, a deadline passed or the body failed.
    package var isComplete: Bool

    package init(
        method: HTTPMethod, path: String, remoteAddress: String, requestID: String? = nil,
        status: HTTPStatus? = nil, byteCount: UInt64, duration: Duration, isComplete: Bool,
    ) {
        self.method = method
        self.path = path
        self.remoteAddress = remoteAddress
        self.requestID = requestID
        self.status = status
        self.byteCount = byteCount
        self.duration = duration
        self.isComplete = isComplete
    }
}
