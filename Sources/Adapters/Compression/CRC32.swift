import CZlib

/// The checksum of gzip and many others (RFC 1952, 8).
package enum CRC32 {
    /// The checksum of bytes, continued from the checksum of those before them.
    package static func checksum(_ bytes: [UInt8], after previous: UInt32 = 0) -> UInt32 {
        guard !bytes.isEmpty else { return previous }
        return unsafe UInt32(truncatingIfNeeded: crc32_z(UInt(previous), bytes, bytes.count))
    }

    /// The checksum of two consecutive pieces, from their checksums alone.
    package static func combined(_ first: UInt32, _ second: UInt32, secondByteCount: Int) -> UInt32 {
        UInt32(truncatingIfNeeded: crc32_combine(UInt(first), UInt(second), secondByteCount))
    }
}
