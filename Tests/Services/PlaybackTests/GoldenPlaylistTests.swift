import HLS
import TestSupport
import Testing

struct GoldenPlaylistTests {
    static let all = GoldenPlaylist.closed + GoldenPlaylist.growing + GoldenPlaylist.multivariants

    @Test("An answer is equal to its file, byte for byte", arguments: all)
    func equal(golden: GoldenPlaylist) throws {
        let expected = try golden.expected()
        #expect(try golden.compose() == expected)
    }

    @Test("Each file is read without a note and written again as it is", arguments: all)
    func readBack(golden: GoldenPlaylist) throws {
        let text = try golden.expected()
        let read = try Playlist.reading(text)
        #expect(read.notes.isEmpty)
        #expect(read.playlist.written(WritingOptions(restatesAfterDiscontinuity: true)) == text)
    }

    @Test("Each file has one row")
    func complete() throws {
        let files = try Fixtures.playlists.names().filter { $0.hasSuffix(".m3u8") }
        #expect(files == Self.all.map { $0.file + ".m3u8" }.sorted())
    }

    @Test("The file of a growing playlist begins the file of its end")
    func growth() throws {
        let growing = try Fixtures.playlists.text("event-growing.m3u8")
        #expect(try Fixtures.playlists.text("event-ended.m3u8").hasPrefix(growing))
    }
}
