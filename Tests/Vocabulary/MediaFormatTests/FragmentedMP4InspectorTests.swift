import MediaFormat
import Testing

struct FragmentedMP4InspectorTests {
    let initSection: InitSection

    init() throws {
        initSection = try InitSection.reading(MovieBuilder.initSection)
    }

    @Test("A whole segment gives its times in the initialization section's timescale")
    func whole() throws {
        let found = try MediaInspector.inspect(MovieBuilder.segment(), initSection: initSection)
        #expect(found.container == .fragmentedMP4)
        #expect(found.integrity == .whole)
        #expect(found.firstTimestamp == MediaTimestamp(track: 128_000, timescale: 12800))
        #expect(found.lastTimestamp == MediaTimestamp(track: 128_000 + 49 * 512, timescale: 12800))
        #expect(found.durationMicroseconds == 2_000_000)
        #expect(found.tracks.map(\.durationMicroseconds) == [2_000_000, 2_005_333])
        #expect(found.startsWithKeyFrame == true)
        #expect(found.codecStrings == ["avc1.64001f", "mp4a.40.2"])
        #expect(found.resolution == Resolution(width: 1280, height: 720))
    }

    @Test("Without an initialization section a segment is whole but has no times")
    func noInitSection() throws {
        let found = try MediaInspector.inspect(MovieBuilder.segment())
        #expect(found.integrity == .whole)
        #expect(found.firstTimestamp == nil)
        #expect(found.tracks.map(\.id) == [1, 2])
    }

    @Test("A file with its own moov needs no initialization section")
    func selfContained() throws {
        let found = try MediaInspector.inspect(MovieBuilder.initSection + MovieBuilder.segment())
        #expect(found.durationMicroseconds == 2_000_000)
    }

    @Test("Several fragments add up")
    func chunks() throws {
        let bytes = MovieBuilder.segment(time: 0) + MovieBuilder.segment(time: 25600)
        let found = try MediaInspector.inspect(bytes, initSection: initSection)
        #expect(found.durationMicroseconds == 4_000_000)
        #expect(found.firstTimestamp?.value == 0)
    }

    @Test("Entries of a run override the defaults")
    func rows() throws {
        let number = MovieBuilder.number
        let rows =
            number(100, 4) + number(9, 4) + number(0x1_0000, 4) + number(200, 4) + number(9, 4) + number(0, 4)
        let run = MovieBuilder.fullBox("trun", flags: 0x701, number(2, 4) + number(0, 4) + rows)
        let bytes =
            MovieBuilder.box("moof", MovieBuilder.fragment(1, time: 64, run)) + MovieBuilder.box("mdat", [])
        let found = try MediaInspector.inspect(bytes, initSection: initSection)
        #expect(found.durationMicroseconds == 23_437)
        #expect(found.lastTimestamp?.value == 164)
        #expect(found.startsWithKeyFrame == false)
    }

    @Test("64-bit sizes and a last box to the end are whole")
    func sizes() throws {
        let moof = MovieBuilder.box("moof", MovieBuilder.fragment(1, time: 0, MovieBuilder.run(1)))
        let long = MovieBuilder.longBox("mdat", [1, 2, 3])
        let open: [UInt8] = [0, 0, 0, 0] + Array("mdat".utf8) + [1, 2, 3]
        #expect(try MediaInspector.inspect(moof + long).integrity == .whole)
        #expect(try MediaInspector.inspect(moof + open).integrity == .whole)
    }

    @Test(
        "Impossible sizes are damage",
        arguments: [
            [0, 0, 0, 7], [0, 0, 0, 2],
        ] as [[UInt8]])
    func impossibleSize(size: [UInt8]) throws {
        let moof = MovieBuilder.box("moof", [])
        let found = try MediaInspector.inspect(moof + size + Array("mdat".utf8))
        #expect(found.integrity == .damaged(.invalidBox(offset: 8)))
    }

    @Test("Huge sizes are truncation, not a trap")
    func hugeSize() throws {
        let moof = MovieBuilder.box("moof", [])
        let huge: [UInt8] = [0, 0, 0, 1] + Array("mdat".utf8) + Array(repeating: 0xFF, count: 8)
        #expect(try MediaInspector.inspect(moof + huge).integrity == .damaged(.truncatedBox(type: "mdat")))
        let run = MovieBuilder.fullBox(
            "trun", flags: 0x1, MovieBuilder.number(0xFFFF_FFFF, 4) + MovieBuilder.zeros(4))
        let fragment = MovieBuilder.fragment(1, time: .max, run + run)
        let bytes = MovieBuilder.box("moof", fragment) + MovieBuilder.box("mdat", [])
        #expect(try MediaInspector.inspect(bytes, initSection: initSection).integrity == .whole)
    }

    @Test(
        "A segment needs a fragment and its media",
        arguments: [
            MovieBuilder.initSection, MovieBuilder.box("styp", []), MovieBuilder.box("moof", []),
            MovieBuilder.box("free", []) + MovieBuilder.box("mdat", []),
        ])
    func missingMedia(bytes: [UInt8]) throws {
        #expect(try MediaInspector.inspect(bytes).integrity == .damaged(.missingMedia))
    }

    @Test("Every way of cutting the media box is truncation")
    func cut() throws {
        let bytes = MovieBuilder.segment()
        for count in (bytes.count - 300)..<bytes.count {
            let found = try MediaInspector.inspect(Array(bytes.prefix(count)), initSection: initSection)
            #expect(found.integrity == .damaged(.truncatedBox(type: "mdat")))
        }
    }
}
