/// The class of an address, by which the policy decides whether to fetch from it.
package enum AddressKind: Hashable, Sendable {
    /// Reachable from everywhere.
    case `public`
    /// Reachable within one network only, or reserved.
    case `private`
    /// This machine.
    case loopback
    case linkLocal
    /// A cloud provider's service that gives credentials to any client inside.
    case metadata
    /// Many machines or none: nothing can be fetched from it.
    case multicast
}

extension IPAddress {
    /// The class of the address after normalisation (see `normalised`).
    package var kind: AddressKind {
        let address = normalised
        return Self.specialNetworks.first { $0.network.contains(address) }?.kind ?? .public
    }

    /// Special ranges, single addresses before the range that contains them: the IANA special-purpose
    /// registries (RFC 6890) and the documented metadata addresses of the cloud providers.
    private static let specialNetworks: [(network: IPNetwork, kind: AddressKind)] =
        networks(.metadata, metadataAddresses)
        + networks(.linkLocal, ["169.254.0.0/16", "fe80::/10"])
        + networks(.multicast, ["224.0.0.0/4", "255.255.255.255", "ff00::/8"])
        + networks(.loopback, ["127.0.0.0/8", "0.0.0.0/8", "::1", "::"])
        + networks(.private, privateNetworks)

    /// Amazon, Google and most others; Amazon ECS and EKS; Alibaba; Oracle; Azure.
    private static let metadataAddresses = [
        "169.254.169.254", "fd00:ec2::254", "fd20:ce::254", "169.254.170.2", "169.254.170.23", "fd00:ec2::23",
        "100.100.100.200", "192.0.0.192", "168.63.129.16",
    ]

    private static let privateNetworks = [
        "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "192.0.0.0/24", "198.18.0.0/15",
        "192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "240.0.0.0/4", "fc00::/7", "fec0::/10", "::/8",
        "64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32",
    ]

    private static func networks(_ kind: AddressKind, _ texts: [String]) -> [(
        network: IPNetwork, kind: AddressKind
    )] {
        texts.compactMap { text in IPNetwork(text).map { ($0, kind) } }
    }
}
