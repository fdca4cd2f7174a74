import HTTPClient
import HTTPServer

extension Settings {
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
        let bare = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        if let address = IPAddress(bare == "localhost" ? "127.0.0.1" : bare) {
            let endpoint = Endpoint(host: host, address: address, port: port)
            return refusal(of: endpoint, fromPublic: false).map { "is \($0)" }
        }
        guard let allowList, allowList.networks.isEmpty else { return nil }
        let isNamed = allowList.hosts.contains { $0.matches(host) }
        return isNamed ? nil : "is \(AddressRefusal.notAllowed)"
    }
}
