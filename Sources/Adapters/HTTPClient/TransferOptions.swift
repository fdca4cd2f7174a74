package import HTTP

/// What one transfer wants.
package struct TransferOptions: Sendable {
    /// Bytes of the decoded body that are taken at most.
    package var byteLimit: Int
    /// The bytes wanted (RFC 9110 §14.2).
    ///
    /// A server may answer 200 with the whole: the status tells.
    package var range: Range<UInt64>?
    /// Offers gzip and the like, and decodes.
    ///
    /// Not together with `range`. Such a body is never paused, so `byteLimit` is also what may be held in
    /// memory.
    package var acceptCompressed: Bool
    /// Further fields of this request, for every host on the way: conditions, not credentials.
    package var headers: HTTPHeaders
    /// From the name to the end of the TLS handshake, for each hop.
    package var connectTimeout: Duration
    /// From the call to the last byte: waiting for a turn and redirects included.
    package var totalTimeout: Duration
    /// Bytes per second below which a body is too slow, when it stays so for `lowSpeedTime`.
    package var lowSpeedLimit: Int
    package var lowSpeedTime: Duration
    /// Does not use a connection that is open already.
    package var freshConnection: Bool
    /// Redirects followed, at most `Limits.redirects`.
    package var maxRedirects: Int

    package init(
        byteLimit: Int, range: Range<UInt64>? = nil, acceptCompressed: Bool = false,
        headers: HTTPHeaders = HTTPHeaders(), connectTimeout: Duration = .seconds(5),
        totalTimeout: Duration = .seconds(60), lowSpeedLimit: Int = 1_000,
        lowSpeedTime: Duration = .seconds(10),
        freshConnection: Bool = false, maxRedirects: Int = Limits.redirects,
    ) {
        self.byteLimit = max(byteLimit, 0)
        self.range = range
        self.acceptCompressed = acceptCompressed
        self.headers = headers
        self.connectTimeout = connectTimeout
        self.totalTimeout = totalTimeout
        self.lowSpeedLimit = lowSpeedLimit
        self.lowSpeedTime = lowSpeedTime
        self.freshConnection = freshConnection
        self.maxRedirects = min(max(maxRedirects, 0), Limits.redirects)
    }
}

extension Duration {
    /// Whole milliseconds, at least one (0 means "no limit" to curl) and at most a day.
    var boundedMilliseconds: Int {
        let limit = Duration.seconds(86_400)
        let (seconds, attoseconds) = min(max(self, .milliseconds(1)), limit).components
        return Int(seconds) * 1_000 + Int(attoseconds / 1_000_000_000_000_000)
    }

    /// Whole seconds rounded up, at least one.
    var boundedSeconds: Int { (boundedMilliseconds + 999) / 1_000 }
}
