import HLS
import TestSupport
import Testing

struct StandardTests {
    static let rows =
        StandardRow.anyPlaylist + StandardRow.mediaPlaylist + StandardRow.segments
        + StandardRow.segmentFormats + StandardRow.mediaMetadata + StandardRow.multivariantPlaylist

    @Test("A playlist of the standard is understood without a note", arguments: rows)
    func understood(row: StandardRow) throws {
        let read = try row.read()
        #expect(read.notes == [])
        try row.check(read.playlist)
    }

    @Test("A playlist of the standard is written and read again as an equal value", arguments: rows)
    func writtenAgain(row: StandardRow) throws {
        let playlist = try row.read().playlist
        for restates in [false, true] {
            let text = playlist.written(WritingOptions(restatesAfterDiscontinuity: restates))
            let again = try Playlist.reading(text, source: row.source)
            #expect(again.notes == [])
            #expect(again.playlist == playlist)
        }
    }

    @Test("Each tag has one playlist that shows it, and contains it", arguments: rows)
    func tags(row: StandardRow) throws {
        let names = try Fixtures.standard.text(row.file + ".m3u8").split(whereSeparator: \.isNewline)
            .map { $0.prefix { $0 != ":" } }
        for tag in row.tags { #expect(names.contains { $0 == "#" + tag.rawValue }) }
    }

    @Test("The playlists show every tag once, and each file is read")
    func complete() throws {
        let shown = Self.rows.flatMap(\.tags)
        #expect(shown.count == 40)
        #expect(Set(shown) == Set(PlaylistTag.allCases))
        let files = try Fixtures.standard.names().filter { $0.hasSuffix(".m3u8") }
        #expect(files == Self.rows.map { $0.file + ".m3u8" }.sorted())
    }
}
