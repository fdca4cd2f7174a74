/// A separately compressed piece of text.
///
/// It ends on a byte with a full flush and refers to nothing before it, so pieces can be joined in any order.
package struct DeflateBlock: Hashable, Sendable {
    /// Raw deflate (RFC 1951) without a final block.
    package let bytes: [UInt8]
    /// CRC-32 of the plain bytes.
    package let checksum: UInt32
    package let plainByteCount: Int
    /// Appends the checksum to that of what comes before.
    let appending: CRC32.Appending

    /// Creates a block from a piece that was compressed before.
    package init(bytes: [UInt8], checksum: UInt32, plainByteCount: Int) {
        self.bytes = bytes
        self.checksum = checksum
        self.plainByteCount = plainByteCount
        appending = CRC32.Appending(byteCount: plainByteCount)
    }

    /// Several consecutive pieces as one, without compressing them again.
    package static func joining(_ blocks: [DeflateBlock]) -> DeflateBlock {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(blocks.reduce(0) { $0 + $1.bytes.count })
        var (checksum, plainByteCount): (UInt32, Int) = (0, 0)
        for block in blocks {
            bytes += block.bytes
            checksum = block.appending.combined(checksum, block.checksum)
            plainByteCount += block.plainByteCount
        }
        return DeflateBlock(bytes: bytes, checksum: checksum, plainByteCount: plainByteCount)
    }

    /// Compresses a piece; level 1 is fast, 9 small.
    package static func compressing(_ plain: [UInt8], level: Int = 6) throws(CompressionError) -> DeflateBlock
    {
        var bytes: [UInt8] = []
        if !plain.isEmpty {
            let kind = ZlibStream.Kind(
                level: Int32(clamping: min(max(level, 0), 9)), byteCount: plain.count)
            bytes = try ZlibStreams.withStream(kind) { stream throws(CompressionError) in
                try stream.flush(plain)
            }
        }
        return DeflateBlock(bytes: bytes, checksum: CRC32.checksum(plain), plainByteCount: plain.count)
    }
}
