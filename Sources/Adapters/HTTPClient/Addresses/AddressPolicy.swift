/// The addresses that a source may use, checked for the resolved address of every connection, new or reused.
package struct AddressPolicy: Sendable {
    /// Only these, when set.
    ///
    /// A listed network is allowed whatever its class. The address of a listed host is still checked, because
    /// its owner can change it.
    package var allowList: AllowList?
    /// Ports on which this service listens: a source there would record itself.
    package var ownPorts: Set<UInt16>
    private let kind: @Sendable (IPAddress) -> AddressKind

    /// Creates a policy; tests may pass another classification of addresses.
    package init(
        allowList: AllowList? = nil, ownPorts: Set<UInt16> = [],
        kind: @escaping @Sendable (IPAddress) -> AddressKind = { $0.kind },
    ) {
        self.allowList = allowList
        self.ownPorts = ownPorts
        self.kind = kind
    }

    /// Why the endpoint is refused; nil when it is allowed.
    ///
    /// `fromPublic`: the source itself has been seen at a public address.
    package func refusal(of endpoint: Endpoint, fromPublic: Bool) -> AddressRefusal? {
        if isOwn(endpoint) { return .ownPort }
        if let allowList {
            let address = endpoint.address.normalised
            if allowList.networks.contains(where: { $0.contains(address) || $0.contains(endpoint.address) }) {
                return nil
            }
            guard allowList.hosts.contains(where: { $0.matches(endpoint.host) }) else { return .notAllowed }
        }
        return refusal(of: kind(endpoint.address), fromPublic: fromPublic)
    }

    /// Whether a name may be used whose address is not known here.
    package func allows(name: String) -> Bool {
        allowList.map { list in list.hosts.contains { $0.matches(name) } } ?? true
    }

    func isPublic(_ address: IPAddress) -> Bool { kind(address) == .public }

    private func refusal(of kind: AddressKind, fromPublic: Bool) -> AddressRefusal? {
        switch kind {
        case .public: nil
        case .linkLocal: .linkLocal
        case .metadata: .metadata
        case .multicast: .multicast
        case .private, .loopback: fromPublic ? .privateFromPublic : nil
        }
    }

    private func isOwn(_ endpoint: Endpoint) -> Bool {
        guard ownPorts.contains(endpoint.port) else { return false }
        return endpoint.isThisMachine || endpoint.address.kind == .loopback
    }
}

/// The target of a connection.
package struct Endpoint: Sendable {
    /// The host as the URL names it.
    package var host: String
    package var address: IPAddress
    package var port: UInt16
    /// Whether both ends of the connection have the same address; false also while that is unknown.
    package var isThisMachine: Bool

    package init(host: String, address: IPAddress, port: UInt16, isThisMachine: Bool = false) {
        self.host = host
        self.address = address
        self.port = port
        self.isThisMachine = isThisMachine
    }
}

/// Why an address is refused.
package enum AddressRefusal: Hashable, Sendable, CustomStringConvertible {
    case notAllowed
    case linkLocal
    case metadata
    case multicast
    case ownPort
    case privateFromPublic

    package var description: String {
        switch self {
        case .notAllowed: "not among the hosts and networks that sources may point to"
        case .linkLocal: "a link-local address"
        case .metadata: "a cloud metadata address"
        case .multicast: "not the address of one machine"
        case .ownPort: "this service itself"
        case .privateFromPublic: "a private address that a public source may not lead to"
        }
    }
}
