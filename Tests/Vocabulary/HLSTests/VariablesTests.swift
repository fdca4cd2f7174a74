import HLS
import TestSupport
import Testing

struct VariablesTests {
    static let source = VariableSource(
        url: "https://a.example/x.m3u8?token=a%2Fb%20c&empty&token=second#fragment", imports: ["auth": "k=v"])

    @Test("Variables come from the playlist, the URL's query and the multivariant playlist")
    func values() throws {
        let playlist = try readMedia(
            """
            #EXTM3U
            #EXT-X-TARGETDURATION:4
            #EXT-X-DEFINE:NAME="host",VALUE="cdn.example"
            #EXT-X-DEFINE:QUERYPARAM="token"
            #EXT-X-DEFINE:IMPORT="auth"
            #EXT-X-MAP:URI="https://{$host}/init.mp4"
            #EXTINF:4,{$host} stays in a title
            https://{$host}/{$token}/{a}/{$}.mp4?{$auth}
            """, source: Self.source)
        #expect(playlist.segments[0].uri == "https://cdn.example/a/b c/{a}/{$}.mp4?k=v")
        #expect(playlist.segments[0].map?.uri == "https://cdn.example/init.mp4")
        #expect(playlist.segments[0].title == "{$host} stays in a title")
        #expect(playlist.variables == ["host": "cdn.example", "token": "a/b c", "auth": "k=v"])
    }

    @Test("Definitions are written in the form they had")
    func roundTrip() throws {
        let text = """
            #EXTM3U
            #EXT-X-TARGETDURATION:4
            #EXT-X-DEFINE:QUERYPARAM="token"
            #EXT-X-DEFINE:IMPORT="auth"
            #EXTINF:4,
            {$auth}.ts
            """
        let playlist = try readMedia(text, source: Self.source)
        #expect(
            playlist.written().contains("#EXT-X-DEFINE:QUERYPARAM=\"token\"\n#EXT-X-DEFINE:IMPORT=\"auth\"\n")
        )
        #expect(try readMedia(playlist.written(), source: Self.source) == playlist)
    }

    static let faults: [(String, PlaylistError.Reason)] = [
        ("#EXTINF:4,{$nobody}\n{$nobody}.ts", .variableUndefined("nobody")),
        ("#EXT-X-MAP:URI=\"{$nobody}\"", .variableUndefined("nobody")),
        ("#EXT-X-DEFINE:IMPORT=\"nobody\"", .variableUndefined("nobody")),
        ("#EXT-X-DEFINE:QUERYPARAM=\"nobody\"", .variableUndefined("nobody")),
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
