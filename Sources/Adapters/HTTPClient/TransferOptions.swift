package import HTTP

/// Options of one transfer.
package struct TransferOptions: Sendable {
    /// Any but HEAD.
    ///
    /// Redirects are followed for GET alone: the answer to another method is final.
    package var method: HTTPMethod
    /// The content of the request; nil: none.
    package var body: [UInt8]?
    /// The largest number of bytes of the decoded body of the response.
    package var byteLimit: Int
    /// Whether a body that is announced as longer than `byteLimit` is refused before its first byte.
    ///
    /// Otherwise it is delivered up to the limit, for readers that want only its beginning.
    package var refusesTooLongAtOnce = true
    /// The requested bytes (RFC 9110 §14.2).
    ///
    /// A server may answer 200 with the whole resource; the status tells.
    package var range: Range<UInt64>?
    /// Whether compressed bodies are accepted and decoded; otherwise the request asks for `identity`.
    ///
    /// Has no effect with `range`. A decoded body is never paused, so `byteLimit` also bounds its memory.
    package var acceptCompressed: Bool
    /// Further fields of this request, for every host of a redirect chain: conditions, not credentials.
    package var headers: HTTPHeaders
    /// From name resolution to the end of the TLS handshake, for each hop.
    package var connectTimeout: Duration
    /// From the start of the transfer to the last byte, including redirects, but not the time in the queue.
    package var totalTimeout: Duration
    /// How long the transfer may wait in the client's own queue; after it the error is `notStarted`.
    package var queueTimeout: Duration
    /// The time after which bytes that have come are delivered although they fill no chunk; nil: never.
    package var chunkDelay: Duration?
    /// Which transfers begin first where not all can run.
    package var priority: TransferPriority
    /// Bytes per second, below which a transfer is too slow after `lowSpeedTime`; 0 for no limit.
    ///
    /// It also counts while the transfer waits for the head of the answer.
    package var lowSpeedLimit: Int
    package var lowSpeedTime: Duration
    /// Whether a new connection is required.
    package var freshConnection: Bool

    package init(
        byteLimit: Int, method: HTTPMethod = .get, body: [UInt8]? = nil,
        range: Range<UInt64>? = nil, acceptCompressed: Bool = false,
        headers: HTTPHeaders = HTTPHeaders(), connectTimeout: Duration = .seconds(5),
        totalTimeout: Duration = .seconds(60), queueTimeout: Duration = .seconds(60),
        priority: TransferPriority = .bulk, lowSpeedLimit: Int = 1_000,
        lowSpeedTime: Duration = .seconds(10),
        freshConnection: Bool = false,
    ) {
        self.method = method
        self.body = body
        self.byteLimit = max(byteLimit, 0)
        self.range = range
        self.acceptCompressed = acceptCompressed
        self.headers = headers
        self.connectTimeout = connectTimeout
        self.totalTimeout = totalTimeout
        self.queueTimeout = queueTimeout
        self.priority = priority
        self.lowSpeedLimit = lowSpeedLimit
        self.lowSpeedTime = lowSpeedTime
        self.freshConnection = freshConnection
    }
}

/// Which transfers of a client begin first.
package enum TransferPriority: Sendable, Hashable {
    /// Small and soon out of date: playlists.
    case urgent
    /// Everything else.
    case bulk
}

extension Duration {
    /// Whole milliseconds, at least one (0 means "no limit" in curl) and at most a day.
    var boundedMilliseconds: Int {
        let limit = Duration.seconds(86_400)
        let (seconds, attoseconds) = min(max(self, .milliseconds(1)), limit).components
        return Int(seconds) * 1_000 + Int(attoseconds / 1_000_000_000_000_000)
    }

    /// Whole seconds rounded up, at least one.
    var boundedSeconds: Int { (boundedMilliseconds + 999) / 1_000 }
}
