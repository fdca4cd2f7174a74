/// A request method; any token is valid (RFC 9110 §9.1).
package struct HTTPMethod: Hashable, Sendable, RawRepresentable {
    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }

    package static let get = HTTPMethod(rawValue: "GET")
    package static let head = HTTPMethod(rawValue: "HEAD")
    package static let options = HTTPMethod(rawValue: "OPTIONS")
    package static let post = HTTPMethod(rawValue: "POST")
    package static let put = HTTPMethod(rawValue: "PUT")
    package static let patch = HTTPMethod(rawValue: "PATCH")
    package static let delete = HTTPMethod(rawValue: "DELETE")
}

/// A request as a server receives it.
package struct HTTPRequest: Sendable {
    package var method: HTTPMethod
    /// The path, beginning with "/", without the query: percent-encoded except for unreserved characters.
    package var path: String
    /// The query as sent, without "?"; nil when there was none.
    package var query: String?
    package var headers: HTTPHeaders
    package var body: [UInt8]
    /// The peer's numeric address; "" in tests without a socket.
    package var remoteAddress: String
    /// The key by which limits count a client: its IPv4 address, or the /64 network of its IPv6 address.
    ///
    /// Behind trusted proxies it is the client's, not the proxy's; "" in tests without a socket.
    package var client: String

    package init(
        method: HTTPMethod, path: String, query: String? = nil, headers: HTTPHeaders = HTTPHeaders(),
        body: [UInt8] = [], remoteAddress: String = "", client: String = "",
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.headers = headers
        self.body = body
        self.remoteAddress = remoteAddress
        self.client = client
    }
}

/// An answer to a request.
///
/// The body of an answer to HEAD and of a 304 is that of the answer to GET: it is not sent, but its length is
/// announced (RFC 9110 §8.6).
package struct HTTPResponse: Sendable {
    package var status: HTTPStatus { didSet { kept = nil } }
    package var headers: HTTPHeaders { didSet { kept = nil } }
    package var body: HTTPBody { didSet { kept = nil } }
    /// Where the server keeps the answer as it sends it; nil after any change.
    package var kept: PreparedResponseSlot?

    package init(status: HTTPStatus, headers: HTTPHeaders = HTTPHeaders(), body: HTTPBody = .empty) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}

/// How a handler answers: at once from memory, or from a task.
///
/// The task begins on the server's thread and moves to another one where it first waits, while the connection
/// is suspended: an answer from memory needs no thread switch. What computes for longer than a tenth of a
/// millisecond calls `onAnotherThread`.
package enum HTTPAnswer: Sendable {
    case now(HTTPResponse)
    case later(@Sendable () async -> HTTPResponse)
    /// Like `later`, for an answer that waits but computes little.
    ///
    /// It does not queue behind answers that compute for long, and it has a limit of its own.
    case lightweight(@Sendable () async -> HTTPResponse)
    /// Like `later`, with a limit of its own, so that requests of viewers cannot block it.
    case reserved(@Sendable () async -> HTTPResponse)
}

/// What a handler does with the body of a request.
package enum HTTPBodyAdmission: Sendable {
    /// Reads it; one with more bytes is answered 413.
    case upTo(Int)
    /// Answers without reading it.
    case refused(HTTPResponse)
}

/// The entry point for requests.
///
/// `answer` runs on a server thread and must not wait.
package protocol HTTPHandler: Sendable {
    /// Whether the body of a request is read; called after the header of a request that has one.
    func admitBody(of request: HTTPRequest) -> HTTPBodyAdmission
    func answer(_ request: HTTPRequest) -> HTTPAnswer
}
