/// The state that the transfers of one session share.
final class SessionContext: Sendable {
    let id: SessionID
    let options: SessionOptions
    let fields: SessionFields
    let jar: CookieJar
    private let host: String
    private let publicHosts: PublicHosts

    init(id: SessionID, _ options: SessionOptions, _ publicHosts: PublicHosts) throws(HTTPClientError) {
        self.id = id
        self.options = options
        self.publicHosts = publicHosts
        let source: RequestURL
        do throws(TransferError) {
            source = try RequestURL.reading(options.source)
        } catch {
            throw .badSource("\(error)")
        }
        fields = try SessionFields(options, source: source)
        jar = try CookieJar.open()
        host = source.host
    }

    /// Why a connection must not be used; nil when it may be.
    func refusal(of endpoint: Endpoint) -> AddressRefusal? {
        let policy = options.addressPolicy
        let isPublic = publicHosts.contains(host)
        if let refusal = policy.refusal(of: endpoint, fromPublic: isPublic) { return refusal }
        if HostPattern.canonical(endpoint.host) == host, policy.isPublic(endpoint.address) {
            publicHosts.insert(host)
        }
        return nil
    }

    /// Whether the address has the family that the session requires.
    func wants(_ address: IPAddress) -> Bool {
        switch (options.ipVersion, address) {
        case (.any, _), (.v4, .v4), (.v6, .v6): true
        default: false
        }
    }
}
