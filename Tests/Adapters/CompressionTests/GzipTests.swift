import Testing

@testable import Compression

@Suite("Gzip")
struct GzipTests {
    @Test("What was compressed comes back", arguments: [0, 1, 1_000, 200_000], [1, 6, 9])
    func inverse(count: Int, level: Int) throws {
        let plain = (0..<count).map { UInt8(truncatingIfNeeded: $0 * $0 >> 3) }
        let compressed = try Gzip.compress(plain, level: level)
        #expect(compressed.starts(with: [0x1f, 0x8b, 8]))
        #expect(try Gzip.decompress(compressed, limit: count) == plain)
    }

    @Test("Members behind one another are one text (RFC 1952, 2.2)")
    func members() throws {
        let joined = try Gzip.compress([1, 2]) + Gzip.compress([]) + Gzip.compress([3])
        #expect(try Gzip.decompress(joined, limit: 3) == [1, 2, 3])
    }

    @Test("More than the limit is refused, in one member and in several")
    func limit() throws {
        let bomb = try Gzip.compress([UInt8](repeating: 0, count: 10_000_000))
        #expect(throws: CompressionError.tooLarge(limit: 1_000)) { try Gzip.decompress(bomb, limit: 1_000) }
        let pair = try Gzip.compress([1, 2]) + Gzip.compress([3])
        #expect(throws: CompressionError.self) { try Gzip.decompress(pair, limit: 2) }
    }

    @Test("Missing, changed and foreign bytes are refused")
    func corruption() throws {
        let whole = try Gzip.compress(Array("catch-up".utf8))
        for count in 0..<whole.count {
            #expect(throws: CompressionError.corrupt) {
                try Gzip.decompress(Array(whole.prefix(count)), limit: 99)
            }
        }
        var changed = whole
        changed[whole.count - 6] ^= 1
        #expect(throws: CompressionError.corrupt) { try Gzip.decompress(changed, limit: 99) }
        #expect(throws: CompressionError.corrupt) { try Gzip.decompress(whole + [0], limit: 99) }
    }
}
