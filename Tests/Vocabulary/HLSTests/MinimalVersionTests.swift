import HLS
import Testing

struct MinimalVersionTests {
    static func list(_ segment: MediaSegment) -> MediaPlaylist {
        var playlist = MediaPlaylist()
        playlist.segments = [segment]
        return playlist
    }

    static func segment(_ change: (inout MediaSegment) -> Void) -> MediaPlaylist {
        var segment = MediaSegment(uri: "a", durationMicroseconds: 1)
        change(&segment)
        return list(segment)
    }

    static func whole(_ change: (inout MediaPlaylist) -> Void) -> MediaPlaylist {
        var playlist = MediaPlaylist()
        change(&playlist)
        return playlist
    }

    static let table: [(MediaPlaylist, Int)] = [
        (segment { _ in }, 3),
        (segment { $0.keys = [Key(method: .aes128, uri: "k", initializationVector: 1)] }, 3),
        (segment { $0.byteRange = ByteRange(length: 1, offset: 0) }, 4),
        (whole { $0.isIFramesOnly = true }, 4),
        (segment { $0.keys = [Key(method: .aes128, uri: "k", keyFormat: "x")] }, 5),
        (segment { $0.keys = [Key(method: .sampleAES, uri: "k")] }, 5),
        (segment { $0.map = MediaMap(uri: "i") }, 6),
        (segment { $0.isGap = true }, 8),
        (whole { $0.definitions = [Definition(name: "a", value: "b")] }, 8),
        (whole { $0.skip = .init(segmentCount: 1) }, 9),
        (whole { $0.skip = .init(segmentCount: 1, removedDateRanges: "a") }, 10),
        (whole { $0.definitions = [Definition(name: "a", value: "b", origin: .queryParameter)] }, 11),
    ]

    @Test("A media playlist needs the version of its tags (RFC 8216bis §8)", arguments: table)
    func media(playlist: MediaPlaylist, expected: Int) {
        #expect(playlist.minimalVersion == expected)
    }

    @Test("A map in an I-frame playlist needs only version 5")
    func mapOfIFrames() {
        var playlist = Self.segment { $0.map = MediaMap(uri: "i") }
        playlist.isIFramesOnly = true
        #expect(playlist.minimalVersion == 5)
    }

    @Test("A multivariant playlist needs the version of its renditions and variants")
    func multivariant() {
        var playlist = MultivariantPlaylist()
        #expect(playlist.minimalVersion == 3)
        playlist.renditions = [Rendition(type: .closedCaptions, groupID: "c", name: "n")]
        playlist.renditions[0].instreamID = "SERVICE1"
        #expect(playlist.minimalVersion == 7)
        playlist.variants = [VariantStream(uri: "v", bandwidth: 1)]
        playlist.variants[0].requiredVideoLayout = "CH-STEREO"
        #expect(playlist.minimalVersion == 12)
        playlist.renditions[0].type = .audio
        #expect(playlist.minimalVersion == 13)
    }
}
