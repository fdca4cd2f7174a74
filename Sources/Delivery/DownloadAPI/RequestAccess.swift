import HTTP

/// Keeps pages of other sites from using the server through the browser of the person who runs it.
struct RequestAccess: Sendable {
    /// The address on which the server listens, without port and brackets.
    let host: String

    /// Refuses a request whose Host is not this server (RFC 9110 §15.5.20).
    ///
    /// A page can give its own name the address of this machine (DNS rebinding), but cannot send another
    /// Host.
    func checkHost(_ request: HTTPRequest) throws(Problem) {
        if let field = request.headers["Host"], let name = HostField.host(of: field), isOwn(name) { return }
        throw Problem(.misdirectedRequest, "this server has no such host; use its address or localhost")
    }

    /// Refuses a request that a page of another site makes.
    func checkOrigin(_ request: HTTPRequest) throws(Problem) {
        let origins = request.headers.values(of: "Origin")
        guard !origins.isEmpty else { return }
        let own = request.headers["Host"].map { "http://\($0)".lowercased() }
        if origins.count == 1, origins[0].lowercased() == own { return }
        throw Problem(.forbidden, "pages of other sites may not use this server")
    }

    /// Refuses a request that changes something without the field that forms and images cannot send.
    func checkCustomHeader(_ request: HTTPRequest) throws(Problem) {
        guard request.headers.values(of: "X-Backcast") != ["1"] else { return }
        throw Problem(.forbidden, "a request that changes something needs the header field X-Backcast: 1")
    }

    private func isOwn(_ name: String) -> Bool {
        name == host || name == "localhost" || name == "::1" || Self.isLoopback(name)
    }

    /// Whether a name is an address of 127.0.0.0/8, in its usual form.
    private static func isLoopback(_ name: String) -> Bool {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 4, parts[0] == "127" else { return false }
        return parts.allSatisfy { part in
            (1...3).contains(part.utf8.count) && part.utf8.allSatisfy { (0x30...0x39).contains($0) }
                && UInt8(part) != nil
        }
    }
}
