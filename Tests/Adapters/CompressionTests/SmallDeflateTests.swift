import TestSupport
import Testing

@testable import Compression

@Suite("Compressing short texts")
struct SmallDeflateTests {
    /// A stream of one piece between two others, so that its end and its references are its own.
    private func inflated(_ plain: [UInt8]) async throws -> [UInt8] {
        let around = Array("#EXTM3U\n".utf8)
        var trailer = GzipJoin.Trailer()
        for bytes in [around, plain, around] { trailer.append(plain: bytes) }
        let pieces = [around, plain, around].flatMap { SmallDeflate.compressing($0) }
        let all = try await gunzip(GzipJoin.header + pieces + trailer.bytes)
        #expect(all.starts(with: around) && all.suffix(around.count) == around[...])
        return Array(all.dropFirst(around.count).dropLast(around.count))
    }

    @Test("Texts of every length and kind are read back")
    func readBack() async throws {
        var generator = SeededGenerator(seed: 41)
        for length in [0, 1, 2, 3, 4, 5, 7, 8, 257, 258, 259, 700, 4_000, 40_000, 70_000] {
            let noise = (0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) }
            let few = (0..<length).map { _ in UInt8.random(in: 97...99, using: &generator) }
            let same = Array(repeating: UInt8(200), count: length)
            for plain in [noise, few, same] {
                let read = try await inflated(plain)
                #expect(read == plain, "\(length) bytes")
            }
        }
    }

    @Test("Matches of every length and distance are read back")
    func matches() async throws {
        var generator = SeededGenerator(seed: 42)
        var plain: [UInt8] = []
        var length = 4
        while plain.count < 66_000 {
            plain += (0..<Int.random(in: 1...40, using: &generator)).map { _ in
                UInt8.random(in: 0...255, using: &generator)
            }
            let distance = min(plain.count, 1 << Int.random(in: 2...15, using: &generator) + plain.count % 3)
            for _ in 0..<length { plain.append(plain[plain.count - distance]) }
            length = length == 262 ? 4 : length + 1
        }
        #expect(try await inflated(plain) == plain)
    }

    @Test("Lines of a playlist become about as small as with zlib's first level")
    func size() throws {
        let lines = (0..<30).map { "#EXTINF:4.000000,\nv0/\(1_469_509_516_000 + $0 * 4_000).ts\n" }.joined()
        let own = SmallDeflate.compressing(Array(lines.utf8)).count
        let zlib = try DeflateBlock.compressing(Array(lines.utf8), level: 1).bytes.count
        #expect(own * 2 <= zlib * 3, "\(own) and \(zlib)")
    }
}
