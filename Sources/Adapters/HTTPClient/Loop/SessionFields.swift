import HTTP

/// Chooses the header fields of a request by its URL.
struct SessionFields: Sendable {
    private let fields: [HTTPHeaders.Field]
    private let source: RequestURL
    private let otherHosts: [HeaderHost]

    /// The header of one request: lines in the form of curl, and cookies in addition to those of the jar.
    struct Request: Equatable {
        var lines: [String]
        var cookies: String?
    }

    init(_ options: SessionOptions, source: RequestURL) throws(HTTPClientError) {
        for field in options.headers.fields where !field.canBeSent {
            throw .badHeader(name: field.name)
        }
        guard HTTPHeaders.Field.isContent(options.userAgent) else {
            throw .badHeader(name: "User-Agent")
        }
        let byteCount = options.headers.fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
        guard byteCount <= Limits.requestHeadByteCount else {
            throw .headersTooLarge(limit: Limits.requestHeadByteCount)
        }
        fields = options.headers.fields.filter { !Self.framing.contains($0.name.lowercased()) }
        self.source = source
        otherHosts = options.headerHosts
    }

    /// Fields without credentials: a known host gets them at any port and scheme.
    private static let open: Set<String> = ["user-agent", "referer", "origin", "accept", "accept-language"]

    /// Fields that the transfer sets itself, and fields of a single connection (RFC 9110 §7.6.1).
    private static let framing: Set<String> = [
        "accept-encoding", "connection", "content-length", "keep-alive", "proxy-authorization",
        "proxy-connection",
        "range", "te", "trailer", "transfer-encoding", "upgrade",
    ]

    /// The fields of a request; the session's are included as far as the URL may have them.
    func request(to url: RequestURL, _ options: TransferOptions) -> Request {
        let own = allowed(for: url)
        let replaced = own.filter { options.headers[$0.name] == nil }
        let cookies = replaced.filter(\.isCookie).map(\.value)
        var lines = (replaced.filter { !$0.isCookie } + options.headers.fields).map(\.line)
        if let range = options.range, !range.isEmpty {
            lines.append("Range: bytes=\(range.lowerBound)-\(range.upperBound - 1)")
        }
        return Request(lines: lines, cookies: cookies.isEmpty ? nil : cookies.joined(separator: "; "))
    }

    private func allowed(for url: RequestURL) -> [HTTPHeaders.Field] {
        let isKnownHost = url.host == source.host || otherHosts.contains { $0.isHost(of: url) }
        guard isKnownHost else { return [] }
        let isListed = otherHosts.contains { $0.matches(url) }
        let isDowngrade = source.isSecure && !url.isSecure
        if !isDowngrade, isListed || url.origin == source.origin || isUpgrade(url) { return fields }
        return fields.filter { Self.open.contains($0.name.lowercased()) }
    }

    /// The same host at the usual port for https instead of the one for http.
    private func isUpgrade(_ url: RequestURL) -> Bool {
        !source.isSecure && url.isSecure && source.port == 80 && url.port == 443
    }
}

extension HTTPHeaders.Field {
    fileprivate var isCookie: Bool { name.lowercased() == "cookie" }

    /// The line in the form of curl, where a semicolon stands for an empty value.
    fileprivate var line: String { value.isEmpty ? "\(name);" : "\(name): \(value)" }
}
