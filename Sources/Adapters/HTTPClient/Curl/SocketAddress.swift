import Glibc

/// The numeric address and the port of a `sockaddr`.
struct SocketAddress: Hashable, Sendable {
    var address: IPAddress
    var port: UInt16

    /// Reads the bytes of a `sockaddr_in` or `sockaddr_in6`; nil for another family.
    init?(reading bytes: UnsafeRawBufferPointer.SubSequence) {
        let bytes = unsafe [UInt8](bytes)
        guard bytes.count >= 4 else { return nil }
        let family = unsafe bytes.withUnsafeBytes { unsafe $0.loadUnaligned(as: sa_family_t.self) }
        port = UInt16(bytes[2]) << 8 | UInt16(bytes[3])
        switch Int32(family) {
        case AF_INET where bytes.count >= 8:
            address = .v4(UInt32(truncatingIfNeeded: Self.number(bytes[4..<8])))
        case AF_INET6 where bytes.count >= 24:
            address = .v6(high: Self.number(bytes[8..<16]), low: Self.number(bytes[16..<24]))
        default:
            return nil
        }
    }

    /// Network byte order: most significant byte first.
    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }
}
