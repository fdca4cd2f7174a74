import HLS
import Testing
import Timeline

@testable import Playback

struct MapAndKeyTagsTests {
    private let oldKey = "0123456789abcdef0123456789abcdef"
    private let newKey = "fedcba9876543210fedcba9876543210"

    private func keyed(_ recorded: [RecordedSegment], iv: UInt8) -> [RecordedSegment] {
        recorded.map { segment in
            var keyed = segment
            keyed.iv = [UInt8](repeating: 0, count: 15) + [iv]
            return keyed
        }
    }

    @Test("The key is written at the first segment and whenever IV or key changes, and NONE ends it")
    func keys() throws {
        var recorded = RecordedFixture(
            keyed(run(2, from: 0, format: 2), iv: 7) + keyed(run(1, from: 8, format: 2), iv: 8)
                + keyed(run(1, from: 12, format: 3), iv: 8) + run(1, from: 16, sequence: 1))
        recorded.formats[2] = .encrypted(oldKey)
        recorded.formats[3] = .encrypted(newKey)
        #expect(
            try lines(recorded.closed(0, 20).text()) == [
                "#EXT-X-KEY:METHOD=AES-128,URI=\"keys/\(oldKey)\",IV=0x00000000000000000000000000000007",
                "v0/1469509516000.ts", "v0/1469509520000.ts",
                "#EXT-X-KEY:METHOD=AES-128,URI=\"keys/\(oldKey)\",IV=0x00000000000000000000000000000008",
                "v0/1469509524000.ts",
                "#EXT-X-KEY:METHOD=AES-128,URI=\"keys/\(newKey)\",IV=0x00000000000000000000000000000008",
                "v0/1469509528000.ts", "#EXT-X-DISCONTINUITY", "#EXT-X-KEY:METHOD=NONE",
                "v0/1469509532000.ts",
            ])
    }

    @Test("A window that starts in the middle writes the key in force")
    func middle() throws {
        var recorded = RecordedFixture(keyed(run(5, from: 0, format: 2), iv: 7))
        recorded.formats[2] = .encrypted(oldKey)
        let list = try #require(try readBack(try recorded.closed(9, 12).text()))
        #expect(list.segments.count == 1)
        #expect(list.segments.first?.keys.first?.uri == "keys/\(oldKey)")
        #expect(list.segments.first?.keys.first?.initializationVector == 7)
    }

    @Test("The key is written again after a discontinuity")
    func restated() throws {
        var recorded = RecordedFixture(
            keyed(run(1, from: 0, format: 2), iv: 7) + keyed(run(1, from: 60, sequence: 1, format: 2), iv: 7))
        recorded.formats[2] = .encrypted(oldKey)
        let text = try recorded.closed(0, 64).text() ?? ""
        #expect(text.split(separator: "\n").count { $0.hasPrefix("#EXT-X-KEY:METHOD=AES-128") } == 2)
    }

    @Test("MAP is written at the first segment, at a change and after a discontinuity, with version 6")
    func maps() throws {
        var recorded = RecordedFixture(
            run(2, from: 0, format: 2) + run(1, from: 8, sequence: 1, format: 3)
                + run(1, from: 60, sequence: 2, format: 3))
        recorded.formats[2] = .fragmented("init-0000000000000001.mp4")
        recorded.formats[3] = .fragmented("init-0000000000000002.mp4")
        let text = try recorded.closed(0, 64).text() ?? ""
        #expect(text.contains("#EXT-X-VERSION:6\n"))
        #expect(
            lines(text) == [
                "#EXT-X-MAP:URI=\"v0/init-0000000000000001.mp4\"", "v0/1469509516000.m4s",
                "v0/1469509520000.m4s",
                "#EXT-X-DISCONTINUITY", "#EXT-X-MAP:URI=\"v0/init-0000000000000002.mp4\"",
                "v0/1469509524000.m4s",
                "#EXT-X-DISCONTINUITY", "#EXT-X-MAP:URI=\"v0/init-0000000000000002.mp4\"",
                "v0/1469509576000.m4s",
            ])
    }

    @Test("No key applies to an initialization section, because these are stored clear")
    func mapAndKey() throws {
        var recorded = RecordedFixture(
            keyed(run(1, from: 0, format: 2), iv: 7) + keyed(run(1, from: 60, sequence: 1, format: 2), iv: 8))
        var format = SegmentFormat.fragmented("init-0000000000000001.mp4")
        format.keyMethod = "AES-128"
        format.keyName = oldKey
        recorded.formats[2] = format
        let list = try #require(try readBack(try recorded.closed(0, 64).text()))
        #expect(list.segments.map { $0.map?.keys.isEmpty } == [true, true])
        #expect(list.segments.map { $0.keys.first?.initializationVector } == [7, 8])
    }

    @Test("Keys of DRM systems are written unchanged, with version 5")
    func foreignKeys() throws {
        var recorded = RecordedFixture(run(1, from: 0, format: 2) + run(1, from: 4, sequence: 1))
        var format = SegmentFormat.muxed
        format.keyMethod = "SAMPLE-AES"
        format.drmTags = [
            "#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"skd://a\",KEYFORMAT=\"com.apple.streamingkeydelivery\""
        ]
        recorded.formats[2] = format
        let text = try recorded.closed(0, 8).text() ?? ""
        #expect(text.contains("#EXT-X-VERSION:5\n"))
        #expect(
            lines(text) == [
                format.drmTags[0], "v0/1469509516000.ts", "#EXT-X-DISCONTINUITY", "#EXT-X-KEY:METHOD=NONE",
                "v0/1469509520000.ts",
            ])
    }

    @Test(
        "A key of sample encryption is written like any other, without an IV if its method has none",
        arguments: [("SAMPLE-AES", ",IV=0x00000000000000000000000000000007"), ("SAMPLE-AES-CTR", "")])
    func sampleKeys(method: String, vector: String) throws {
        let segments = run(1, from: 0, format: 2)
        var recorded = RecordedFixture(vector.isEmpty ? segments : keyed(segments, iv: 7))
        var format = SegmentFormat.muxed
        (format.keyMethod, format.keyName) = (method, oldKey)
        recorded.formats[2] = format
        let text = try recorded.closed(0, 4).text() ?? ""
        #expect(text.contains("#EXT-X-VERSION:5\n"))
        let key = "#EXT-X-KEY:METHOD=\(method),URI=\"keys/\(oldKey)\"\(vector)"
        #expect(lines(text) == [key, "v0/1469509516000.ts"])
    }

    /// The URIs of segments and the lines that apply to several segments.
    private func lines(_ text: String?) -> [String] {
        let wanted = ["#EXT-X-KEY", "#EXT-X-MAP", "#EXT-X-DISCONTINUITY", "v0/"]
        return (text ?? "").split(separator: "\n").map(String.init).filter { line in
            wanted.contains { line.hasPrefix($0) } && !line.hasPrefix("#EXT-X-DISCONTINUITY-SEQUENCE")
        }
    }
}
