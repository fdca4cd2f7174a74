import Testing

@testable import LiveOrigin

@Suite("Movie fragments")
struct MovieFragmentsTests {
    private func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
        let length = UInt32(content.count + 8)
        return withUnsafeBytes(of: length.bigEndian, Array.init) + Array(type.utf8) + content
    }

    private func number(_ value: UInt32) -> [UInt8] { withUnsafeBytes(of: value.bigEndian, Array.init) }

    /// Version 1 has 64-bit times in the header of the track and of its media.
    private func track(id: UInt32, timescale: UInt32, version: UInt8) -> [UInt8] {
        let times = [UInt8](repeating: 0, count: version == 1 ? 16 : 8)
        let header = box("tkhd", [version, 0, 0, 0] + times + number(id) + number(0))
        let media = box("mdhd", [version, 0, 0, 0] + times + number(timescale) + number(0))
        return box("trak", header + box("mdia", media))
    }

    private func fragment(track: UInt32, time: [UInt8], version: UInt8) -> [UInt8] {
        let header = box("tfhd", number(0) + number(track))
        return box("traf", header + box("tfdt", [version, 0, 0, 0] + time))
    }

    @Test("Timescales are read by track, in both versions of the headers")
    func timescales() {
        let bytes =
            box("ftyp", [])
            + box(
                "moov",
                track(id: 1, timescale: 12_800, version: 0) + track(id: 2, timescale: 32_000, version: 1))
        #expect(MovieFragments.timescales(of: bytes) == [1: 12_800, 2: 32_000])
    }

    @Test("Decode times move in each track's timescale, fragment numbers by the count")
    func shift() {
        let short = fragment(track: 1, time: number(0xFFFF_FFFF), version: 0)
        let long = fragment(track: 2, time: number(0) + number(7), version: 1)
        var bytes = box("moof", box("mfhd", number(0) + number(3)) + short + long) + box("mdat", [1, 2, 3])
        MovieFragments.shift(&bytes, ticks: 180_000, timescales: [1: 12_800, 2: 32_000], fragments: 4)
        let expected =
            box(
                "moof",
                box("mfhd", number(0) + number(7)) + fragment(track: 1, time: number(25_599), version: 0)
                    + fragment(track: 2, time: number(0) + number(64_007), version: 1))
            + box("mdat", [1, 2, 3])
        #expect(bytes == expected)
        #expect(MovieFragments.firstTimestamp(of: bytes, timescales: [1: 12_800]) == 25_599 * 90_000 / 12_800)
    }

    @Test(
        "Boxes that do not fit are the end",
        arguments: [[0, 0, 0, 9, 1, 2, 3, 4], [0, 0, 0, 0, 1, 2, 3, 4], [1, 2]])
    func damage(bytes: [UInt8]) {
        #expect(MovieBox.boxes(of: bytes, in: 0..<bytes.count).isEmpty)
    }

    @Test("A free box says its length")
    func free() {
        #expect(MovieBox.free("ab") == [0, 0, 0, 10] + Array("free".utf8) + Array("ab".utf8))
    }
}
