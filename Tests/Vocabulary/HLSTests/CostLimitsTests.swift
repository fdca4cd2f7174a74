import HLS
import TestSupport
import Testing

/// A line that may stand in a playlist only so often, and the bound that says so.
struct CountedLine: Sendable, CustomTestStringConvertible {
    var tag: PlaylistTag
    var line: @Sendable (Int) -> String
    var limits = ReadingLimits.standard

    var testDescription: String { tag.rawValue }

    /// The bound, set to two.
    init(
        _ tag: PlaylistTag, _ bound: (inout ReadingLimits) -> Void,
        _ line: @escaping @Sendable (Int) -> String,
    ) {
        self.tag = tag
        self.line = line
        bound(&limits)
    }

    func text(count: Int) -> String {
        (0..<count).reduce(into: "#EXTM3U\n") { $0 += line($1) + "\n" }
    }
}

struct CostLimitsTests {
    static let ofDateRanges: @Sendable (inout ReadingLimits) -> Void = { $0.dateRangeCount = 2 }
    static let ofRenditions: @Sendable (inout ReadingLimits) -> Void = { $0.renditionCount = 2 }
    static let ofKeys: @Sendable (inout ReadingLimits) -> Void = { $0.keyChangeCount = 2 }

    static let lines: [CountedLine] = [
        CountedLine(.dateRange, ofDateRanges) { "#EXT-X-DATERANGE:ID=\"\($0)\"" },
        CountedLine(.dateRange, ofDateRanges) { _ in "#EXT-X-DATERANGE:ID=\"a\"" },
        CountedLine(.media, ofRenditions) { _ in "#EXT-X-MEDIA:TYPE=AUDIO" },
        CountedLine(.streamInformation, ofRenditions) { _ in "#EXT-X-STREAM-INF:BANDWIDTH=1\nv.m3u8" },
        CountedLine(.iFrameStreamInformation, ofRenditions) { _ in "#EXT-X-I-FRAME-STREAM-INF:URI=\"i\"" },
        CountedLine(.sessionData, ofRenditions) { "#EXT-X-SESSION-DATA:DATA-ID=\"\($0)\"" },
        CountedLine(.sessionKey, ofRenditions) { "#EXT-X-SESSION-KEY:METHOD=AES-128,URI=\"\($0)\"" },
        CountedLine(.preloadHint, ofRenditions) { "#EXT-X-PRELOAD-HINT:TYPE=PART,URI=\"\($0)\"" },
        CountedLine(.renditionReport, ofRenditions) { "#EXT-X-RENDITION-REPORT:URI=\"\($0)\"" },
        CountedLine(.key, ofKeys) { "#EXT-X-KEY:METHOD=AES-128,URI=\"\($0)\"" },
        CountedLine(.map, ofKeys) { "#EXT-X-MAP:URI=\"\($0)\"" },
    ]

