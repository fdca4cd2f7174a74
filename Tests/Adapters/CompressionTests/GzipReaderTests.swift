import Testing

@testable import Compression

@Suite("Reading gzip")
struct GzipReaderTests {
    private static let text = Array(String(repeating: "#EXTINF:4,\na.ts\n", count: 9000).utf8)

    /// One member (RFC 1952).
    private static func member(_ plain: [UInt8]) throws -> [UInt8] {
        let block = try DeflateBlock.compressing(plain)
        var trailer = GzipJoin.Trailer()
        trailer.append(block)
        return GzipJoin.header + block.bytes + trailer.bytes
    }

    @Test("A member is decompressed, once; anything else stays as it is")
    func plain() throws {
        let once = try Self.member(Self.text)
        #expect(GzipReader.plain(once, limit: 1 << 20) == Self.text)
        #expect(GzipReader.plain(try Self.member(once), limit: 1 << 20) == once)
        #expect(GzipReader.plain(try Self.member([]), limit: 0) == [])
        for other in [[], [0x1F], [0x1F, 0x8B], Array("#EXTM3U\n".utf8), Array(once.dropLast(9))] {
            #expect(GzipReader.plain(other, limit: 1 << 20) == other)
        }
        var damaged = once
        damaged[once.count - 5] ^= 1
        #expect(GzipReader.plain(damaged, limit: 1 << 20) == damaged)
    }

    @Test("Several members are one text; what follows them and is none is ignored")
    func members() throws {
        let (first, second) = (Array(Self.text.prefix(99_999)), Array(Self.text.dropFirst(99_999)))
        let both = try Self.member(first) + Self.member([]) + Self.member(second)
        #expect(GzipReader.plain(both, limit: Self.text.count) == Self.text)
        #expect(GzipReader.plain(both, limit: Self.text.count - 1) == both)
        for rest in [[0], [UInt8](repeating: 0, count: 512), [0x1F], [0x1F, 0x8C, 8]] as [[UInt8]] {
            #expect(GzipReader.plain(both + rest, limit: Self.text.count) == Self.text)
        }
        let cut = Array(both.dropLast(9))
        #expect(GzipReader.plain(cut, limit: Self.text.count) == cut)
    }

    @Test("What has more bytes than the limit stays as it is")
    func limit() throws {
        let once = try Self.member(Self.text)
        #expect(GzipReader.plain(once, limit: Self.text.count) == Self.text)
        #expect(GzipReader.plain(once, limit: Self.text.count - 1) == once)
        let bomb = try Self.member([UInt8](repeating: 0, count: 64 << 20))
        #expect(GzipReader.plain(bomb, limit: 1 << 20) == bomb)
    }
}
