import HLS
import TestSupport
import Testing
import Timeline

@testable import Recorder

/// RFC 8216bis §4.4.2.3: a media playlist imports variables of the multivariant playlist that named it.
@Suite("Variables that media playlists import")
struct ImportedVariablesTests {
    private static func master(_ token: String) -> String {
        """
        #EXTM3U
        #EXT-X-DEFINE:NAME="token",VALUE="\(token)"
        #EXT-X-STREAM-INF:BANDWIDTH=1000000
        v.m3u8

        """
    }

    /// A list of one segment, of a second, whose URI takes the variable.
    private static func media(_ number: Int = 1) -> String {
        """
        #EXTM3U
        #EXT-X-TARGETDURATION:1
        #EXT-X-MEDIA-SEQUENCE:\(number)
        #EXT-X-DEFINE:IMPORT="token"
        #EXTINF:1,
        {$token}/\(number).vtt

        """
    }

    @Test("are those of the last one that was read")
    func renewed() async throws {
        try await Origin.run { origin in
            origin.serve("/index.m3u8", Self.master("new"))
            origin.serve("/v.m3u8", Self.media())
            let clock = TestClock()
            let places = [video(0): try origin.url("/v.m3u8")]
            let session = SourceSession(
                places, variables: ["token": "old"], link: try origin.link(), clock: clock.clock,
                planning: { _, _ in places })
            #expect(try await Self.uri(session) == "old/1.vtt")
            clock.pass(60)
            #expect(await session.renew())
            #expect(try await Self.uri(session) == "new/1.vtt")
        }
    }

    private static func uri(_ session: SourceSession) async throws -> String? {
        let fetched = try await session.playlist(of: video(0), fresh: false)
        guard case .media(let list) = fetched.playlist else { return nil }
        return list.segments.first?.uri
    }

    @Test("let their segments be recorded, and a source be found to deliver again", .timeLimit(.minutes(1)))
    func recorded() async throws {
        try await House.run { house in
            try await Origin.run { origin in
                origin.serve("/index.m3u8", Self.master("a"))
                origin.serve("/v.m3u8") { Self.media($0) }
                let process = try await RecordingProcess(house)
                try await process.recording(from: origin) {
                    try await eventually("a segment asked for") { origin.requests(for: "/a/1.vtt") > 0 }
                }
                let scout = SourceScout(parts: process.parts, pause: .milliseconds(10))
                let settings = try origin.source("/index.m3u8")
                #expect(await scout.find(among: [settings]) == settings)
                await process.kill()
            }
        }
    }
}
