import Testing
import Timeline

@testable import HLS

struct CueTagTests {
    private static func pairs(_ tag: CueTag?) -> [String] {
        (tag?.attributes.attributes ?? []).map { "\($0.name)=\($0.value)" }
    }

    @Test("A cue tag has a value or attributes, and may say how long its break is")
    func read() {
        let out = CueTag(line: "#EXT-X-CUE-OUT:30.5")
        #expect(out?.tag == .cueOut && out?.value == "30.5" && out?.durationMicroseconds == 30_500_000)
        let named = CueTag(line: "#EXT-X-CUE-OUT:DURATION=15,BREAKID=0x1")
        #expect(Self.pairs(named) == ["DURATION=15", "BREAKID=0x1"] && named?.value == nil)
        #expect(named?.durationMicroseconds == 15_000_000)
        let continued = CueTag(line: "#EXT-X-CUE-OUT-CONT:8.308/30")
        #expect(continued?.value == "8.308/30" && continued?.durationMicroseconds == 30_000_000)
        let elapsed = CueTag(line: "#EXT-X-CUE-OUT-CONT:ElapsedTime=6.006,Duration=30,SCTE35=\"/DAl,w==\"")
        #expect(Self.pairs(elapsed) == ["ElapsedTime=6.006", "Duration=30", "SCTE35=/DAl,w=="])
        #expect(elapsed?.durationMicroseconds == 30_000_000)
        let splice = CueTag(line: "#EXT-OATCLS-SCTE35:DAlAAAA=")
        #expect(splice?.value == "DAlAAAA=" && Self.pairs(splice).isEmpty)
        let bare = CueTag(line: "#EXT-X-CUE-IN")
        #expect(bare?.tag == .cueIn && bare?.value == nil && bare?.durationMicroseconds == nil)
    }

    @Test(
        "Other lines are no cue tags",
        arguments: ["#EXTINF:4,", "# EXT-X-CUE-IN", "#EXT-X-CUE-INN", "", "a.ts"])
    func others(line: String) {
        #expect(CueTag(line: line) == nil)
    }

    @Test(
        "A range that is made of a cue tag gives it back",
        arguments: [
            "#EXT-X-CUE-OUT:DURATION=30,BREAKID=\"b'1\"", "#EXT-X-CUE:ID=\"100%22,%25\"",
            "#EXT-X-CUE-IN", "#EXT-OATCLS-SCTE35:DAlAAAA=", "#EXT-X-CUE:ID=\"\u{301}%\u{301}\"",
        ])
    func range(line: String) throws {
        let range = try #require(DateRange(cueTag: line, startMicroseconds: 5, idBytes: 12))
        #expect(range.startMicroseconds == 5 && range.id.utf8.count <= 12)
        #expect(line.hasPrefix("#" + range.id))
        let attributes = range.attributes.attributes
        #expect(DateRange.cueTag(of: attributes) == line)
        #expect(!attributes.contains { $0.value.utf8.contains(UInt8(ascii: "\"")) })
    }

    @Test("No range is made of other lines, nor of a tag that a break goes on with; others are no cue tags")
    func noRange() throws {
        for line in ["#EXTINF:4,", "#EXT-X-CUE-OUT-CONT:8/30"] {
            #expect(DateRange(cueTag: line, startMicroseconds: 5, idBytes: 256) == nil)
        }
        var other = AttributeList()
        other.append("X-CUE-TAG", quoted: "of a vendor")
        #expect(DateRange.cueTag(of: other.attributes) == nil)
        #expect(DateRange.cueTag(of: []) == nil)
    }
}
