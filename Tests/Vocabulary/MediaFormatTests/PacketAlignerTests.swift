import Testing

@testable import MediaFormat

@Suite struct PacketAlignerTests {
    /// A packet whose payload has no sync byte.
    private static func packet(_ number: Int) -> [UInt8] {
        [TransportPacket.syncByte, 1, 0, 0x10] + [UInt8](repeating: UInt8(number % 64), count: 184)
    }

    private static func aligned(_ segments: [[UInt8]], pieces: Int) -> [UInt8] {
        var aligner = PacketAligner()
        return segments.flatMap { bytes in
            aligner.begin()
            var output: [UInt8] = []
            for start in stride(from: 0, to: bytes.count, by: pieces) {
                output += aligner.append(Array(bytes[start..<min(start + pieces, bytes.count)]))
            }
            return output + aligner.finish()
        }
    }

    @Test(
        "Only what lost its place is left out, wherever bytes are missing or too many, in whatever pieces",
        arguments: [1, 100, 188, 1_000, 1_000_000])
    func damage(pieces: Int) {
        let packets = (0..<12).map(Self.packet)
        let whole = packets.flatMap { $0 }
        #expect(Self.aligned([whole, whole], pieces: pieces) == whole + whole)
        for count in [1, 100, 187] {
            // Within the sixth packet, which takes the first bytes of the next one.
            var bytes = whole
            bytes.removeSubrange((5 * 188 + 1)..<(5 * 188 + 1 + count))
            let without = Array(bytes.prefix(6 * 188)) + packets[7...].flatMap { $0 }
            #expect(Self.aligned([bytes, whole], pieces: pieces) == without + whole)
            // Between packets.
            let other = [UInt8](repeating: 1, count: count)
            let more = whole.prefix(5 * 188) + other + whole.dropFirst(5 * 188)
            #expect(Self.aligned([Array(more), whole], pieces: pieces) == whole + whole)
            // At the end.
            #expect(
                Self.aligned([Array(whole.dropLast(count)), whole], pieces: pieces)
                    == Array(whole.dropLast(188)) + whole)
            // In front.
            #expect(Self.aligned([other + whole], pieces: pieces) == whole)
        }
    }
}
