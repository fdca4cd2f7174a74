package import HTTP

extension HTTPServer {
    /// What a server needs to know before it listens.
    package struct Configuration: Sendable {
        package var address: ListenAddress
        /// Threads that read requests and write answers; one per core is right.
        package var threadCount = 2
        package var limits = Limits()
        /// Proxies in front of the server: their connections are not counted per address.
        package var trustedProxies: [AddressNetwork] = []
        /// Called on a server thread after each request, whole or not: it must be quick and must not wait.
        package var onFinished: (@Sendable (RequestSummary) -> Void)?

        package init(address: ListenAddress) {
            self.address = address
        }
    }
}

/// What is worth counting and logging of one request.
package struct RequestSummary: Sendable {
    package var method: HTTPMethod
    /// The path as sent, percent-encoded.
    package var path: String
    package var remoteAddress: String
    /// nil when the connection ended before there was an answer.
    package var status: HTTPStatus?
    /// Bytes of the body; those handed over so far when a stream was cut.
    package var byteCount: UInt64
    /// From the request line to the last byte handed to the kernel.
    package var duration: Duration
    /// False when the client left, a deadline passed or the body failed.
    package var isComplete: Bool
}
