/// The texts of a URL, with and without its secrets.
extension HTTPURL: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Everything, secrets included: for requests and storage, never for logs.
    package var absoluteString: String {
        let user = userInfo.map { $0 + "@" } ?? ""
        return "\(scheme.rawValue)://\(user)\(hostAndPort)\(path)\(query.map { "?" + $0 } ?? "")"
    }

    /// Scheme, host and port (RFC 6454), with which credentials may be shared.
    ///
    /// A default port is left out.
    package var origin: String { "\(scheme.rawValue)://\(hostAndPort)" }

    /// Origin and path, which stay the same when tokens in the query change.
    var withoutQuery: String { origin + path }

    /// For logs and messages: without user information, and "?…" for a query.
    package var description: String { withoutQuery + (query == nil ? "" : "?…") }

    package var debugDescription: String { description }

    package var customMirror: Mirror { Mirror(self, children: ["url": description]) }

    private var hostAndPort: String {
        port == scheme.defaultPort ? host : "\(host):\(port)"
    }
}
