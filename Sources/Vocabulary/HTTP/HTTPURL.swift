/// An absolute http or https URL without a fragment, normalised: scheme and host in lower case, no default
/// port, no dot segments, at least "/" as path, illegal bytes escaped.
package struct HTTPURL: Hashable, Sendable {
    package enum Scheme: String, Sendable {
        case http
        case https

        var defaultPort: UInt16 { self == .http ? 80 : 443 }
    }

    package let scheme: Scheme
    /// `user:password` as written, still escaped.
    package let userInfo: String?
    /// In lower case; an IPv6 address with its brackets.
    package let host: String
    package let port: UInt16
    /// Still escaped; begins with "/".
    package let path: String
    /// Still escaped, without "?".
    package let query: String?

    /// Reads an absolute URL.
    package init(_ text: some StringProtocol) throws(HTTPURLError) {
        let reference = try URLReference(reading: text)
        try self.init(reference.resolved(against: reference))
    }

    private init(_ reference: URLReference) throws(HTTPURLError) {
        guard let scheme = reference.scheme.flatMap(Scheme.init(rawValue:)) else {
            throw .notHTTP(scheme: reference.scheme)
        }
        guard let text = reference.authority else { throw .missingHost }
        let authority = try URLAuthority(reading: text)
        self.scheme = scheme
        userInfo = authority.userInfo
        host = authority.host
        port = authority.port ?? scheme.defaultPort
        path = reference.path.isEmpty ? "/" : reference.path
        query = reference.query
        guard absoluteString.utf8.count <= Limits.urlByteCount else { throw .tooLong }
    }

    /// Resolves a reference from this resource.
    ///
    /// With `inheritingQuery` a reference without a query gets this URL's: some origins put their session
    /// token there.
    package func resolving(_ text: some StringProtocol, inheritingQuery: Bool = false) throws(HTTPURLError)
        -> HTTPURL
    {
        var target = try URLReference(reading: text).resolved(against: URLReference(reading: absoluteString))
        if inheritingQuery && target.query == nil { target.query = query }
        return try HTTPURL(target)
    }
}
