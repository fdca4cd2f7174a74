import Synchronization

/// The state that the transfers of one session share.
final class SessionContext: Sendable {
    let id: SessionID
    let options: SessionOptions
    let fields: SessionFields
    let jar: CookieJar
    private let host: String
    /// Whether the source's own host has been seen at a public address.
    ///
    /// This never reverts, so that a name that later resolves to a private address is refused.
    private let isPublic = Mutex(false)

    init(id: SessionID, _ options: SessionOptions) throws(HTTPClientError) {
        self.id = id
        self.options = options
        fields = try SessionFields(options)
        jar = try CookieJar.open()
        host = HostPattern.canonical(options.host)
    }

    /// Why a connection must not be used; nil when it may be.
    func refusal(of endpoint: Endpoint) -> AddressRefusal? {
        isPublic.withLock { isPublic in
            let policy = options.addressPolicy
            if let refusal = policy.refusal(of: endpoint, fromPublic: isPublic) { return refusal }
            if HostPattern.canonical(endpoint.host) == host, policy.isPublic(endpoint.address) {
                isPublic = true
            }
            return nil
        }
    }

    /// Whether the address has the family that the session requires.
    func wants(_ address: IPAddress) -> Bool {
        switch (options.ipVersion, address) {
        case (.any, _), (.v4, .v4), (.v6, .v6): true
        default: false
        }
    }
}
