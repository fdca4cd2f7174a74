import Glibc

/// A numeric address of either family.
package enum IPAddress: Hashable, Sendable {
    case v4(UInt32)
    case v6(high: UInt64, low: UInt64)

    /// Reads dotted or colon form; a zone (`%eth0`) is ignored.
    ///
    /// Nil for anything else.
    package init?(_ text: String) {
        let numeric = String(text.prefix { $0 != "%" })
        if let v4 = Self.v4(reading: numeric) {
            self = v4
        } else if let v6 = Self.v6(reading: numeric) {
            self = v6
        } else {
            return nil
        }
    }

    private static func v4(reading text: String) -> IPAddress? {
        var address = in_addr()
        guard unsafe inet_pton(AF_INET, text, &address) == 1 else { return nil }
        return .v4(UInt32(bigEndian: address.s_addr))
    }

    private static func v6(reading text: String) -> IPAddress? {
        var words: (UInt64, UInt64) = (0, 0)
        guard unsafe inet_pton(AF_INET6, text, &words) == 1 else { return nil }
        return .v6(high: UInt64(bigEndian: words.0), low: UInt64(bigEndian: words.1))
    }
}

extension IPAddress {
    /// The effective address: IPv4 inside IPv6 becomes IPv4, whether mapped (RFC 4291 §2.5.5), translated by
    /// NAT64 (RFC 6052 §2.1) or 6to4 (RFC 3056 §2).
    package var normalised: IPAddress {
        guard case .v6(let high, let low) = self else { return self }
        let lowWord = UInt32(truncatingIfNeeded: low)
        let isMapped = high == 0 && low >> 32 == 0xFFFF
        let isCompatible = high == 0 && low >> 32 == 0 && low > 1
        let isTranslated = high == 0x0064_FF9B_0000_0000 && low >> 32 == 0
        if isMapped || isCompatible || isTranslated { return .v4(lowWord) }
        if high >> 48 == 0x2002 { return .v4(UInt32(truncatingIfNeeded: high >> 16)) }
        return self
    }
}

extension IPAddress: CustomStringConvertible {
    package var description: String {
        switch self {
        case .v4(let word):
            return [24, 16, 8, 0].map { String(word >> $0 & 0xFF) }.joined(separator: ".")
        case .v6(let high, let low):
            var words = (high.bigEndian, low.bigEndian)
            var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
            guard unsafe inet_ntop(AF_INET6, &words, &text, socklen_t(text.count)) != nil else { return "::" }
            return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        }
    }
}
