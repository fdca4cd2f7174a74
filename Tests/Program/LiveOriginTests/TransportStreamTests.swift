import Testing

@testable import LiveOrigin

@Suite("Transport stream packets")
struct TransportStreamTests {
    /// A packet with PCR, PTS and DTS: 8589934591 (the largest), 90000 and 45000 in 90 kHz.
    private let timed: [UInt8] =
        [0x47, 0x41, 0x00, 0x3F, 0x07, 0x10, 0xFF, 0xFF, 0xFF, 0xFF, 0xFE, 0x00]
        + [0, 0, 1, 0xE0, 0, 0, 0x80, 0xC0, 0x0A]
        + [0x31, 0x00, 0x05, 0xBF, 0x21] + [0x11, 0x00, 0x03, 0x5F, 0x91]
        + [UInt8](repeating: 0xAA, count: 188 - 31)

    @Test("PTS, DTS and PCR move and wrap at 33 bits, the counter moves and wraps at 4")
    func shift() {
        var bytes = timed
        TransportStream.shift(&bytes, ticks: 1, counters: [0x100: 2])
        #expect(bytes[3] == 0x31)
        #expect(Array(bytes[6..<12]) == [0, 0, 0, 0, 0x7E, 0])
        #expect(Array(bytes[21..<31]) == [0x31, 0x00, 0x05, 0xBF, 0x23, 0x11, 0x00, 0x03, 0x5F, 0x93])
    }

    @Test("Moving forward around the whole cycle gives the same bytes")
    func circle() {
        var bytes = timed
        TransportStream.shift(&bytes, ticks: 123_456_789, counters: [0x100: 5])
        TransportStream.shift(&bytes, ticks: (1 << 33) - 123_456_789, counters: [0x100: 11])
        #expect(bytes == timed)
    }

    @Test("The first timestamp is found after packets without one")
    func first() {
        #expect(TransportStream.firstTimestamp(of: packet() + timed) == 90_000)
        #expect(TransportStream.firstTimestamp(of: packet()) == nil)
    }

    @Test("Packets without payload and null packets do not count")
    func counts() {
        var empty = packet(pid: 0x101)
        empty[3] = 0x20
        let bytes = packet() + packet() + empty + TransportStream.nullPacket("x") + [0x47]
        #expect(TransportStream.payloadPacketCounts(of: bytes) == [0x100: 2])
    }

    @Test("A null packet is whole whatever the length of its text", arguments: [0, 10, 184, 500])
    func null(length: Int) {
        let bytes = TransportStream.nullPacket(String(repeating: "a", count: length))
        #expect(bytes.count == 188)
        #expect(bytes.prefix(4) == [0x47, 0x1F, 0xFF, 0x10])
    }

    @Test("Damaged packets are skipped", arguments: [UInt8(0), 1, 5, 183, 255])
    func damage(adaptationLength: UInt8) {
        var bytes = timed
        bytes[4] = adaptationLength
        TransportStream.shift(&bytes, ticks: 90_000, counters: [:])
        #expect(bytes.count == 188)
    }
}
