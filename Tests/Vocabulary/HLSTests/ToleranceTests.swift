import TestSupport
import Testing

@testable import HLS

/// A text with one fault, the expected notes, and the resulting duration of the first segment.
struct Fault: Sendable, CustomTestStringConvertible {
    var name: String
    var text: String
    var deviations: [Deviation]
    var durationMicroseconds: Int64 = 4_000_000

    var testDescription: String { name }

    static func extinf(_ line: String, _ deviations: [Deviation], _ duration: Int64) -> Fault {
        let text = "#EXTM3U\n#EXT-X-TARGETDURATION:4\n\(line)\na.ts\n"
        return Fault(name: line, text: text, deviations: deviations, durationMicroseconds: duration)
    }

    static func target(_ line: String, _ deviations: [Deviation]) -> Fault {
        Fault(name: line, text: "#EXTM3U\n\(line)\n#EXTINF:4,\na.ts\n", deviations: deviations)
    }
}

struct ToleranceTests {
    static let ordinary = "#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\na.ts\n"

    static let faults: [Fault] = [
        Fault(name: "nothing", text: ordinary, deviations: []),
        Fault(name: "byte order mark", text: "\u{FEFF}" + ordinary, deviations: [.byteOrderMark]),
        Fault(name: "CR LF", text: ordinary.replacing("\n", with: "\r\n"), deviations: []),
        Fault(name: "lone CR", text: ordinary.replacing("\n", with: "\r"), deviations: [.loneCarriageReturn]),
        Fault(name: "no last line end", text: String(ordinary.dropLast()), deviations: []),
        Fault(name: "blank lines", text: ordinary.replacing("\n", with: "\n\n"), deviations: []),
        Fault(name: "blank start", text: "\n \n" + ordinary, deviations: [.blankStart]),
        Fault(
            name: "opening attributes", text: ordinary.replacing("#EXTM3U", with: "#EXTM3U x=\"y\""),
            deviations: [.openingAttributes]),
        Fault(
            name: "blanks around", text: ordinary.replacing("a.ts", with: " a.ts \t"),
            deviations: [.blanksAroundLine]),
        Fault(
            name: "control characters", text: ordinary.replacing("a.ts", with: "a\u{1}.ts"),
            deviations: [.controlCharacter]),
        Fault(
            name: "repeat", text: ordinary + "#EXT-X-TARGETDURATION:4\n", deviations: [.repeatedTag]),
        Fault(
            name: "conflict",
            text: ordinary.replacing("#EXTINF", with: "#EXT-X-VERSION:3\n#EXT-X-VERSION:4\n#EXTINF"),
            deviations: [.conflictingTag]),
        Fault(name: "second header", text: ordinary + "#EXTM3U\n", deviations: []),
        Fault(
            name: "late number", text: ordinary + "#EXT-X-MEDIA-SEQUENCE:1\n", deviations: [.lateHeader]),
        Fault(name: "no URI", text: ordinary + "#EXTINF:4,\n", deviations: [.missingURI]),
        Fault(name: "no EXTINF", text: ordinary + "b.ts\n", deviations: [.missingDuration]),
        Fault(
            name: "bad version", text: ordinary + "#EXT-X-VERSION:new\n", deviations: [.unreadableTag]),
        Fault(
            name: "bad list type", text: ordinary + "#EXT-X-PLAYLIST-TYPE:LIVE\n",
            deviations: [.unreadableTag]),
        Fault(
            name: "absurd date",
            text: ordinary.replacing("a.ts", with: "#EXT-X-PROGRAM-DATE-TIME:0000-13-45T99:00:00Z\na.ts"),
            deviations: [.implausibleDate]),
        Fault(
            name: "no zone",
            text: ordinary.replacing("a.ts", with: "#EXT-X-PROGRAM-DATE-TIME:2026-01-01T00:00:00\na.ts"),
            deviations: [.dateWithoutZone]),
    ]

