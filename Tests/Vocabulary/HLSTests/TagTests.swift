import Testing

@testable import HLS

struct TagTests {
    /// RFC 8216bis §4.4.1 to §4.4.5 and the vendors' cue tags, written by hand.
    static let ofMediaPlaylists = """
        EXTM3U EXT-X-VERSION EXTINF EXT-X-BYTERANGE EXT-X-DISCONTINUITY EXT-X-KEY EXT-X-MAP
        EXT-X-PROGRAM-DATE-TIME EXT-X-GAP EXT-X-BITRATE EXT-X-PART EXT-X-DATERANGE EXT-X-CUE-OUT
        EXT-X-CUE-OUT-CONT EXT-X-CUE-IN EXT-X-CUE EXT-X-ASSET EXT-X-SCTE35 EXT-OATCLS-SCTE35
        EXT-X-TARGETDURATION EXT-X-MEDIA-SEQUENCE EXT-X-DISCONTINUITY-SEQUENCE EXT-X-ENDLIST
        EXT-X-PLAYLIST-TYPE EXT-X-I-FRAMES-ONLY EXT-X-ALLOW-CACHE EXT-X-INDEPENDENT-SEGMENTS EXT-X-START
        EXT-X-DEFINE EXT-X-SERVER-CONTROL EXT-X-PART-INF EXT-X-PRELOAD-HINT EXT-X-RENDITION-REPORT EXT-X-SKIP
        """
    /// RFC 8216bis §4.4.6, written by hand.
    static let ofMultivariantPlaylists = """
        EXT-X-STREAM-INF EXT-X-MEDIA EXT-X-I-FRAME-STREAM-INF EXT-X-SESSION-DATA EXT-X-SESSION-KEY
        EXT-X-CONTENT-STEERING
        """

    @Test("The table has one row for every tag of the standard")
    func tableIsComplete() {
        let names = (Self.ofMediaPlaylists + " " + Self.ofMultivariantPlaylists)
            .split { $0 == " " || $0 == "\n" }.map(String.init)
        #expect(names.count == 40)
        #expect(TagTable.rows.count == names.count)
        #expect(Set(TagTable.rows.map(\.tag.rawValue)) == Set(names))
        #expect(PlaylistTag.allCases.count == names.count)
    }

    @Test(
        "Each tag is found by the bytes of its name, and only by all of them", arguments: PlaylistTag.allCases
    )
    func tagIsFound(tag: PlaylistTag) {
        let name = Array(tag.rawValue.utf8)
        #expect(TagNames.tag(named: name[...]) == tag)
        #expect(TagNames.tag(named: (name + [0x58])[...]) == nil)
        #expect(TagNames.tag(named: Array(tag.rawValue.lowercased().utf8)[...]) == nil)
    }

    @Test("A written playlist reads back as an equal value without notes", arguments: TagTable.rows)
    func roundTrip(row: TagRow) throws {
        let text = row.playlist.written()
        #expect(text.contains("\n" + row.line + "\n") || text.hasPrefix(row.line + "\n"), "\(text)")
        let read = try Playlist.reading(text)
        #expect(read.playlist == row.playlist)
        #expect(read.notes == [])
    }

    @Test("Restating keys and maps after a discontinuity does not change the value", arguments: TagTable.rows)
    func restatedRoundTrip(row: TagRow) throws {
        let text = row.playlist.written(WritingOptions(restatesAfterDiscontinuity: true))
        #expect(try Playlist.reading(text).playlist == row.playlist)
    }
}
