/// A network of addresses, such as the proxies whose connections are not limited.
package struct AddressNetwork: Sendable, Hashable {
    private let address: PeerAddress
    /// Significant bits, of 128.
    private let prefix: Int

    /// Reads `10.0.0.0/8`, `fd00::/8` or a single address.
    package static func reading(_ text: String) throws(HTTPServerError) -> AddressNetwork {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, let address = PeerAddress.reading(String(first)) else {
            throw .unreadableAddress(text, reason: "it is not a numeric address")
        }
        let width = address.isIPv4 ? 32 : 128
        guard parts.count == 2 else { return AddressNetwork(address: address, prefix: 128) }
        guard let length = Int(parts[1]), (0...width).contains(length) else {
            throw .unreadableAddress(text, reason: "the prefix length is not a number from 0 to \(width)")
        }
        return AddressNetwork(address: address, prefix: 128 - width + length)
    }

    package func contains(_ other: PeerAddress) -> Bool {
        let high = Self.mask(prefix)
        let low = Self.mask(prefix - 64)
        return address.high & high == other.high & high && address.low & low == other.low & low
    }

    /// The first `bits` of 64.
    private static func mask(_ bits: Int) -> UInt64 {
        bits <= 0 ? 0 : bits >= 64 ? .max : ~(UInt64.max >> UInt64(bits))
    }
}
