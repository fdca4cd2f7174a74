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

    /// Without user information, and "?…" for a query: what stays the same when tokens in the query change.
    ///
    /// The path is whole, and may have a user and a password: not for logs.
    package var identity: String { origin + path + queryMark }

    /// For logs and messages: also without what looks like a secret in the path.
    package var description: String { origin + shownPath + queryMark }

    package var debugDescription: String { description }

    package var customMirror: Mirror { Mirror(self, children: ["url": description]) }

    private var queryMark: String { query == nil ? "" : "?…" }

    /// The path with "…" for parts that may be secrets: user and password of IPTV servers
    /// (`/live/USER/PASSWORD/7.m3u8`, `/USER/PASSWORD/7`), and long ones, such as tokens.
    private var shownPath: String {
        var parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count > 2, let last = parts.last else { return path }
        let number = last.prefix { $0 != "." }
        if parts.count >= 4, !number.isEmpty, number.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            let first = parts.count == 4 ? 1 : 2
            parts.replaceSubrange(first..<first + 2, with: ["…", "…"])
        }
        for index in parts.indices.dropLast() where parts[index].utf8.count >= Self.secretLength {
            parts[index] = "…"
        }
        return parts.joined(separator: "/")
    }

    /// The least length of a part of a path that may be a token.
    private static let secretLength = 24

    private var hostAndPort: String {
        port == scheme.defaultPort ? host : "\(host):\(port)"
    }
}
