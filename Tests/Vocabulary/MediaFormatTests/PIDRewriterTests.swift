import TestSupport
import Testing

@testable import MediaFormat

@Suite struct PIDRewriterTests {
    private static let changes: [[UInt16: UInt16]] = [
        [TransportStreamBuilder.videoPID: 0x44, TransportStreamBuilder.audioPID: 0x45],
        // Each has the PID of the other.
        [
            TransportStreamBuilder.videoPID: TransportStreamBuilder.audioPID,
            TransportStreamBuilder.audioPID: TransportStreamBuilder.videoPID,
        ],
    ]

    private static func rewritten(
        _ segments: [[UInt8]], pieces: Int = 1_000_000
    ) -> (bytes: [[UInt8]], hasLeftOutMedia: Bool) {
        var rewriter = PIDRewriter()
        let written = segments.map { bytes in
            rewriter.begin()
            var output: [UInt8] = []
            for start in stride(from: 0, to: bytes.count, by: pieces) {
                output += rewriter.append(Array(bytes[start..<min(start + pieces, bytes.count)]))
            }
            return output + rewriter.finish()
        }
        return (written, rewriter.hasLeftOutMedia)
    }

    /// A segment of streams of which each has one unit, with tables.
    private static func segment(_ streams: [(type: UInt8, pid: UInt16)]) -> [UInt8] {
        var builder = TransportStreamBuilder()
        builder.addTables(streams)
        for stream in streams {
            builder.addUnit(
                stream.pid, streamID: stream.type == 0x1B ? 0xE0 : 0xC0, time: 900_000,
                [UInt8](repeating: UInt8(stream.pid & 0xFF), count: 400))
        }
        return builder.bytes
    }

    private static func pids(_ bytes: [UInt8]) -> Set<UInt16> {
        Set(
            stride(from: 0, to: bytes.count, by: 188).map {
                UInt16(bytes[$0 + 1] & 0x1F) << 8 | UInt16(bytes[$0 + 2])
            })
    }

    @Test("After a change, tracks have the PIDs of the first segment, without tables", arguments: changes)
    func change(pids: [UInt16: UInt16]) {
        let first = TransportStreamBuilder.segment(from: 0)
        let second = TransportStreamBuilder.segment(from: 18_000)
        let third = TransportStreamBuilder.segment(from: 36_000)
        for pieces in [1, 188, 1_000, 1_000_000] {
            let written = Self.rewritten(
                [first, RenumberedStream.bytes(second, pids), third], pieces: pieces)
            // Two packets of tables.
            #expect(written.bytes == [first, Array(second.dropFirst(376)), third])
            #expect(!written.hasLeftOutMedia)
        }
    }

    @Test("Segments with the same PIDs stay as they are, whatever their tables are, and to the last byte")
    func same() {
        let streams: [(type: UInt8, pid: UInt16)] = [(0x1B, 0x100), (0x0F, 0x101)]
        let first = Self.segment(streams)
        let second = Self.segment(streams.reversed() + [(0x86, 0x102)]) + [1, 2, 3]
        #expect(Self.rewritten([first, second]).bytes == [first, second])
    }

    @Test(
        "A segment whose video and audio have the PIDs of the first one stays as it is",
        arguments: [
            // Listed in another order, without one of two languages, and with another PID of ID3.
            [(0x1B, 0x100), (0x0F, 0x102), (0x0F, 0x101), (0x15, 0x103)],
            [(0x1B, 0x100), (0x0F, 0x102)],
            [(0x1B, 0x100), (0x0F, 0x101), (0x0F, 0x102), (0x15, 0x104)],
        ] as [[(UInt8, UInt16)]])
    func sameMedia(streams: [(UInt8, UInt16)]) {
        let first = Self.segment([(0x1B, 0x100), (0x0F, 0x101), (0x0F, 0x102), (0x15, 0x103)])
        let second = Self.segment(streams.map { (type: $0, pid: $1) })
        #expect(Self.rewritten([first, second, first]).bytes == [first, second, first])
    }

    @Test("The second track of a codec stays the second one")
    func tracks() {
        let first = Self.segment([(0x1B, 0x100), (0x0F, 0x101), (0x03, 0x102), (0x0F, 0x103)])
        let second = Self.segment([(0x03, 0x41), (0x0F, 0x42), (0x0F, 0x43), (0x1B, 0x40)])
        let written = Self.rewritten([first, second])
        #expect(Self.pids(written.bytes[1]) == [0x100, 0x101, 0x102, 0x103])
        for (pid, was) in [(0x100, 0x40), (0x101, 0x42), (0x102, 0x41), (0x103, 0x43)] as [(UInt16, UInt8)] {
            let packets = stride(from: 0, to: written.bytes[1].count, by: 188)
                .map { written.bytes[1][$0..<($0 + 188)] }
                .filter { Self.pids(Array($0)) == [pid] }
            #expect(packets.allSatisfy { $0.last == was })
        }
        #expect(!written.hasLeftOutMedia)
    }

    @Test(
        "Media of a track that the first segment lacks is told",
        arguments: [[(0x1B, 0x100)], [(0x1B, 0x100), (0x03, 0x101)]] as [[(UInt8, UInt16)]])
    func unknown(streams: [(UInt8, UInt16)]) {
        let first = Self.segment(streams.map { (type: $0, pid: $1) })
        let second = Self.segment([(0x1B, 0x100), (0x0F, 0x101)])
        #expect(Self.rewritten([first, second]).hasLeftOutMedia)
        // What the first segment has may be missing later.
        #expect(!Self.rewritten([second, Self.segment([(0x1B, 0x100)])]).hasLeftOutMedia)
    }

    @Test("A segment without tables has the PIDs of the one before, or those of the first one")
    func withoutTables() {
        let first = TransportStreamBuilder.segment(from: 0)
        let second = TransportStreamBuilder.segment(from: 18_000)
        let other = RenumberedStream.bytes(second, Self.changes[0])
        let media = Array(second.dropFirst(376))
        let written = Self.rewritten([first, other, Array(other.dropFirst(376)), media])
        #expect(written.bytes == [first, media, media, media])
    }

    @Test("A long segment without tables is not held back")
    func long() {
        var rewriter = PIDRewriter()
        rewriter.begin()
        let bytes = (0..<6_000).flatMap { _ in TransportPacket.null }
        #expect(rewriter.append(bytes) == bytes)
        #expect(rewriter.append(bytes) == bytes)
    }
}
