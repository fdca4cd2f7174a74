/// Why a server could not be opened.
package enum HTTPServerError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The text is not an address to listen on, or not a network.
    case unreadableAddress(String, reason: String)
    /// Another process listens on the address.
    case addressInUse(ListenAddress)
    /// The system refuses the address, for the reason in `errno` (not local, no permission for the port).
    case cannotListen(ListenAddress, errno: Int32)
    /// The library could not start its threads.
    case cannotStart

    package var description: String {
        switch self {
        case .unreadableAddress(let text, let reason): "cannot read the address \"\(text)\": \(reason)"
        case .addressInUse(let address):
            "\(address.host) port \(address.port) is in use by another process; choose another port or stop that process"
        case .cannotListen(let address, let errno):
            "cannot listen on \(address.file ?? "\(address.host) port \(address.port)"): \(systemMessage(errno))"
        case .cannotStart: "cannot start the server's threads: out of memory, descriptors or threads"
        }
    }
}
