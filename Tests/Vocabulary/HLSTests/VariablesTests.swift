import HLS
import TestSupport
import Testing

struct VariablesTests {
    static let faults: [(String, PlaylistError.Reason)] = [
        ("#EXTINF:4,{$missing}\n{$missing}.ts", .variableUndefined("missing")),
        ("#EXT-X-MAP:URI=\"{$missing}\"", .variableUndefined("missing")),
        ("#EXT-X-DEFINE:IMPORT=\"missing\"", .variableUndefined("missing")),
        ("#EXT-X-DEFINE:QUERYPARAM=\"missing\"", .variableUndefined("missing")),
        (
            "#EXT-X-DEFINE:NAME=\"a\",VALUE=\"1\"\n#EXT-X-DEFINE:NAME=\"a\",VALUE=\"1\"",
            .variableRepeated("a")
        ),
        ("#EXT-X-DEFINE:NAME=\"a b\",VALUE=\"1\"", .variableUnusable("ab")),
        ("#EXT-X-DEFINE:NAME=\"a\"", .missingAttribute("VALUE")),
        ("#EXT-X-DEFINE:X=\"a\"", .missingAttribute("NAME")),
        ("#EXT-X-DEFINE:QUERYPARAM=\"broken\"", .variableUnusable("broken")),
    ]

    @Test("A variable without value, defined twice or with line ends is an error", arguments: faults)
    func fault(lines: String, reason: PlaylistError.Reason) throws {
        let source = VariableSource(query: "broken=%0A%22")
        let error = #expect(throws: PlaylistError.self) {
            try Playlist.reading("#EXTM3U\n#EXT-X-TARGETDURATION:4\n\(lines)\n", source: source)
        }
        #expect(error?.reason == reason)
    }

    @Test("Where the source may lack values, a variable from outside is empty and noted")
    func unknownValues() throws {
        var source = VariableSource()
        source.mayLackValues = true
        let text =
            "#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXT-X-DEFINE:QUERYPARAM=\"a\"\n#EXT-X-DEFINE:IMPORT=\"b\"\n"
        let read = try Playlist.reading(text + "#EXTINF:4,\nx{$a}{$b}.ts\n", source: source)
        #expect(try read.playlist.media.segments.map(\.uri) == ["x.ts"])
        #expect(read.notes == [DeviationNote(deviation: .unknownVariable, tag: .define, line: 3, count: 2)])
        let error = PlaylistError(line: 3, tag: nil, reason: .variableUndefined("c"))
        #expect(throws: error) { try Playlist.reading("#EXTM3U\n#EXTINF:4,\n{$c}\n", source: source) }
    }

    @Test("Variables may insert as many bytes as a playlist may have, in all its lines together")
    func insertedBytes() throws {
        var limits = ReadingLimits.standard
        limits.byteCount = 500
        let value = String(repeating: "v", count: 100)
        let head = "#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXT-X-DEFINE:NAME=\"n\",VALUE=\"\(value)\"\n"
        let segment = "#EXTINF:4,\n{$n}\n"
        let most = head + String(repeating: segment, count: 5)
        #expect(throws: Never.self) { try Playlist.reading(most, limits: limits) }
        let error = #expect(throws: PlaylistError.self) {
            try Playlist.reading(most + segment, limits: limits)
        }
        #expect(error?.line == 15)
        #expect(error?.reason == .limit(.insertedBytes, maximum: 500))
        #expect(error?.description == "line 15: more than 500 bytes inserted by variables")
    }

    @Test("A value that refers to another variable makes the playlist invalid: variables do not nest")
    func nesting() {
        let error = #expect(throws: PlaylistError.self) {
            try Playlist.reading(
                "#EXTM3U\n#EXT-X-DEFINE:QUERYPARAM=\"a\"\n", source: VariableSource(query: "a={$b}"))
        }
        #expect(error?.reason == .variableUnusable("a"))
    }
}
