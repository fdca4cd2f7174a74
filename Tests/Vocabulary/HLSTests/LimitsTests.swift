import HLS
import Testing

/// A low bound and a text that exceeds it.
struct Bound: Sendable, CustomTestStringConvertible {
    var limit: PlaylistError.Limit
    var text: String
    var limits: ReadingLimits

    var testDescription: String { limit.rawValue }

    init(_ limit: PlaylistError.Limit, _ text: String, _ change: (inout ReadingLimits) -> Void) {
        self.limit = limit
        self.text = text
        limits = .standard
        change(&limits)
    }
}

struct LimitsTests {
    static let segments = "#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\na\n#EXTINF:4,\nb\n#EXTINF:4,\nc\n"

    static let bounds: [Bound] = [
        Bound(.bytes, segments) { $0.byteCount = 2 },
        Bound(.lines, segments) { $0.lineCount = 2 },
        Bound(.lineBytes, segments) { $0.lineByteCount = 2 },
        Bound(.segments, segments) { $0.segmentCount = 2 },
        Bound(.attributes, "#EXTM3U\n#EXT-X-KEY:METHOD=A,B=1,C=2\n") { $0.attributeCount = 2 },
        Bound(
            .attributes, "#EXTM3U\n#EXT-X-DATERANGE:ID=\"a\",B=1\n#EXT-X-DATERANGE:ID=\"a\",C=1\n"
        ) { $0.attributeCount = 2 },
        Bound(
            .keys,
            (1...3).reduce("#EXTM3U\n") { $0 + "#EXT-X-KEY:METHOD=A,URI=\"u\",KEYFORMAT=\"\($1)\"\n" }
        ) { $0.keyCount = 2 },
        Bound(
            .variables, (1...3).reduce("#EXTM3U\n") { $0 + "#EXT-X-DEFINE:NAME=\"n\($1)\",VALUE=\"\"\n" }
        ) { $0.variableCount = 2 },
        Bound(
            .lineBytes,
            "#EXTM3U\n#EXT-X-DEFINE:NAME=\"n\",VALUE=\"1234567890\"\n#EXTINF:4,\n{$n}{$n}{$n}{$n}{$n}{$n}\n"
        ) { $0.lineByteCount = 50 },
        Bound(.discontinuities, "#EXTM3U\n" + String(repeating: "#EXT-X-DISCONTINUITY\n", count: 3)) {
            $0.discontinuityCount = 2
        },
    ]

    @Test("A playlist that exceeds a bound is refused, and the error names the bound", arguments: bounds)
    func bound(bound: Bound) throws {
        let error = #expect(throws: PlaylistError.self) {
            try Playlist.reading(bound.text, limits: bound.limits)
        }
        let maximum = bound.text.contains("{$n}") ? 50 : 2
        #expect(error?.reason == .limit(bound.limit, maximum: maximum))
    }
}
