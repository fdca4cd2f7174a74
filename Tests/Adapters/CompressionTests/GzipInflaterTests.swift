import Testing

@testable import Compression

@Suite("Reading gzip in pieces")
struct GzipInflaterTests {
    private static func member(_ plain: [UInt8]) throws -> [UInt8] {
        let block = try DeflateBlock.compressing(plain)
        var trailer = GzipJoin.Trailer()
        trailer.append(block)
        return GzipJoin.header + block.bytes + trailer.bytes
    }

    /// What comes out of pieces of so many bytes, and whether the member was complete.
    private static func read(_ bytes: [UInt8], piece: Int) throws -> (plain: [UInt8], isComplete: Bool) {
        let inflater = try GzipInflater()
        var plain: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: piece) {
            inflater.put(Array(bytes[start..<min(start + piece, bytes.count)]))
            while let next = try inflater.next() {
                #expect(!next.isEmpty && next.count <= Limits.chunkByteCount)
                plain += next
            }
        }
        return (plain, inflater.isComplete)
    }

    @Test(
        "gives the whole member whatever the pieces are, and drops what follows", arguments: [1, 7, 1 << 20])
    func whole(piece: Int) throws {
        for count in [0, 1, Limits.chunkByteCount, Limits.chunkByteCount * 2, 300_001] {
            let plain = (0..<count).map { UInt8(truncatingIfNeeded: $0 / 3) }
            let read = try Self.read(try Self.member(plain) + [1, 2, 3], piece: piece)
            #expect(read.plain == plain && read.isComplete)
        }
    }

    @Test("gives several members as one text (RFC 1952 §2.2)", arguments: [1, 7, 1 << 20])
    func members(piece: Int) throws {
        let plain = (0..<Limits.chunkByteCount).map { UInt8(truncatingIfNeeded: $0 / 3) }
        let members = try Self.member(plain) + Self.member([]) + Self.member([1, 2])
        let read = try Self.read(members + [0, 0], piece: piece)
        #expect(read.plain == plain + [1, 2] && read.isComplete)
        #expect(try !Self.read(members.dropLast(3), piece: piece).isComplete)
    }

    @Test("tells a member that ends early, and fails where one is damaged")
    func damaged() throws {
        let plain = [UInt8](repeating: 7, count: 100_000)
        var bytes = try Self.member(plain)
        let cut = try Self.read(Array(bytes.dropLast(9)), piece: 64)
        #expect(!cut.isComplete && cut.plain.count <= plain.count)
        bytes[bytes.count - 5] ^= 1
        #expect(throws: CompressionError.self) { _ = try Self.read(bytes, piece: 64) }
    }
}
