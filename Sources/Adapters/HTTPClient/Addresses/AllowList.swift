/// The hosts and networks that sources may use, when an operator lists them.
package struct AllowList: Hashable, Sendable {
    package var hosts: [HostPattern]
    package var networks: [IPNetwork]

    package init(hosts: [HostPattern] = [], networks: [IPNetwork] = []) {
        self.hosts = hosts
        self.networks = networks
    }

    /// Reads entries separated by commas or spaces: `host`, `*.suffix`, an address, `address/length`.
    package static func reading(_ text: String) throws(AllowListError) -> AllowList {
        let entries = text.split { $0 == "," || $0.isWhitespace }
        guard entries.count <= Limits.allowListEntries else {
            throw .tooManyEntries(limit: Limits.allowListEntries)
        }
        var list = AllowList()
        for entry in entries {
            try list.add(String(entry))
        }
        return list
    }

    private mutating func add(_ entry: String) throws(AllowListError) {
        if let network = IPNetwork(HostPattern.canonical(entry)) {
            networks.append(network)
        } else if HostName.isValid(entry.hasPrefix("*.") ? entry.dropFirst(2) : entry[...]),
            let host = HostPattern(entry)
        {
            hosts.append(host)
        } else {
            throw .badEntry(entry)
        }
    }
}

/// Why the text of an allow list is invalid.
package enum AllowListError: Error, Hashable, Sendable, CustomStringConvertible {
    case badEntry(String)
    case tooManyEntries(limit: Int)

    package var description: String {
        switch self {
        case .badEntry(let entry):
            "\(entry.debugDescription) is neither a host name, nor *.suffix, nor an address or network"
        case .tooManyEntries(let limit): "more than \(limit) entries"
        }
    }
}
