import Testing

@testable import MediaFormat

@Suite struct AudioFrameSplitterTests {
    private static let pid = TransportStreamBuilder.audioPID
    private static let frame = AudioFrames.aac(byteCount: 170)

    private func divided(_ bytes: [UInt8]) -> [UInt8] {
        var divider = AudioFrameSplitter()
        divider.begin()
        return divider.append(bytes) + divider.finish()
    }

    /// Units of that content, with counters that go on.
    private func stream(_ contents: [[UInt8]], streamID: UInt8 = 0xC0) -> [UInt8] {
        var builder = TransportStreamBuilder()
        for (number, content) in contents.enumerated() {
            builder.addUnit(
                Self.pid, streamID: streamID, time: UInt64(number) * 90_000, content, saysLength: true)
        }
        for number in 0..<(builder.bytes.count / 188) {
            builder.bytes[number * 188 + 3] |= UInt8(number & 0x0F)
        }
        return builder.bytes
    }

    @Test("Each frame has a unit and a time of its own")
    func frames() {
        let bytes = divided(stream([Self.frame + Self.frame, Self.frame]))
        let times = stride(from: 0, to: bytes.count, by: 188).compactMap { start -> UInt64? in
            guard bytes[start + 1] & 0x40 != 0 else { return nil }
            return PESHeader(reading: Array(bytes[(start + 4)..<(start + 188)]).span)?.presentationTime
        }
        #expect(bytes.count == 3 * 188 && times == [0, 1_920, 90_000])
    }

    @Test("What does not consist of whole known frames passes as it is")
    func unknown() {
        let half = Array(Self.frame.prefix(80))
        for content in [half, half + Self.frame, Self.frame + half, Self.frame + AudioFrames.mp3, []] {
            let bytes = stream([content])
            #expect(divided(bytes) == bytes)
        }
        let picture = stream([Self.frame + Self.frame], streamID: 0xE0)
        #expect(divided(picture) == picture)
        var endless = stream([Self.frame])
        for number in 1...10_000 {
            let counter = UInt8(number & 0x0F)
            endless += [0x47, 0x01, 0x01, 0x10 | counter] + [UInt8](repeating: 0xAA, count: 184)
        }
        #expect(divided(endless) == endless)
    }

    @Test("A packet that is sent twice counts once")
    func repeated() {
        let bytes = stream([Array(repeating: Self.frame, count: 5).flatMap { $0 }, Self.frame])
        var twice: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 188) {
            twice += bytes[start..<(start + 188)]
            twice += bytes[start..<(start + 188)]
        }
        #expect(divided(twice) == divided(bytes))
    }
}
