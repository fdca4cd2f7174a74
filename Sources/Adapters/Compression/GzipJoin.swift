/// One gzip stream from compressed pieces, which are not changed.
package enum GzipJoin {
    /// Method deflate, no flags, no time, no extra flags, system unknown (RFC 1952, 2.3).
    package static let header: [UInt8] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]

    /// The parts of the stream in order: header, each piece, and the end.
    package static func assemble(_ blocks: [DeflateBlock]) -> [[UInt8]] {
        [header] + blocks.lazy.map(\.bytes).filter { !$0.isEmpty } + [trailer(of: blocks)]
    }

    /// An empty final block (RFC 1951, 3.2.6: fixed codes, end of block), the checksum and the length of all.
    package static func trailer(of blocks: [DeflateBlock]) -> [UInt8] {
        var (checksum, byteCount): (UInt32, UInt32) = (0, 0)
        for block in blocks {
            checksum = block.appending.combined(checksum, block.checksum)
            byteCount &+= UInt32(truncatingIfNeeded: block.plainByteCount)
        }
        return [0x03, 0x00] + littleEndian(checksum) + littleEndian(byteCount)
    }

    private static func littleEndian(_ value: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
}
