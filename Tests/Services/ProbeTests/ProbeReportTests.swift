import Foundation
import HLS
import JSON
import TestSupport
import Testing

@testable import Probe

struct ProbeReportTests {
    static let media = """
        #EXTM3U
        #EXT-X-VERSION:6
        #EXT-X-TARGETDURATION:4
        #EXT-X-MEDIA-SEQUENCE:18446744073709551000
        #EXT-X-DISCONTINUITY-SEQUENCE:3
        #EXT-X-PLAYLIST-TYPE:EVENT
        #EXTINF:4.5
        a.ts
        #EXT-X-KEY:METHOD=AES-128,URI="k"
        #EXT-X-MAP:URI="init.mp4"
        #EXT-X-DISCONTINUITY
        #EXT-X-DISCONTINUITY
        #EXT-X-BYTERANGE:10@0
        #EXTINF:3.25
        b.mp4
        #EXT-X-GAP
        #EXT-X-PART:DURATION=2,URI="c.0"
        #EXTINF:4,
        c.mp4
        #EXT-X-PART:DURATION=2,URI="d.0"
        #EXT-X-ENDLIST
        """

    /// The members of a report, read by another reader.
    func members(_ text: String) throws -> NSDictionary {
        let report = ProbeReport(source: "list", bytes: Array(text.utf8))
        let object = try JSONSerialization.jsonObject(with: Data(report.jsonLine))
        return try #require(object as? NSDictionary)
    }

    @Test("The report on a media playlist has all that the playlist says")
    func mediaPlaylist() throws {
        let expected: NSDictionary = [
            "source": "list", "kind": "media", "reason": NSNull(), "recordable": true, "version": 6,
            "segments": 3, "total_duration_seconds": 11.75, "target_duration_seconds": 4,
            "derived_target_duration_seconds": NSNull(),
            "media_sequence": 18_446_744_073_709_551_000 as UInt64, "discontinuity_sequence": 3,
            "discontinuities": 2, "end_list": true, "playlist_type": "EVENT", "keyed_segments": 2,
            "mapped_segments": 2, "byterange_segments": 1, "gaps": 1, "parts": 2, "variants": 0,
            "renditions": 0,
            "notes": [
                ["line": 7, "tag": "EXTINF", "deviation": "EXTINF without a comma", "count": 2]
                    as NSDictionary
            ],
        ]
        #expect(try members(Self.media) == expected)
    }

    @Test("The report on a multivariant playlist counts variants and renditions")
    func multivariantPlaylist() throws {
        let text = """
            #EXTM3U
            #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="en",URI="a.m3u8"
            #EXT-X-STREAM-INF:BANDWIDTH=1,AUDIO="a"
            low.m3u8
            #EXT-X-STREAM-INF:BANDWIDTH=2,AUDIO="a"
            high.m3u8
            """
        let members = try members(text)
        #expect(members["kind"] as? String == "multivariant")
        #expect(members["variants"] as? Int == 2)
        #expect(members["renditions"] as? Int == 1)
        #expect(members["segments"] as? Int == 0)
        #expect(members["total_duration_seconds"] is NSNull)
        #expect(members["recordable"] as? Bool == true)
    }

    @Test("A derived target duration is told from a given one")
    func derivedTarget() throws {
        let members = try members("#EXTM3U\n#EXTINF:5.6,\na.ts\n")
        #expect(members["target_duration_seconds"] is NSNull)
        #expect(members["derived_target_duration_seconds"] as? Int == 6)
    }

    @Test("A text that is no playlist is refused with the reason, and its report has the same members")
    func refused() throws {
        let page = try members("<html>")
        #expect(page["kind"] as? String == "refused")
        #expect((page["reason"] as? String)?.contains("a web page") == true)
        #expect(page["recordable"] as? Bool == false)
        let names = try #require(page.allKeys as? [String])
        #expect(Set(names) == Set(try #require(members(Self.media).allKeys as? [String])))
    }

    @Test(
        "What is read but no channel is not refused, and cannot be recorded",
        arguments: [
            "#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXT-X-I-FRAMES-ONLY\n#EXTINF:4,\na.ts\n",
            "#EXTM3U\n#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"a\",NAME=\"en\",URI=\"a.m3u8\"\n",
        ])
    func noChannel(text: String) {
        let report = ProbeReport(source: "list", bytes: Array(text.utf8))
        #expect(!report.isRefused)
        #expect(report.obstacle != nil)
        #expect(report.text.contains("cannot be recorded: it h"))
    }

    @Test("The text for a person says the same in words")
    func text() {
        let report = ProbeReport(source: "list", bytes: Array(Self.media.utf8))
        #expect(
            report.text == """
                list: media playlist, can be recorded
                  segments: 3 from number 18446744073709551000, 11.75 s, target duration 4 s, EVENT, ended
                  discontinuities: 2, with a key: 2, with an initialization section: 2, byte ranges: 1, gaps: 1, parts: 2
                  line 7, EXTINF: EXTINF without a comma (2 times)

                """)
        let refused = ProbeReport(source: "list", bytes: [])
        #expect(refused.text == "list: refused: the body is empty\n")
    }

    @Test("Every playlist of the standard's fixtures is read as a file")
    func standard() async throws {
        let names = try Fixtures.standard.names().filter { $0.hasSuffix(".m3u8") }
        #expect(!names.isEmpty)
        let prober = try PlaylistProber.open(for: [], logger: silentLogger)
        for name in names {
            let report = await prober.report(on: Fixtures.standard.path(name))
            #expect(!report.isRefused, "\(report.text)")
        }
    }
}
