/// One gzip stream from compressed pieces, which are not changed: header, each piece, trailer.
package enum GzipJoin {
    /// Method deflate, no flags, no time, no extra flags, system unknown (RFC 1952, 2.3).
    package static let header: [UInt8] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]

    /// The end of a stream: an empty final block (RFC 1951, 3.2.6: fixed codes, end of block), the checksum
    /// and the length of all pieces that were appended.
    package struct Trailer: Sendable {
        private var checksum: UInt32 = 0
        private var byteCount: UInt32 = 0

        package init() {}

        package mutating func append(_ block: DeflateBlock) {
            checksum = block.appending.combined(checksum, block.checksum)
            byteCount &+= UInt32(truncatingIfNeeded: block.plainByteCount)
        }

        /// Plain bytes, however they are compressed.
        package mutating func append(plain bytes: [UInt8]) {
            checksum = CRC32.checksum(bytes, after: checksum)
            byteCount &+= UInt32(truncatingIfNeeded: bytes.count)
        }

        package var bytes: [UInt8] {
            var bytes: [UInt8] = [0x03, 0x00]
            bytes.reserveCapacity(10)
            let fields = UInt64(checksum) | UInt64(byteCount) << 32
            for shift in stride(from: 0, to: 64, by: 8) {
                bytes.append(UInt8(truncatingIfNeeded: fields >> UInt64(shift)))
            }
            return bytes
        }
    }
}
