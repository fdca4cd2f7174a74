package import Logging

/// What holds for every session of a client.
package struct ClientConfiguration: Sendable {
    /// The proxy of every transfer, as curl writes it (`http://host:port`).
    ///
    /// Nil: no proxy, whatever the environment says. Through a proxy only addresses that stand in the URL can
    /// be judged.
    package var proxy: String?
    /// A file of trusted certificates in PEM instead of the system's.
    package var certificateFile: String?
    /// Names that are not asked for: `host:port:address`, as curl writes it.
    package var pinnedNames: [String]
    package var runningTransfers: Int
    package var logger: Logger

    package init(
        proxy: String? = nil, certificateFile: String? = nil, pinnedNames: [String] = [],
        runningTransfers: Int = Limits.runningTransfers, logger: Logger,
    ) {
        self.proxy = proxy
        self.certificateFile = certificateFile
        self.pinnedNames = pinnedNames
        self.runningTransfers = min(max(runningTransfers, 1), Limits.runningTransfers)
        self.logger = logger
    }
}

/// Why a client or a session could not be made.
package enum HTTPClientError: Error, Hashable, Sendable, CustomStringConvertible {
    /// libcurl or the system gave no handle or no thread: memory or a limit of the process.
    case unavailable(String)
    /// A header field that no request may carry: not a token, or a control character in the value.
    case badHeader(name: String)
    /// The header fields together pass the limit, in bytes.
    case headersTooLarge(limit: Int)

    package var description: String {
        switch self {
        case .unavailable(let what): "the HTTP client cannot start: no \(what)"
        case .badHeader(let name): "the header field \(name.debugDescription) cannot be sent"
        case .headersTooLarge(let limit): "the header fields are larger than \(limit) bytes"
        }
    }
}
