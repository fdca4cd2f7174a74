import HLS
import Testing

/// A text that must not be accepted as a playlist, with position and reason.
struct Refusal: Sendable, CustomTestStringConvertible {
    var name: String
    var bytes: [UInt8]
    var error: PlaylistError

    var testDescription: String { name }

    init(_ name: String, _ text: String, line: Int, _ tag: PlaylistTag?, _ reason: PlaylistError.Reason) {
        self.init(name, bytes: Array(text.utf8), line: line, tag, reason)
    }

    init(_ name: String, bytes: [UInt8], line: Int, _ tag: PlaylistTag?, _ reason: PlaylistError.Reason) {
        self.name = name
        self.bytes = bytes
        error = PlaylistError(line: line, tag: tag, reason: reason)
    }
}

struct RefusalTests {
    static let head = "#EXTM3U\n#EXT-X-TARGETDURATION:4\n"

    static let lookalikes: [Refusal] = [
        Refusal("empty", "", line: 0, nil, .empty),
        Refusal("blank", "\n \n", line: 0, nil, .empty),
        Refusal("page", "<!DOCTYPE html><html>", line: 1, nil, .notAPlaylist(.html)),
        Refusal("page after blanks", "\n\n<HTML>", line: 3, nil, .notAPlaylist(.html)),
        Refusal("DASH", "<?xml version=\"1.0\"?><MPD>", line: 1, nil, .notAPlaylist(.xml)),
        Refusal("JSON", "{\"error\":404}", line: 1, nil, .notAPlaylist(.json)),
        Refusal("gzip", bytes: [0x1F, 0x8B, 8, 0], line: 1, nil, .notAPlaylist(.gzip)),
        Refusal("media", bytes: [0x47, 0x40, 0, 0x10], line: 1, nil, .notAPlaylist(.transportStream)),
        Refusal("no header", "#EXTINF:4,\na.ts\n", line: 1, nil, .notAPlaylist(.other)),
        Refusal("other header", "#EXTM3U8\n", line: 1, nil, .notAPlaylist(.other)),
        Refusal("UTF-16 with mark", bytes: [0xFF, 0xFE, 0x23, 0], line: 0, nil, .utf16),
        Refusal("UTF-16 without mark", bytes: [0x23, 0, 0x45, 0], line: 0, nil, .utf16),
        Refusal("plain list", "#EXTM3U\nhttp://a/1.m3u8\n", line: 0, nil, .noTags),
        Refusal(
            "channel list", "#EXTM3U\n#EXTINF:-1 tvg-id=\"1\" group-title=\"News, World\",One\nhttp://a/1\n",
            line: 2, .duration, .channelList),
        Refusal(
            "bare channel list", "#EXTM3U\n#EXTINF:-1,One\nhttp://a/1\n", line: 0, .duration, .channelList),
    ]

    static let contradictions: [Refusal] = [
        Refusal(
            "media then multivariant", head + "#EXT-X-STREAM-INF:BANDWIDTH=1\nv\n", line: 3,
            .streamInformation,
            .mixedKinds),
        Refusal(
            "multivariant then media", "#EXTM3U\n#EXT-X-MEDIA:TYPE=AUDIO\n#EXTINF:4,\n", line: 3, .duration,
            .mixedKinds),
        Refusal(
            "number too large", head + "#EXT-X-MEDIA-SEQUENCE:18446744073709551616\n", line: 3,
            .mediaSequence,
            .unreadable),
        Refusal("number negative", head + "#EXT-X-MEDIA-SEQUENCE:-1\n", line: 3, .mediaSequence, .unreadable),
        Refusal(
            "numbers run out", head + "#EXT-X-MEDIA-SEQUENCE:18446744073709551615\n#EXTINF:4,\na\n", line: 0,
            .mediaSequence, .unreadable),
        Refusal(
            "skips run out",
            head + "#EXT-X-MEDIA-SEQUENCE:9\n#EXT-X-SKIP:SKIPPED-SEGMENTS=18446744073709551615\n", line: 0,
            .mediaSequence, .unreadable),
        Refusal(
            "skip without number", head + "#EXT-X-SKIP:X=1\n", line: 3, .skip,
            .missingAttribute("SKIPPED-SEGMENTS")),
        Refusal(
            "range of nothing", head + "#EXTINF:4,\n#EXT-X-BYTERANGE:5\na\n", line: 5, nil,
            .unanchoredByteRange),
        Refusal(
            "range of another",
            head + "#EXTINF:4,\n#EXT-X-BYTERANGE:5@0\na\n#EXTINF:4,\n#EXT-X-BYTERANGE:5\nb\n", line: 8, nil,
            .unanchoredByteRange),
        Refusal(
            "key without method", head + "#EXT-X-KEY:URI=\"k\"\n", line: 3, .key, .missingAttribute("METHOD")),
        Refusal("map without URI", head + "#EXT-X-MAP:X=1\n", line: 3, .map, .missingAttribute("URI")),
    ]

    @Test(
        "A text that is not a playlist or contradicts itself is refused with position and reason",
        arguments: lookalikes + contradictions)
    func refused(refusal: Refusal) {
        #expect(throws: refusal.error) { try Playlist.reading(refusal.bytes) }
    }

    @Test("Only errors that another request may not have are transient")
    func transience() {
        #expect(PlaylistError(line: 1, tag: nil, reason: .notAPlaylist(.html)).isTransient)
        #expect(PlaylistError(line: 0, tag: nil, reason: .empty).isTransient)
        #expect(!PlaylistError(line: 2, tag: .duration, reason: .channelList).isTransient)
    }

    @Test("The description names line, tag and reason")
    func description() {
        let error = PlaylistError(line: 12, tag: .map, reason: .missingAttribute("URI"))
        #expect(error.description.hasPrefix("line 12, EXT-X-MAP: URI is missing"))
        let page = PlaylistError(line: 1, tag: nil, reason: .notAPlaylist(.html))
        #expect(page.description.contains("a web page"))
    }
}
