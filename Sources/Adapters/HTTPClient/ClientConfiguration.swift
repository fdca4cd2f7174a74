package import Logging

/// The settings of all sessions of a client.
package struct ClientConfiguration: Sendable {
    /// The proxy of every transfer, in the form of curl (`http://host:port`).
    ///
    /// Nil: no proxy, also when the environment names one. With a proxy only addresses that are written in
    /// the URL can be checked.
    package var proxy: String?
    /// A file of trusted certificates in PEM instead of the system's.
    package var certificateFile: String?
    /// Names that are not resolved: `host:port:address`, in the form of curl.
    package var pinnedNames: [String]
    /// A socket in the file system that every transfer goes to, whatever its URL says; at most 107 bytes.
    package var socketFile: String?
    package var runningTransfers: Int
    package var publicHosts: PublicHosts
    package var logger: Logger

    package init(
        proxy: String? = nil, certificateFile: String? = nil, pinnedNames: [String] = [],
        runningTransfers: Int = Limits.runningTransfers, publicHosts: PublicHosts = PublicHosts(),
        logger: Logger,
    ) {
        self.proxy = proxy
        self.certificateFile = certificateFile
        self.pinnedNames = pinnedNames
        self.runningTransfers = min(max(runningTransfers, 1), Limits.runningTransfers)
        self.publicHosts = publicHosts
        self.logger = logger
    }
}

/// Why a client or a session could not be created.
package enum HTTPClientError: Error, Hashable, Sendable, CustomStringConvertible {
    /// libcurl or the system provided no handle or no thread: memory or a limit of the process.
    case unavailable(String)
    /// The URL of a session's source cannot be used.
    case badSource(String)
    /// A header field that a request cannot carry: not a token, or a control character in the value.
    case badHeader(name: String)
    /// The header fields together exceed the limit, in bytes.
    case headersTooLarge(limit: Int)

    package var description: String {
        switch self {
        case .unavailable(let what): "the HTTP client cannot start: no \(what)"
        case .badSource(let reason): "the source's URL cannot be used: \(reason)"
        case .badHeader(let name): "the header field \(name.debugDescription) cannot be sent"
        case .headersTooLarge(let limit): "the header fields are larger than \(limit) bytes"
        }
    }
}
