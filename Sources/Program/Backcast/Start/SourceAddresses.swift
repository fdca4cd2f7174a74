import HTTPClient
import HTTPServer

extension Settings {
    /// Whether a host without its port is this service's: an address, a name that no public name server has,
    /// or a name that is set.
    func isOwnHost(_ host: String) -> Bool {
        let name = host.lowercased()
        return IPAddress(name) != nil || Self.isLocalName(name) || adminHosts.contains { $0.matches(name) }
    }

    /// Names without a dot, as containers and machines of a network have, and those under the domains that
    /// are reserved for local use (RFC 6761, RFC 6762; `internal` by ICANN).
    private static func isLocalName(_ name: String) -> Bool {
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        guard let last = labels.last, !labels.contains("") else { return false }
        if labels.count > 1 { return ["localhost", "local", "internal"].contains(last) }
        return !AddressPolicy.looksNumeric(name)
    }

    /// The rule for addresses of sources; `ownPorts` are those on which this process listens.
    func addressPolicy(ownPorts: [UInt16]) -> AddressPolicy {
        AddressPolicy(allowList: sourcesAllow, ownPorts: Set(ownPorts.filter { $0 != 0 }))
    }

    /// The ports that are known before anything listens.
    var configuredPorts: [UInt16] { [listen.port] + (adminListen.map { [$0.port] } ?? []) }
}

extension AddressPolicy {
    /// Why a source's URL may not contain this host and port, as words that follow "the address"; nil when it
    /// may.
    ///
    /// A name is not resolved here: its addresses are checked at every connection.
    func refusal(host: String, port: UInt16) -> String? {
        let bare = HostPattern.canonical(host)
        if let address = IPAddress(bare == "localhost" ? "127.0.0.1" : bare) {
            let endpoint = Endpoint(host: host, address: address, port: port)
            return refusal(of: endpoint, fromPublic: false).map { "is \($0)" }
        }
        if Self.looksNumeric(bare) { return "is a number that is not written as an address" }
        if Self.metadataNames.contains(bare) { return "is \(AddressRefusal.metadata)" }
        guard let allowList, allowList.networks.isEmpty else { return nil }
        let isNamed = allowList.hosts.contains { $0.matches(host) }
        return isNamed ? nil : "is \(AddressRefusal.notAllowed)"
    }

    /// Whether a name is one that libraries read as an address, such as 2130706433 or 0x7f.1.
    static func looksNumeric(_ host: String) -> Bool {
        guard let last = host.split(separator: ".").last?.lowercased() else { return false }
        if last.utf8.allSatisfy({ (0x30...0x39).contains($0) }) { return true }
        return last.hasPrefix("0x") && last.dropFirst(2).allSatisfy(\.isHexDigit)
    }

    /// Behind a proxy no address is known, so the names of such services are refused too.
    private static let metadataNames: Set<String> = [
        "metadata.google.internal", "metadata.goog", "metadata", "instance-data",
        "instance-data.ec2.internal",
    ]
}
