import HLS
import TestSupport
import Testing

struct OpeningTests {
    static let rest = "#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\na.ts\n"

    @Test("Comments and blank lines before #EXTM3U are read, kept and noted")
    func comments() throws {
        let read = try Playlist.reading("# made by a packager\n\n## twice\n" + Self.rest)
        let playlist = try read.playlist.media
        #expect(
            read.notes == [
                DeviationNote(deviation: .openingComments, tag: nil, line: 1, count: 2),
                DeviationNote(deviation: .blankStart, tag: nil, line: 4),
            ])
        #expect(playlist.unknownLines == ["# made by a packager", "## twice"])
        #expect(playlist.segments.map(\.uri) == ["a.ts"])
        #expect(try readMedia(playlist.written()) == playlist)
    }

    @Test("Only as many comments as the bound are read before #EXTM3U")
    func tooManyComments() throws {
        let bound = ReadingLimits.standard.openingCommentCount
        let comments = String(repeating: "#\n", count: bound)
        #expect(throws: Never.self) { try Playlist.reading(comments + Self.rest) }
        let error = PlaylistError(line: bound + 1, tag: nil, reason: .notAPlaylist(.other))
        #expect(throws: error) { try Playlist.reading("#\n" + comments + Self.rest) }
    }

    @Test("A tag before #EXTM3U is no comment, and a page after a comment is still a page")
    func noComment() {
        let tag = PlaylistError(line: 1, tag: nil, reason: .notAPlaylist(.other))
        #expect(throws: tag) { try Playlist.reading("#EXTINF:4,\n" + Self.rest) }
        let page = PlaylistError(line: 2, tag: nil, reason: .notAPlaylist(.html))
        #expect(throws: page) { try Playlist.reading("# hello\n <html>\n" + Self.rest) }
    }

    @Test(
        "Control characters are removed before blanks are trimmed, wherever they stand in a line",
        arguments: [
            "\u{1} #EXTINF:4,", " \u{1}#EXTINF:4,", "#EXTINF:4,\u{7F} ", "#EXT\u{0}INF:4,",
            "\u{2} \u{1}\t #EXTINF:4,",
            "#EXTINF\u{3}:\u{1} 4\u{4},",
        ])
    func controlCharacters(line: String) throws {
        let read = try Playlist.reading(Self.rest.replacing("#EXTINF:4,", with: line))
        let playlist = try read.playlist.media
        #expect(playlist.segments.map(\.durationMicroseconds) == [4_000_000])
        #expect(read.notes.map(\.deviation).contains(.controlCharacter))
    }

    @Test("Control characters around and within #EXTM3U are left out and noted")
    func controlCharactersInHeader() throws {
        for header in ["\u{1} #EXTM3U", "#EXT\u{1}M3U", "\u{1}\n#EXTM3U"] {
            let read = try Playlist.reading(Self.rest.replacing("#EXTM3U", with: header))
            #expect(read.notes.first?.deviation == .controlCharacter)
        }
    }
}
