import Testing

@testable import HLS

struct PlaylistWriterTests {
    private func text(_ write: (inout PlaylistWriter) -> Void) -> String {
        var writer = PlaylistWriter(reservingCapacity: 64)
        write(&writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    @Test(
        "EXTINF has six decimals and is never negative",
        arguments: [
            (0, "0.000000"), (1, "0.000001"), (2_005_333, "2.005333"), (10_000_000, "10.000000"),
            (123_456_789_012, "123456.789012"), (-5, "0.000000"), (.max, "9223372036854.775807"),
        ] as [(Int64, String)])
    func extinf(microseconds: Int64, expected: String) {
        #expect(text { $0.extinf(microseconds: microseconds) } == "#EXTINF:\(expected),\n")
    }

    @Test(
        "Dates are RFC 3339 in UTC with milliseconds",
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (-1, "1969-12-31T23:59:59.999Z"),
            (1_772_366_400_123_999, "2026-03-01T12:00:00.123Z"),
            (1_709_164_799_000_000, "2024-02-28T23:59:59.000Z"),
        ] as [(Int64, String)])
    func date(microseconds: Int64, expected: String) {
        let line = text { $0.programDateTime(microseconds: microseconds) }
        #expect(line == "#EXT-X-PROGRAM-DATE-TIME:\(expected)\n")
    }

    @Test("The limits of 64 bits are written without a trap", arguments: [Int64.min, .max])
    func extremes(microseconds: Int64) {
        #expect(text { $0.programDateTime(microseconds: microseconds) }.hasSuffix("Z\n"))
    }

    @Test("Numbers of 64 bits keep every digit", arguments: [0, 9, 10, 1_000, .max] as [UInt64])
    func number(value: UInt64) {
        #expect(text { $0.line(.mediaSequence, value) } == "#EXT-X-MEDIA-SEQUENCE:\(value)\n")
    }

    @Test("A text cannot end its line or its quoted string")
    func injection() {
        #expect(text { $0.line("a\r\n#EXT-X-ENDLIST") } == "a#EXT-X-ENDLIST\n")
        let map = MediaMap(uri: "a\",BYTERANGE=\"1\n")
        #expect(text { $0.map(map) } == "#EXT-X-MAP:URI=\"a,BYTERANGE=1\"\n")
        // A mark that combines makes one character of itself and the quotation mark.
        let marked = text { $0.map(MediaMap(uri: "a\"\u{301},BYTERANGE=1")) }
        #expect(marked.utf8.count { $0 == UInt8(ascii: "\"") } == 2)
    }

    @Test("No key is METHOD=NONE with no other attribute")
    func clear() {
        #expect(text { $0.key(nil) } == "#EXT-X-KEY:METHOD=NONE\n")
    }
}
