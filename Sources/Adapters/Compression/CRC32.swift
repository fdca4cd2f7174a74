import CZlib

/// The checksum of gzip and many others (RFC 1952, 8).
package enum CRC32 {
    /// The checksum of bytes, continued from the checksum of those before them.
    package static func checksum(_ bytes: [UInt8], after previous: UInt32 = 0) -> UInt32 {
        guard !bytes.isEmpty else { return previous }
        return unsafe UInt32(truncatingIfNeeded: crc32_z(UInt(previous), bytes, bytes.count))
    }

    /// Combines the checksums of two consecutive pieces, for a length of the second one.
    ///
    /// Preparing it costs as much as combining ten times.
    package struct Appending: Hashable, Sendable {
        private let operation: UInt

        package init(byteCount: Int) {
            operation = crc32_combine_gen(byteCount)
        }

        /// The checksum of both pieces.
        package func combined(_ first: UInt32, _ second: UInt32) -> UInt32 {
            UInt32(truncatingIfNeeded: crc32_combine_op(UInt(first), UInt(second), operation))
        }
    }
}
