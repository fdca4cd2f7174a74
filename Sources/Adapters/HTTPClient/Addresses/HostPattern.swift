/// A host name, or `*.suffix` for every name below it.
///
/// Compares without case and without a final dot.
package struct HostPattern: Hashable, Sendable {
    private let name: String
    private let matchesBelow: Bool

    /// Reads a pattern; nil when it is empty or has a star anywhere but as the first label.
    package init?(_ text: String) {
        matchesBelow = text.hasPrefix("*.")
        name = Self.canonical(matchesBelow ? String(text.dropFirst(2)) : text)
        let isForeign = { (byte: UInt8) in byte <= 0x20 || byte == 0x7F || byte == UInt8(ascii: "*") }
        guard !name.isEmpty, !name.utf8.contains(where: isForeign), !name.utf8.contains(UInt8(ascii: "/"))
        else {
            return nil
        }
    }

    package func matches(_ host: String) -> Bool {
        let host = Self.canonical(host)
        return matchesBelow ? host.hasSuffix("." + name) : host == name
    }

    /// The form in which names are compared: lower case, no final dot, no brackets around an IPv6 address.
    package static func canonical(_ host: String) -> String {
        var text = Substring(host.lowercased())
        if text.hasSuffix(".") { text.removeLast() }
        if text.hasPrefix("["), text.hasSuffix("]") { text = text.dropFirst().dropLast() }
        return String(text)
    }
}
