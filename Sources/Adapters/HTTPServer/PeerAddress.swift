import Glibc

/// A numeric address of either family; an IPv4 address is kept in its IPv6 form (RFC 4291 §2.5.5.2).
package struct PeerAddress: Sendable, Hashable, CustomStringConvertible {
    /// The first and the last eight bytes, most significant first.
    let high: UInt64
    let low: UInt64

    private static let mappedPrefix: UInt64 = 0xFFFF

    init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Creates an address from a.b.c.d as one number.
    init(fourBytes: UInt32) {
        self.init(high: 0, low: Self.mappedPrefix << 32 | UInt64(fourBytes))
    }

    var isIPv4: Bool { high == 0 && low >> 32 == Self.mappedPrefix }

    /// The unit of the connection limit: an IPv4 address, or the /64 network of an IPv6 host.
    var countingKey: PeerAddress { isIPv4 ? self : PeerAddress(high: high, low: 0) }

    /// Reads a numeric address; nil for anything else.
    package static func reading(_ text: String) -> PeerAddress? {
        var four = in_addr()
        if unsafe inet_pton(AF_INET, text, &four) == 1 {
            return PeerAddress(fourBytes: UInt32(bigEndian: four.s_addr))
        }
        var six = in6_addr()
        guard unsafe inet_pton(AF_INET6, text, &six) == 1 else { return nil }
        return PeerAddress(six)
    }

    init(_ address: in6_addr) {
        let bytes = unsafe withUnsafeBytes(of: address) { unsafe Array($0) }
        self.init(
            high: bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) },
            low: bytes.suffix(8).reduce(0) { $0 << 8 | UInt64($1) })
    }

    package var description: String {
        if isIPv4 {
            return (0..<4).map { String(low >> (24 - 8 * UInt64($0)) & 0xFF) }.joined(separator: ".")
        }
        return sixDescription
    }

    private var sixDescription: String {
        var address = in6_addr()
        unsafe withUnsafeMutableBytes(of: &address) { bytes in
            unsafe bytes.storeBytes(of: high.bigEndian, as: UInt64.self)
            unsafe bytes.storeBytes(of: low.bigEndian, toByteOffset: 8, as: UInt64.self)
        }
        return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { text in
            guard let start = text.baseAddress,
                unsafe inet_ntop(AF_INET6, &address, start, socklen_t(INET6_ADDRSTRLEN)) != nil
            else { return "" }
            return unsafe String(cString: start)
        }
    }
}
