import TestSupport
import Testing

@testable import Compression

@Suite("Joining compressed pieces")
struct GzipJoinTests {
    private static let quarters = (0..<12).map { quarter in
        (0..<225).map { "#EXTINF:4.000,\n\(quarter * 900_000 + $0 * 4_000).ts\n" }.joined()
    }

    @Test("Pieces of any level, in any selection and order, form one stream", arguments: [1, 6, 9])
    func joining(level: Int) async throws {
        let blocks = try Self.quarters.map { try DeflateBlock.compressing(Array($0.utf8), level: level) }
        for order in [Array(0..<12), [11, 3, 3, 0], [5], []] {
            let stream = GzipJoin.assemble(order.map { blocks[$0] }).flatMap { $0 }
            let plain = order.flatMap { Array(Self.quarters[$0].utf8) }
            #expect(try await gunzip(stream) == plain)
        }
    }

    @Test("Pieces joined to one before are the same stream")
    func nested() async throws {
        let blocks = try Self.quarters.map { try DeflateBlock.compressing(Array($0.utf8)) }
        let strips = [
            DeflateBlock.joining(Array(blocks[..<4])), blocks[4], .joining([]), .joining(Array(blocks[5...])),
        ]
        let stream = GzipJoin.assemble(strips).flatMap { $0 }
        #expect(stream == GzipJoin.assemble(blocks).flatMap { $0 })
        #expect(try await gunzip(stream) == Self.quarters.flatMap { Array($0.utf8) })
    }

    @Test("Pieces compress as well as the whole, within a tenth")
    func size() throws {
        let joined = try Self.quarters.map { try DeflateBlock.compressing(Array($0.utf8)).bytes.count }
        let whole = try DeflateBlock.compressing(Array(Self.quarters.joined().utf8)).bytes.count
        #expect(joined.reduce(0, +) * 10 <= whole * 11)
    }

    @Test("Empty pieces need no bytes, and pieces larger than zlib's buffer are complete")
    func extremes() async throws {
        #expect(try DeflateBlock.compressing([]).bytes == [])
        var generator = SystemRandomNumberGenerator()
        let noise = (0..<300_000).map { _ in UInt8.random(in: 0...255, using: &generator) }
        let blocks = [
            try DeflateBlock.compressing([]), try DeflateBlock.compressing(noise),
            try DeflateBlock.compressing([]),
        ]
        let parts = GzipJoin.assemble(blocks)
        #expect(parts.count == 3)
        #expect(try await gunzip(parts.flatMap { $0 }) == noise)
    }
}

extension GzipJoin {
    /// The parts of a stream in order.
    fileprivate static func assemble(_ blocks: [DeflateBlock]) -> [[UInt8]] {
        var trailer = Trailer()
        for block in blocks { trailer.append(block) }
        return [header] + blocks.map(\.bytes).filter { !$0.isEmpty } + [trailer.bytes]
    }
}
