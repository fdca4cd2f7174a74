/// A range of addresses with a common prefix (RFC 4632).
package struct IPNetwork: Hashable, Sendable {
    private let base: IPAddress
    private let prefixLength: Int

    init(_ base: IPAddress, _ prefixLength: Int) {
        self.base = base
        self.prefixLength = prefixLength
    }

    /// Reads `address/length`, or a single address, which is a network of one.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, let address = IPAddress(String(first)) else { return nil }
        let width = address.bitWidth
        let length = parts.count == 1 ? width : Int(parts[1])
        guard let length, (0...width).contains(length) else { return nil }
        self.init(address, length)
    }

    /// Whether the address is in the range; families never match each other, so normalise it first.
    package func contains(_ address: IPAddress) -> Bool {
        switch (base, address) {
        case (.v4(let base), .v4(let address)):
            return Self.agree(UInt64(base) << 32, UInt64(address) << 32, prefixLength)
        case (.v6(let baseHigh, let baseLow), .v6(let high, let low)):
            return Self.agree(baseHigh, high, min(prefixLength, 64))
                && Self.agree(baseLow, low, max(prefixLength - 64, 0))
        default:
            return false
        }
    }

    /// Whether the first `count` bits are the same.
    private static func agree(_ a: UInt64, _ b: UInt64, _ count: Int) -> Bool {
        count == 0 || (a ^ b) >> (64 - count) == 0
    }
}

extension IPAddress {
    fileprivate var bitWidth: Int {
        switch self {
        case .v4: 32
        case .v6: 128
        }
    }
}
