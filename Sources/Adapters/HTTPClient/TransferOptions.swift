package import HTTP

/// Options of one transfer.
package struct TransferOptions: Sendable {
    /// The largest number of bytes of the decoded body.
    package var byteLimit: Int
    /// The requested bytes (RFC 9110 §14.2).
    ///
    /// A server may answer 200 with the whole resource; the status tells.
    package var range: Range<UInt64>?
    /// Accepts gzip and other codings, and decodes.
    ///
    /// Not together with `range`. Such a body is never paused, so `byteLimit` also bounds the memory for it.
    package var acceptCompressed: Bool
    /// Further fields of this request, for every host of a redirect chain: conditions, not credentials.
    package var headers: HTTPHeaders
    /// From name resolution to the end of the TLS handshake, for each hop.
    package var connectTimeout: Duration
    /// From the call to the last byte, including time in the queue and redirects.
    package var totalTimeout: Duration
    /// Bytes per second; a body that stays below it for `lowSpeedTime` is too slow.
    package var lowSpeedLimit: Int
    package var lowSpeedTime: Duration
    /// Whether a new connection is required.
    package var freshConnection: Bool
    /// Followed redirects, at most `Limits.redirects`.
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
    /// Whole milliseconds, at least one (0 means "no limit" in curl) and at most a day.
    var boundedMilliseconds: Int {
        let limit = Duration.seconds(86_400)
        let (seconds, attoseconds) = min(max(self, .milliseconds(1)), limit).components
        return Int(seconds) * 1_000 + Int(attoseconds / 1_000_000_000_000_000)
    }

    /// Whole seconds rounded up, at least one.
    var boundedSeconds: Int { (boundedMilliseconds + 999) / 1_000 }
}
