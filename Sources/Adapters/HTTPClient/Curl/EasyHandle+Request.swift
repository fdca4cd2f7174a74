import CCurl
import HTTP

extension EasyHandle {
    /// Sets all options of a hop, and forbids what it must not do.
    mutating func configure(
        _ attempt: Attempt, of job: TransferJob, in configuration: ClientConfiguration, timeout: Duration,
    ) throws(TransferError) {
        try setSafety()
        try setTimes(job.options, timeout: timeout)
        try setConnection(job, isFresh: attempt.isFresh)
        try setTrust(job.session.options, configuration)
        try setProxy(configuration.proxy)
        if let file = configuration.socketFile { try set(CURLOPT_UNIX_SOCKET_PATH, file) }
        try setRequest(attempt, of: job)
        if !configuration.pinnedNames.isEmpty { try set(pinnedNames: configuration.pinnedNames) }
    }

    /// Only http and https; the loop follows redirects, because it chooses the headers of each hop.
    private func setSafety() throws(TransferError) {
        try set(CURLOPT_PROTOCOLS_STR, "http,https")
        try set(CURLOPT_REDIR_PROTOCOLS_STR, "http,https")
        try set(CURLOPT_FOLLOWLOCATION, 0)
        try set(CURLOPT_HTTP09_ALLOWED, 0)
        // Signals are blocked on the loop's thread. A cancelled transfer must not wait for its resolver
        // thread.
        try set(CURLOPT_NOSIGNAL, 1)
        try set(CURLOPT_QUICK_EXIT, 1)
    }

    private func setTimes(_ options: TransferOptions, timeout: Duration) throws(TransferError) {
        try set(CURLOPT_CONNECTTIMEOUT_MS, options.connectTimeout.boundedMilliseconds)
        try set(CURLOPT_TIMEOUT_MS, timeout.boundedMilliseconds)
        try set(CURLOPT_LOW_SPEED_LIMIT, max(options.lowSpeedLimit, 0))
        try set(CURLOPT_LOW_SPEED_TIME, options.lowSpeedTime.boundedSeconds)
        try set(CURLOPT_DNS_CACHE_TIMEOUT, Limits.nameCacheSeconds)
        try set(CURLOPT_MAXAGE_CONN, Limits.idleConnectionSeconds)
    }

    private func setConnection(_ job: TransferJob, isFresh: Bool) throws(TransferError) {
        // libcurl holds megabytes of a paused stream of HTTP/2 beside others, without a bound.
        let version = job.options.mayPause ? CURL_HTTP_VERSION_1_1 : CURL_HTTP_VERSION_2TLS
        try set(CURLOPT_HTTP_VERSION, Int(version))
        try set(CURLOPT_BUFFERSIZE, Limits.receiveBufferByteCount)
        try set(CURLOPT_FRESH_CONNECT, isFresh ? 1 : 0)
        try set(CURLOPT_IPRESOLVE, job.session.options.ipVersion.curlValue)
        try set(CURLOPT_TCP_KEEPALIVE, 1)
        try set(CURLOPT_TCP_KEEPIDLE, Limits.keepAliveSeconds)
        try set(CURLOPT_TCP_KEEPINTVL, Limits.keepAliveSeconds)
    }

    private func setTrust(_ options: SessionOptions, _ configuration: ClientConfiguration)
        throws(TransferError)
    {
        try set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        try set(CURLOPT_SSL_VERIFYPEER, options.allowInvalidCertificate ? 0 : 1)
        try set(CURLOPT_SSL_VERIFYHOST, options.allowInvalidCertificate ? 0 : 2)
        if let file = configuration.certificateFile { try set(CURLOPT_CAINFO, file) }
    }

    /// An empty name makes curl ignore `http_proxy` and the like in the environment.
    private func setProxy(_ proxy: String?) throws(TransferError) {
        try set(CURLOPT_PROXY, proxy ?? "")
        try set(CURLOPT_NOPROXY, "")
        try set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    }

    private mutating func setRequest(_ attempt: Attempt, of job: TransferJob) throws(TransferError) {
        let fields = job.session.fields.request(to: attempt.url, job.options)
        try set(CURLOPT_URL, attempt.url.text)
        if job.options.method != .get { try set(CURLOPT_CUSTOMREQUEST, job.options.method.rawValue) }
        if let body = job.options.body { try set(body: body) }
        try set(CURLOPT_USERAGENT, job.session.options.userAgent)
        // Without the field any coding is acceptable (RFC 9110 §12.5.3).
        try set(headers: fields.lines + (job.options.decodes ? [] : ["Accept-Encoding: identity"]))
        if let cookies = fields.cookies { try set(CURLOPT_COOKIE, cookies) }
        if job.options.decodes { try set(CURLOPT_ACCEPT_ENCODING, "") }
    }
}

extension IPVersion {
    fileprivate var curlValue: Int {
        switch self {
        case .any: Int(CURL_IPRESOLVE_WHATEVER)
        case .v4: Int(CURL_IPRESOLVE_V4)
        case .v6: Int(CURL_IPRESOLVE_V6)
        }
    }
}

extension TransferOptions {
    /// A range of an encoded body could not be decoded, so it is requested without coding.
    var decodes: Bool { acceptCompressed && range == nil }

    /// Whether the body may be longer than what is buffered for a slow reader.
    var mayPause: Bool { !decodes && byteLimit > Limits.bufferedByteCount }
}