    @Test("A playlist may have so many tags of a kind, and one more refuses it", arguments: lines)
    func counts(line: CountedLine) throws {
        #expect(throws: Never.self) { try Playlist.reading(line.text(count: 2), limits: line.limits) }
        let error = #expect(throws: PlaylistError.self) {
            try Playlist.reading(line.text(count: 3), limits: line.limits)
        }
        #expect(error?.tag == line.tag)
        #expect(error?.reason == .limit(.tags, maximum: 2))
    }

    @Test("A key and a map that are repeated before each segment count once")
    func repeatedKey() throws {
        var limits = ReadingLimits.standard
        limits.keyChangeCount = 1
        let lines = "#EXT-X-KEY:METHOD=AES-128,URI=\"k\"\n#EXT-X-MAP:URI=\"m\"\n#EXTINF:1,\na\n"
        let text = "#EXTM3U\n" + String(repeating: lines, count: 3)
        let playlist = try Playlist.reading(text, limits: limits).playlist.media
        #expect(playlist.segments.count == 3)
        let key = Key(method: .aes128, uri: "k")
        #expect(playlist.segments.last?.keys == [key])
        #expect(playlist.segments.last?.map == MediaMap(uri: "m", keys: [key]))
    }

    @Test("Keys of several formats that are repeated before each segment count once")
    func repeatedKeys() throws {
        var limits = ReadingLimits.standard
        limits.keyChangeCount = 4
        let keys = ["a", "b"].map { "#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"\($0)\",KEYFORMAT=\"\($0)\"\n" }
        let lines = keys.joined() + "#EXTINF:1,\ns\n"
        let clear = "#EXT-X-KEY:METHOD=NONE\n#EXTINF:1,\ns\n"
        let text = "#EXTM3U\n" + String(repeating: lines, count: 9) + clear + lines
        #expect(throws: PlaylistError.self) { try Playlist.reading(text, limits: limits) }
        limits.keyChangeCount = 5
        let segments = try Playlist.reading(text, limits: limits).playlist.media.segments
        #expect(segments.count == 11)
        #expect(segments.map(\.keys.count) == Array(repeating: 2, count: 9) + [0, 2])
        #expect(segments.map { $0.keys.map(\.keyFormat) }.last == ["a", "b"])
    }

    @Test("A map that is repeated after a key changed is encrypted with the new key")
    func mapAfterKey() throws {
        let map = "#EXT-X-MAP:URI=\"m\"\n"
        let playlist = try readMedia(
            "#EXTM3U\n\(map)#EXTINF:1,\na\n#EXT-X-KEY:METHOD=AES-128,URI=\"k\"\n\(map)#EXTINF:1,\nb\n"
                + "#EXT-X-KEY:METHOD=NONE\n\(map)#EXTINF:1,\nc\n")
        #expect(playlist.segments.map { $0.map?.keys.map(\.uri) } == [[], ["k"], []])
    }

    @Test("Attributes of all tags are bounded, also those that are repeated or malformed")
    func attributeTotal() {
        var limits = ReadingLimits.standard
        limits.totalAttributeCount = 10
        for list in ["A=1,A=1,A=1", "A,A,A", "A=1,B=2,C=3"] {
            let text = "#EXTM3U\n" + String(repeating: "#EXT-X-PRELOAD-HINT:\(list)\n", count: 4)
            let error = #expect(throws: PlaylistError.self) { try Playlist.reading(text, limits: limits) }
            #expect(error?.reason == .limit(.allAttributes, maximum: 10))
            #expect(error?.line == 5)
        }
    }

    @Test("References to empty variables are bounded as well")
    func emptyReferences() {
        var limits = ReadingLimits.standard
        limits.byteCount = 1_000
        let text =
            "#EXTM3U\n#EXT-X-DEFINE:NAME=\"n\",VALUE=\"\"\n#EXTINF:1,\n"
            + String(repeating: "{$n}", count: 63)
        let error = #expect(throws: PlaylistError.self) { try Playlist.reading(text, limits: limits) }
        #expect(error?.reason == .limit(.insertedBytes, maximum: 1_000))
    }

    @Test("What is kept of a playlist is bounded in memory")
    func memory() throws {
        var limits = ReadingLimits.standard
        limits.memoryByteCount = 100_000
        let title = String(repeating: "t", count: 100)
        let text = "#EXTM3U\n" + String(repeating: "#EXTINF:1,\(title)\n\(title)\n", count: 1_000)
        let error = #expect(throws: PlaylistError.self) { try Playlist.reading(text, limits: limits) }
        #expect(error?.reason == .limit(.memory, maximum: 100_000))
        #expect((error?.line ?? 0) > 300)
    }

    @Test("Unknown lines and parts beyond their share of memory are left out and noted; segments stay")
    func surplusLines() throws {
        var limits = ReadingLimits.standard
        limits.keptLineByteCount = 1_000
        let lines = "#EXT-X-VENDOR:1\n#EXT-X-PART:URI=\"p\"\n#EXTINF:1,\na\n"
        let read = try Playlist.reading("#EXTM3U\n" + String(repeating: lines, count: 20), limits: limits)
        let playlist = try read.playlist.media
        #expect(playlist.segments.count == 20)
        let kept = playlist.segments.reduce(0) { $0 + $1.unknownLines.count + $1.partLines.count }
        #expect((5...12).contains(kept + playlist.unknownLines.count))
        let left = read.notes.filter { $0.deviation == .surplusLine }.reduce(0) { $0 + $1.count }
        #expect(left == 40 - kept - playlist.unknownLines.count)
    }

    @Test("Two days of one-second segments with dates and titles are within the bounds")
    func longestPlaylist() throws {
        let count = 172_800
        var text = "#EXTM3U\n#EXT-X-TARGETDURATION:1\n"
        for number in 0..<count {
            text += "#EXTINF:1.000000,a title of the segment\n../1080p/segment-\(100_000 + number).ts\n"
            if number % 2 == 0 { text += "#EXT-X-PROGRAM-DATE-TIME:2026-01-01T00:00:00.000Z\n" }
        }
        #expect(text.utf8.count < ReadingLimits.standard.byteCount)
        #expect(try readMedia(text).segments.count == count)
    }
}
