package import HTTP

/// Options of all transfers of one source: playlists, segments, initialization sections and keys.
package struct SessionOptions: Sendable {
    /// The source's URL.
    ///
    /// Its origin receives the headers, and the address of its host decides whether the source is public.
    package var source: String
    /// Header fields for the source's own origin and for `headerHosts`, never for others.
    ///
    /// The source's host at another port or scheme, and a listed host at another port, get only the fields
    /// without credentials. Credentials of an https source are never sent over http.
    ///
    /// Fields that frame the message (`Accept-Encoding`, `Range`, `Connection` …) are left out, because the
    /// transfer sets them.
    package var headers: HTTPHeaders
    package var headerHosts: [HeaderHost]
    /// Concurrent transfers of all sessions with this source; others wait.
    ///
    /// Nil: only the client's limit.
    package var maxConnections: Int?
    package var allowInvalidCertificate: Bool
    package var ipVersion: IPVersion
    package var userAgent: String
    package var addressPolicy: AddressPolicy

    package init(
        source: String, headers: HTTPHeaders = HTTPHeaders(), headerHosts: [HeaderHost] = [],
        maxConnections: Int? = nil, allowInvalidCertificate: Bool = false, ipVersion: IPVersion = .any,
        userAgent: String = "Backcast", addressPolicy: AddressPolicy = AddressPolicy(),
    ) {
        self.source = source
        self.headers = headers
        self.headerHosts = headerHosts
        self.maxConnections = maxConnections
        self.allowInvalidCertificate = allowInvalidCertificate
        self.ipVersion = ipVersion
        self.userAgent = userAgent
        self.addressPolicy = addressPolicy
    }
}

/// The address family to use for a name.
package enum IPVersion: Sendable, Hashable {
    case any
    case v4
    case v6
}
