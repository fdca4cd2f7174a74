import HTTP

/// The proxies in front of the server: they may open any number of connections, and are believed about whose
/// requests they forward.
///
/// Each of those clients has a limit of its own.
struct TrustedProxies: Sendable {
    let networks: [AddressNetwork]

    func contains(_ address: PeerAddress) -> Bool {
        networks.contains { $0.contains(address) }
    }

    /// The client's address: the last address in X-Forwarded-For that is not a trusted proxy.
    ///
    /// Each proxy appends the address that it saw, so addresses before an untrusted or unreadable one are
    /// ignored.
    func client(of headers: HTTPHeaders, behind peer: PeerAddress) -> PeerAddress {
        guard contains(peer) else { return peer }
        var client = peer
        let chain = headers.values(of: "X-Forwarded-For").flatMap { $0.split(separator: ",") }
        for text in chain.reversed().prefix(Limits.forwardedAddresses) {
            guard let address = Self.reading(text) else { return client }
            client = address
            if !contains(address) { return client }
        }
        return client
    }

    /// An address, with or without the port that some proxies add.
    private static func reading(_ text: Substring) -> PeerAddress? {
        let text = String(text.filter { $0 != " " && $0 != "\t" })
        if let address = PeerAddress.reading(text) { return address }
        if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
            return PeerAddress.reading(String(text[text.index(after: text.startIndex)..<end]))
        }
        return text.firstIndex(of: ":").flatMap { PeerAddress.reading(String(text[..<$0])) }
    }
}
