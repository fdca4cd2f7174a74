package import HTTP

/// What one source wants of every transfer: playlist, segment, init section and key alike.
package struct SessionOptions: Sendable {
    /// The source's own host.
    ///
    /// It gets the headers, and decides whether the source is a public one.
    package var host: String
    /// Header fields for the source's own host and for `headerHosts`, never for others.
    ///
    /// Fields that frame the message (`Accept-Encoding`, `Range`, `Connection` …) are left out: they belong
    /// to the transfer.
    package var headers: HTTPHeaders
    package var headerHosts: [HostPattern]
    /// Transfers of this session at once; the others take turns.
    ///
    /// Nil: the client's limit only.
    package var maxConnections: Int?
    package var allowInvalidCertificate: Bool
    package var ipVersion: IPVersion
    package var userAgent: String
    package var addressPolicy: AddressPolicy

    package init(
        host: String, headers: HTTPHeaders = HTTPHeaders(), headerHosts: [HostPattern] = [],
        maxConnections: Int? = nil, allowInvalidCertificate: Bool = false, ipVersion: IPVersion = .any,
        userAgent: String = "Backcast", addressPolicy: AddressPolicy = AddressPolicy(),
    ) {
        self.host = host
        self.headers = headers
        self.headerHosts = headerHosts
        self.maxConnections = maxConnections
        self.allowInvalidCertificate = allowInvalidCertificate
        self.ipVersion = ipVersion
        self.userAgent = userAgent
        self.addressPolicy = addressPolicy
    }
}

/// Which addresses a name may resolve to.
package enum IPVersion: Sendable, Hashable {
    case any
    case v4
    case v6
}
