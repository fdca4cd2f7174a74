import Testing

@testable import MediaFormat

struct InitSectionTests {
    private func codec(_ handler: String, _ entry: [UInt8]) throws -> Track {
        let track = MovieBuilder.track(7, handler: handler, timescale: 1000, entry: entry)
        return try #require(try InitSection.reading(MovieBuilder.box("moov", track)).tracks.first).description
    }

    @Test("Tracks have an ID, a kind and a timescale")
    func tracks() throws {
        let section = try InitSection.reading(MovieBuilder.initSection)
        #expect(section.tracks.map(\.description.id) == [1, 2])
        #expect(section.tracks.map(\.description.kind) == [.video, .audio])
        #expect(section.tracks.map(\.timescale) == [12800, 48000])
    }

    @Test("The tables of an initialization section apply to segments without tables")
    func tables() throws {
        let segment = TransportStreamBuilder.segment()
        let section = try InitSection.reading(Array(segment.prefix(376)))
        let media = Array(segment.dropFirst(376))
        let found = try MediaInspector.inspect(media, initSection: section)
        let expected = try MediaInspector.inspect(segment)
        #expect(section.container == .transportStream)
        #expect(found.tracks == expected.tracks)
        #expect(found.integrity == .whole)
        #expect(found.byteCount == media.count)
        #expect(try MediaInspector.inspect(media).tracks != expected.tracks)
        #expect(throws: MediaFormatError.invalidInitSection(.partialPacket(byteCount: 187))) {
            try InitSection.reading(Array(segment.prefix(375)))
        }
    }

    @Test("The header of a WebVTT section applies to text without one, and to nothing else")
    func header() throws {
        let section = try InitSection.reading(Array("WEBVTT\n\n".utf8))
        let text = Array("00:00.000 --> 00:01.000\nHello\n".utf8)
        #expect(section.container == .webVTT)
        #expect(try MediaInspector.inspect(text, initSection: section).container == .webVTT)
        #expect(throws: MediaFormatError.self) { try MediaInspector.inspect(text) }
        #expect(throws: MediaFormatError.self) {
            try MediaInspector.inspect(Array("<html></html>".utf8), initSection: section)
        }
    }

    @Test("HEVC's string follows ISO 14496-15 annex E")
    func hevc() throws {
        let general: [UInt8] = [0x01, 0x60, 0, 0, 0, 0xB0, 0, 0, 0, 0, 0, 93]
        let track = try codec(
            "vide", MovieBuilder.videoEntry("hvc1", MovieBuilder.box("hvcC", [1] + general)))
        #expect(track.codecString == "hvc1.1.6.L93.b0")
        #expect(track.codec == "hevc")
    }

    @Test(
        "The object type identifies the codec of mp4a",
        arguments: [
            (0x40, [0x11, 0x90], "mp4a.40.2", "aac"), (0x40, [0x2B, 0x11], "mp4a.40.5", "aac"),
            (0x40, [0xF9, 0x40], "mp4a.40.42", "aac"), (0x6B, [], "mp4a.6b", "mp3"), (0x40, [], nil, "aac"),
        ] as [(UInt8, [UInt8], String?, String)])
    func mp4a(type: UInt8, specific: [UInt8], string: String?, name: String) throws {
        let configuration = MovieBuilder.descriptors(objectType: type, specific: specific)
        let track = try codec("soun", MovieBuilder.audioEntry("mp4a", configuration))
        #expect(track.codecString == string)
        #expect(track.codec == name)
    }

    @Test(
        "Other codecs",
        arguments: [
            ("av01", [0x81, 0x08, 0x00], "av1C", "av01.0.08M.08"),
            ("av01", [0x81, 0x2D, 0xC0], "av1C", "av01.1.13H.10"),
            ("vp09", [1, 0, 0, 0, 2, 31, 0xA0], "vpcC", "vp09.02.31.10"),
        ] as [(String, [UInt8], String, String)])
    func others(entry: String, configuration: [UInt8], box: String, string: String) throws {
        let bytes = MovieBuilder.videoEntry(entry, MovieBuilder.box(box, configuration))
        #expect(try codec("vide", bytes).codecString == string)
    }

    @Test("An encrypted entry has the original codec")
    func encrypted() throws {
        let protection = MovieBuilder.box("sinf", MovieBuilder.box("frma", Array("avc1".utf8)))
        let track = try codec("vide", MovieBuilder.videoEntry("encv", MovieBuilder.avc + protection))
        #expect(track.codecString == "avc1.64001f")
        #expect(track.resolution == Resolution(width: 1280, height: 720))
    }

    @Test("Subtitles and unknown entries")
    func subtitles() throws {
        let text = try codec("text", MovieBuilder.box("wvtt", MovieBuilder.zeros(8)))
        #expect(text.kind == .subtitles)
        #expect(text.codecString == "wvtt")
        let unknown = try codec("meta", MovieBuilder.box("urim", MovieBuilder.zeros(8)))
        #expect(unknown.kind == .other)
        #expect(unknown.codec == "urim")
    }

    @Test("Bytes that are not an initialization section are refused")
    func refused() {
        #expect(throws: MediaFormatError.empty) { try InitSection.reading([]) }
        #expect(throws: MediaFormatError.invalidInitSection(.missingMedia)) {
            try InitSection.reading(MovieBuilder.box("ftyp", []))
        }
        #expect(throws: MediaFormatError.self) { try InitSection.reading(Array("<!DOCTYPE html>".utf8)) }
        #expect(throws: MediaFormatError.invalidInitSection(.invalidBox(offset: 16))) {
            try InitSection.reading(Array(MovieBuilder.initSection.dropLast()))
        }
        let count = Limits.initSectionByteCount + 1
        #expect(throws: MediaFormatError.initSectionTooLong(byteCount: count)) {
            try InitSection.reading([UInt8](repeating: 0, count: count))
        }
    }
}
