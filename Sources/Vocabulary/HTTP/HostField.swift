/// The value of a Host field (RFC 9110 §7.2).
package enum HostField {
    /// The host in lower case without its port, and an IPv6 address without its brackets; nil for what is no
    /// host.
    package static func host(of field: String) -> String? {
        var name = field[...]
        var port: Substring?
        if field.hasPrefix("[") {
            guard let end = field.firstIndex(of: "]"), field[..<end].contains(":") else { return nil }
            name = field[field.index(after: field.startIndex)..<end]
            port = field[field.index(after: end)...]
        } else if let colon = field.firstIndex(of: ":") {
            (name, port) = (field[..<colon], field[colon...])
        }
        guard port.map({ $0.isEmpty || isPort($0) }) ?? true else { return nil }
        return name.lowercased()
    }

    /// Whether a text is a colon with a port, or with none (RFC 3986 §3.2.3).
    private static func isPort(_ text: Substring) -> Bool {
        guard text.first == ":" else { return false }
        let digits = text.dropFirst()
        return digits.isEmpty || digits.utf8.allSatisfy(\.isDigit) && UInt16(digits) != nil
    }
}
