import Testing
import Timeline

@testable import Recorder

@Suite("A playlist with an impossible byte range")
struct UnusableRangeTests {
    @Test("is recorded but for that segment", arguments: ["1@9223372036854775807", "99999999999999999999@0"])
    func others(range: String) throws {
        let text =
            "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXT-X-MEDIA-SEQUENCE:0\n#EXTINF:6,\n0.ts\n"
            + "#EXTINF:6,\n#EXT-X-BYTERANGE:\(range)\n1.ts\n#EXTINF:6,\n2.ts\n"
        var driver = try StateDriver([SourceSettings(url: "http://one.test/live.m3u8")])
        let opening = try #require(driver.begin(at: 0).playlistRequests.first)
        let actions = try driver.answer(opening, text, at: 0.1)
        #expect(actions.segmentURIs == ["0.ts", "2.ts"])
        var lost: [[String: String]] = []
        for case .log(let message) in actions where message.text == "A segment is lost" {
            lost.append(message.metadata)
        }
        #expect(lost.map { $0["number"] } == ["1"])
        #expect(lost.map { $0["reason"] } == ["source_gap"])
    }
}
