/// One server of a connection string; a part that is nil is left as the string has it.
struct DatabaseServer: Hashable {
    /// A name, an address, or the folder of a socket.
    var host: String?
    /// The address of the host, if it is known already.
    var address: String?
    var port: String?

    /// The default port of libpq, for an empty entry in a list of ports.
    private static let usualPort = "5432"

    /// The servers in the options of a connection string; a single one without parts if libpq has to decide.
    static func all(in options: [String: String]) -> [DatabaseServer] {
        let (hosts, addresses, ports) = (
            list(options["host"]), list(options["hostaddr"]), list(options["port"])
        )
        let count = max(hosts.count, addresses.count)
        guard count > 0, [0, count].contains(hosts.count), [0, count].contains(addresses.count),
            [0, 1, count].contains(ports.count), !(hosts + addresses).contains("")
        else { return [DatabaseServer()] }
        return (0..<count).map { index in
            let port = ports.count == count ? ports[index] : nil
            return DatabaseServer(
                host: hosts.isEmpty ? nil : hosts[index],
                address: addresses.isEmpty ? nil : addresses[index],
                port: port.map { $0.isEmpty ? usualPort : $0 })
        }
    }

    private static func list(_ text: String?) -> [String] {
        guard let text, !text.isEmpty else { return [] }
        return text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }

    /// The parameters that replace the lists in the connection string.
    var parameters: [(keyword: String, value: String)] {
        [("host", host), ("hostaddr", address), ("port", port)].compactMap { keyword, value in
            value.map { (keyword, $0) }
        }
    }

    /// The name whose addresses have to be looked up; nil if the address is known, or is a socket.
    var nameToLookUp: String? {
        guard address == nil, let host, !host.hasPrefix("/"), !host.hasPrefix("@") else { return nil }
        return host
    }

    /// The server once for each address of its name.
    func at(_ addresses: [String], inRandomOrder isRandom: Bool) -> [DatabaseServer] {
        (isRandom ? addresses.shuffled() : addresses).map {
            DatabaseServer(host: host, address: $0, port: port)
        }
    }
}

extension DatabaseServer: CustomStringConvertible {
    var description: String {
        guard let host else { return address ?? "the server" }
        return address.map { "\(host) (\($0))" } ?? host
    }
}