    static let durations: [Fault] = [
        .extinf("#EXTINF:4", [.missingComma], 4_000_000),
        .extinf("#EXTINF:.360,", [], 360_000),
        .extinf("#EXTINF: 4.5 ,Title", [], 4_500_000),
        .extinf("#EXTINF:4.0000004,", [], 4_000_000),
        .extinf("#EXTINF:4.0000005,", [], 4_000_001),
        .extinf("#EXTINF:0,", [], 0),
        .extinf("#EXTINF:-4,", [.negativeDuration], 0),
        .extinf("#EXTINF:NaN,", [.unreadableDuration], 0),
        .extinf("#EXTINF:inf,", [.unreadableDuration], 0),
        .extinf("#EXTINF:1e3,", [.unreadableDuration], 0),
        .extinf("#EXTINF:,", [.unreadableDuration], 0),
        .extinf("#EXTINF:", [.unreadableDuration, .missingComma], 0),
        .extinf("#EXTINF:40,", [], 40_000_000),
        .extinf("#EXTINF:41,", [.implausibleDuration], 0),
        .extinf("#EXTINF:99999999999999999999999,", [.implausibleDuration], 0),
        .extinf("#EXTINF:9000000000000,", [.implausibleDuration], 0),
        .extinf("#EXTINF:86401,", [.implausibleDuration], 0),
        .extinf("#EXTINF:4 note,Title", [.textAfterDuration], 4_000_000),
    ]

    static let targets: [Fault] = [
        .target("#EXT-X-TARGETDURATION:3.2", [.decimalTargetDuration]),
        .target("#EXT-X-TARGETDURATION:0", [.missingTargetDuration]),
        .target("#EXT-X-TARGETDURATION:-5", [.missingTargetDuration]),
        .target("#EXT-X-TARGETDURATION:18446744073709551616", [.missingTargetDuration]),
        .target("#EXT-X-MEDIA-SEQUENCE:0", [.missingTargetDuration]),
    ]

    @Test("A fault is tolerated and noted", arguments: faults + durations + targets)
    func faultIsForgiven(fault: Fault) throws {
        let read = try Playlist.reading(fault.text)
        let playlist = try read.playlist.media
        #expect(read.notes.map(\.deviation) == fault.deviations)
        #expect(playlist.segments.map(\.uri) == ["a.ts"])
        #expect(playlist.segments.map(\.durationMicroseconds) == [fault.durationMicroseconds])
        #expect(playlist.targetDurationSeconds == 4)
    }

    @Test("A note says where the fault first occurs and how often")
    func noteIsCounted() throws {
        let read = try Playlist.reading("#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4\na\n#EXTINF:4\nb\n")
        #expect(read.notes == [DeviationNote(deviation: .missingComma, tag: .duration, line: 3, count: 2)])
        #expect(read.notes[0].description == "line 3, EXTINF: EXTINF without a comma (2 times)")
    }

    @Test("The date may precede or follow EXTINF")
    func dateAfterDuration() throws {
        let date = "#EXT-X-PROGRAM-DATE-TIME:1970-01-01T00:00:01Z\n"
        let before = "#EXTM3U\n#EXT-X-TARGETDURATION:4\n\(date)#EXTINF:4,\na.ts\n"
        let after = "#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\n\(date)a.ts\n"
        #expect(try readMedia(before) == readMedia(after))
        #expect(try readMedia(after).segments[0].programDateTimeMicroseconds == 1_000_000)
    }

    @Test("A URI in another encoding keeps its bytes, percent-encoded")
    func latinURI() throws {
        let text = Array("#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\n".utf8) + [0x66, 0xFC, 0x72, 0x0A]
        let read = try Playlist.reading(text)
        let playlist = try read.playlist.media
        #expect(playlist.segments[0].uri == "f%FCr")
        #expect(read.notes.map(\.deviation) == [.invalidUTF8])
    }

    @Test("Attributes with blanks, repeated names and unclosed quotation marks are read")
    func looseAttributes() throws {
        let playlist = try readMultivariant(
            "#EXTM3U\n#EXT-X-STREAM-INF: BANDWIDTH = 7 , NAME=\"a\", NAME=\"b\",,X, CODECS=\"avc1\nv.m3u8\n")
        #expect(playlist.variants[0].bandwidth == 7)
        #expect(playlist.variants[0].name == "a")
        #expect(playlist.variants[0].codecs == "avc1")
    }
}
