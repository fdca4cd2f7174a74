/// The address of a server: a numeric address and a port, of which the kernel chooses 0, or a file.
package struct ListenAddress: Sendable, Equatable, CustomStringConvertible {
    /// A numeric IPv4 or IPv6 address, without brackets.
    package var host: String
    package var port: UInt16
    /// A socket in the file system, which only its owner can use; nil for an address of the network.
    package var file: String?

    package init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }

    /// A socket in the file system; a file that has its name is replaced.
    package init(file: String) {
        self.init(host: "127.0.0.1", port: 0)
        self.file = file
    }

    /// Reads `127.0.0.1:8080`, `[::1]:8080`, `localhost:8080`, `:8080` or `*:8080` (every IPv4 address).
    ///
    /// `[::]:8080` listens on every address of both families. Names other than `localhost` are not resolved.
    package static func reading(_ text: String) throws(HTTPServerError) -> ListenAddress {
        guard let colon = text.lastIndex(of: ":") else { throw fault(text, "it has no port") }
        let digits = text[text.index(after: colon)...]
        guard !digits.isEmpty, digits.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }), let port = UInt16(digits)
        else { throw fault(text, "the port is not a number from 0 to 65535") }
        return ListenAddress(host: try host(String(text[..<colon]), of: text), port: port)
    }

    package var description: String {
        if let file { return file }
        return host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }

    private static func host(_ text: String, of whole: String) throws(HTTPServerError) -> String {
        if text.isEmpty || text == "*" { return "0.0.0.0" }
        if text == "localhost" { return "127.0.0.1" }
        let isBracketed = text.hasPrefix("[") && text.hasSuffix("]")
        let bare = isBracketed ? String(text.dropFirst().dropLast()) : text
        guard let address = PeerAddress.reading(bare), address.isIPv4 != isBracketed else {
            throw fault(whole, "the host must be a numeric address, an IPv6 one in brackets")
        }
        return bare
    }

    private static func fault(_ text: String, _ reason: String) -> HTTPServerError {
        .unreadableAddress(text, reason: reason)
    }
}
