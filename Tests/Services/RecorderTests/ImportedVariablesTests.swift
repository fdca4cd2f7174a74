import Concurrency
import HLS
import HTTP
import TestSupport
import Testing
import Timeline

@testable import Recorder

/// RFC 8216bis §4.4.2.3: a media playlist imports variables of the multivariant playlist that named it.
@Suite("What media playlists have of their multivariant playlist: variables, and independent segments")
struct ImportedVariablesTests {
    private static func master(_ token: String) -> String {
        """
        #EXTM3U
        #EXT-X-INDEPENDENT-SEGMENTS
        #EXT-X-DEFINE:NAME="token",VALUE="\(token)"
        #EXT-X-STREAM-INF:BANDWIDTH=1000000
        v.m3u8

        """
    }

    /// A playlist of one segment, of a second, whose URI takes the variable.
    private static func media(_ number: Int = 1) -> String {
        """
        #EXTM3U
        #EXT-X-TARGETDURATION:1
        #EXT-X-MEDIA-SEQUENCE:\(number)
        #EXT-X-DEFINE:IMPORT="token"
        #EXTINF:1,
        {$token}/\(number).vtt

        """
    }

    private static let source = SourceSettings(url: "http://one.test/index.m3u8")

    @Test("are read from the origin's answer with those of the multivariant playlist")
    func fetched() async throws {
        try await Origin.run { origin in
            origin.serve("/v.m3u8", Self.media())
            let request = PlaylistRequest(
                use: SourceUse(number: 1, source: Self.source), purpose: .rendition(video(0)),
                url: try origin.url("/v.m3u8"),
                inherited: InheritedTags(variables: ["token": "a"], isIndependentSegments: true),
                startedAt: moment(0))
            guard case .playlist(let fetched) = try await origin.link().playlist(request, clock: .system),
                case .media(let playlist) = fetched.playlist
            else { throw TestFailure("another playlist") }
            #expect(playlist.segments.map(\.uri) == ["a/1.vtt"])
            #expect(playlist.isIndependentSegments)
        }
    }

    @Test("are those of the multivariant playlist that was read last")
    func renewed() throws {
        var driver = try StateDriver([Self.source])
        let opening = try #require(driver.send(.journalRead(.success([])), at: 0).playlistRequests.first)
        var requests = try driver.answer(opening, Self.master("old"), at: 0).playlistRequests
        var tokens: [String?] = []
        var number = 0
        // The multivariant playlist is read again after five minutes.
        for time in stride(from: 0.0, to: 320, by: 1) {
            var next: [PlaylistRequest] = []
            for request in requests {
                let text = request.purpose == .renewal ? Self.master("new") : Self.media(number)
                if request.purpose != .renewal { tokens.append(request.inherited.variables["token"]) }
                #expect(request.purpose != .rendition(video(0)) || request.inherited.isIndependentSegments)
                next += try driver.answer(request, text, at: time).playlistRequests
                number += 1
            }
            requests = next + driver.playlistRequests(at: time + 1)
        }
        #expect(tokens.first == "old")
        #expect(tokens.last == "new")
    }

    @Test("let a preferred source be found to deliver again")
    func failbackPlaylistArrived() throws {
        var failbackCheck = FailbackCheck([Self.source], pause: .seconds(60), now: moment(0))
        var found: SourceSettings?
        var number = 0
        for time in stride(from: 60.0, to: 80, by: 0.5) where found == nil {
            var request = failbackCheck.request(use: 5, now: moment(time))
            while let asked = request {
                request = nil
                number += 1
                let text = asked.url == nil ? Self.master("a") : Self.media(number)
                let base = try asked.url ?? HTTPURL(Self.source.url)
                let source = VariableSource(url: base.absoluteString, imports: asked.inherited.variables)
                let playlist = try Playlist.reading(Array(text.utf8), source: source).playlist
                let arrival = Moment(date: at(time), steady: moment(time))
                switch failbackCheck.arrived(
                    FetchedPlaylist(playlist: playlist, base: base, arrival: arrival), asked)
                {
                case .asks(let next): request = next
                case .delivers(let source): found = source
                case .nothing: break
                }
            }
        }
        #expect(found == Self.source)
    }
}
