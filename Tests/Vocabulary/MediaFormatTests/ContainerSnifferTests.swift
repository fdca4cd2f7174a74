import Testing

@testable import MediaFormat

struct ContainerSnifferTests {
    @Test(
        "What origins send instead of media is identified",
        arguments: [
            ("<!DOCTYPE html><html><body>404</body></html>", DetectedContent.html), ("  \r\n<HTML>", .html),
            ("\u{FEFF}<html>", .html), ("<?xml version=\"1.0\"?><Error/>", .xml), ("{\"error\":1}", .json),
            ("[1]", .json),
            ("#EXTM3U\n#EXT-X-VERSION:3\n", .playlist), ("Gateway Timeout", .text), ("Not Found", .text),
            ("WEBVT", .text),
            ("WEBVTTX", .text), ("G" + String(repeating: "o", count: 600), .text),
            ("GIF89a\u{1}\u{2}" + String(repeating: "x", count: 400), .binary),
        ])
    func lookalikes(text: String, kind: DetectedContent) {
        let excerpt = Array(text.utf8.prefix(Limits.excerptByteCount))
        #expect(throws: MediaFormatError.unrecognised(kind, excerpt: excerpt)) {
            try MediaInspector.inspect(Array(text.utf8))
        }
    }

    @Test(
        "Compressed and encrypted bodies do not count as media",
        arguments: [
            ([0x1F, 0x8B, 8, 0], DetectedContent.gzip), ([0xDE, 0xAD, 0xBE, 0xEF], .binary),
            ([0xFF, 0xFE, 0x3C, 0x00], .binary),
        ] as [([UInt8], DetectedContent)])
    func binary(bytes: [UInt8], kind: DetectedContent) {
        #expect(throws: MediaFormatError.unrecognised(kind, excerpt: bytes)) {
            try MediaInspector.inspect(bytes)
        }
    }

    @Test("An empty body is an error of its own")
    func empty() {
        #expect(throws: MediaFormatError.empty) { try MediaInspector.inspect([UInt8]()) }
    }

    @Test(
        "WebVTT is whole, even if it is only its name (RFC 8216bis §3.5)",
        arguments: [
            "WEBVTT", "WEBVTT\n", "\u{FEFF}WEBVTT\r\n\r\n",
            "WEBVTT title\nX-TIMESTAMP-MAP=MPEGTS:900000,LOCAL:00:00:00.000\n",
        ])
    func webVTT(text: String) throws {
        let found = try MediaInspector.inspect(Array(text.utf8))
        #expect(found.container == .webVTT)
        #expect(found.integrity == .whole)
        #expect(found.tracks.map(\.kind) == [.subtitles])
        #expect(found.byteCount == text.utf8.count)
    }
}
