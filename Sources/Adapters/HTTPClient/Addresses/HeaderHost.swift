/// A host and port that may receive a source's secret headers.
///
/// Without a port it is the default port of the URL's scheme.
package struct HeaderHost: Hashable, Sendable {
    private let host: HostPattern
    private let port: UInt16?

    /// Reads `host` or `host:port`, an IPv6 address in brackets; nil when it is neither.
    package init?(_ text: String) {
        var (name, port) = (Substring(text), UInt16?.none)
        let isBareIPv6 = !text.hasPrefix("[") && text.utf8.count { $0 == UInt8(ascii: ":") } > 1
        if !isBareIPv6, !text.hasSuffix("]"), let colon = text.lastIndex(of: ":") {
            let digits = text[text.index(after: colon)...]
            guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = UInt16(digits),
                number > 0
            else { return nil }
            (name, port) = (text[..<colon], number)
        }
        guard let host = HostPattern(String(name)) else { return nil }
        (self.host, self.port) = (host, port)
    }

    /// Whether it is the host of a URL, whatever the port.
    func isHost(of url: RequestURL) -> Bool { host.matches(url.host) }

    func matches(_ url: RequestURL) -> Bool {
        isHost(of: url) && url.port == port ?? (url.isSecure ? 443 : 80)
    }
}
