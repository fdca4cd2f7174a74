import Testing

@testable import LiveOrigin

@Suite("The encoder's own playlists")
struct EncoderPlaylistTests {
    @Test("Entries count on from the media sequence number")
    func entries() {
        let text =
            "#EXTM3U\n#EXT-X-MEDIA-SEQUENCE:5\n#EXT-X-MAP:URI=\"init_2.mp4\"\n#EXTINF:4.000000,\n5.ts\n#EXTINF:3.9,\n6.ts\n"
        #expect(EncoderPlaylist(text).initialization == "init_2.mp4")
        #expect(
            EncoderPlaylist(text).entries == [
                .init(index: 5, durationSeconds: 4, file: "5.ts"),
                .init(index: 6, durationSeconds: 3.9, file: "6.ts"),
            ])
    }

    @Test(
        "An empty text or one with only separators has no entries",
        arguments: ["", "x\n", "#EXTINF:abc,\n5.ts\n"])
    func strange(text: String) {
        #expect(EncoderPlaylist(text).entries.isEmpty)
    }
}
