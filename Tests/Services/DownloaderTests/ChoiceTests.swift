import HLS
import HTTP
import TestSupport
import Testing
import Timeline

@testable import Downloader

@Suite("The choice of renditions")
struct ChoiceTests {
    private static let text = """
        #EXTM3U
        #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="English",LANGUAGE="en-US",URI="en.m3u8"
        #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="Suomi",LANGUAGE="fin",DEFAULT=YES,URI="fi.m3u8"
        #EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="s",NAME="Deutsch",LANGUAGE="de",URI="de.m3u8"
        #EXT-X-STREAM-INF:BANDWIDTH=64000,CODECS="mp4a.40.2"
        sound.m3u8
        #EXT-X-STREAM-INF:BANDWIDTH=800000,RESOLUTION=640x360,AUDIO="a",SUBTITLES="s"
        360.m3u8
        #EXT-X-STREAM-INF:BANDWIDTH=2500000,RESOLUTION=1280x720,AUDIO="a",SUBTITLES="s"
        720.m3u8
        #EXT-X-STREAM-INF:BANDWIDTH=5000000,RESOLUTION=1920x1080,AUDIO="a",SUBTITLES="s"
        https://other.test/1080.m3u8
        """

    private func chosen(_ change: (inout DownloadRequest) -> Void) throws -> ChosenStreams {
        var request = DownloadRequest(url: "http://origin.test/live/index.m3u8")
        change(&request)
        return try ChosenStreams.choosing(
            from: readMultivariant(Self.text), base: HTTPURL(request.url), for: request)
    }

    @Test(
        "The quality decides the variant",
        arguments: [
            ("best", "https://other.test/1080.m3u8"), ("worst", "http://origin.test/live/360.m3u8"),
            ("720p", "http://origin.test/live/720.m3u8"), ("719p", "http://origin.test/live/360.m3u8"),
            ("100p", "http://origin.test/live/360.m3u8"), ("2000000", "http://origin.test/live/720.m3u8"),
            ("9000000", "https://other.test/1080.m3u8"),
        ])
    func quality(text: String, url: String) throws {
        let quality = try #require(QualityChoice(text))
        #expect(try chosen { $0.quality = quality }.streams[0].url.absoluteString == url)
    }

    @Test("Words that are no quality", arguments: ["", "good", "p", "0p", "-5", "+5", "1.5"])
    func unknown(text: String) {
        #expect(QualityChoice(text) == nil)
    }

    @Test("Without a wish the default audio is taken and no subtitles")
    func standard() throws {
        let streams = try chosen { _ in }.streams
        #expect(streams.map(\.rendition.id.description) == ["v0", "a0"])
        #expect(streams[1].rendition.language == "fin")
    }

    @Test(
        "Languages match in either form of ISO 639", arguments: [["fi"], ["fin"], ["fi-FI"], ["en", "fi"]])
    func languages(wanted: [String]) throws {
        let streams = try chosen { $0.audio = .languages(wanted) }.streams.dropFirst()
        #expect(streams.count == wanted.count)
        #expect(streams.contains { $0.rendition.language == "fin" })
    }

    @Test("A missing language is an error that names it and lists the languages there are")
    func missing() {
        let error = #expect(throws: DownloadError.self) {
            try chosen { $0.subtitles = .languages(["ger", "sv"]) }
        }
        #expect(error == .notAvailable("subtitles in sv", available: ["de"]))
    }

    @Test("The folder's multivariant playlist names local files only")
    func local() throws {
        let text = try chosen {
            $0.subtitles = .all; $0.audio = .all
        }.playlist.written()
        let playlist = try readMultivariant(text)
        #expect(playlist.variants.map(\.uri) == ["v0.m3u8"])
        #expect(playlist.renditions.compactMap(\.uri) == ["a0.m3u8", "a1.m3u8", "s0.m3u8"])
        #expect(!text.contains("://"))
    }

    @Test(
        "The language of audio that is inside of the variant is known, unless there are several",
        arguments: [
            ("", "de"), (",URI=\"360.m3u8\"", "de"), (",URI=\"de.m3u8\"", nil),
            ("\n#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"a\",NAME=\"English\",LANGUAGE=\"en\"", nil),
        ] as [(String, String?)])
    func inside(rest: String, language: String?) throws {
        let text = """
            #EXTM3U
            #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="Deutsch",LANGUAGE="de",DEFAULT=YES\(rest)
            #EXT-X-STREAM-INF:BANDWIDTH=800000,RESOLUTION=640x360,AUDIO="a"
            360.m3u8
            """
        let request = DownloadRequest(url: "http://origin.test/live/index.m3u8")
        let streams = try ChosenStreams.choosing(
            from: readMultivariant(text), base: HTTPURL(request.url), for: request
        ).streams
        #expect(streams[0].rendition.language == language)
    }

    @Test("A group without a chosen rendition is not named")
    func noGroup() throws {
        let playlist = try readMultivariant(chosen { $0.audio = .none }.playlist.written())
        #expect(playlist.variants[0].audioGroup == nil && playlist.variants[0].subtitlesGroup == nil)
        #expect(playlist.renditions.isEmpty)
    }
}
