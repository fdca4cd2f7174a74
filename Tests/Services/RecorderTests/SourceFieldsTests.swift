import Concurrency
import HLS
import HTTP
import HTTPClient
import SegmentStore
import Testing
import Timeline

@testable import Recorder

/// Keys and initialization sections are where fields and cookies are forgotten most often.
@Suite("The fields and cookies of a source")
struct SourceFieldsTests {
    @Test("go with playlist, segment, key and initialization section")
    func everywhere() async throws {
        try await Origin.run { origin in
            let field = ("X-Token", "abc")
            let fields = [field, ("Cookie", "session=1")]
            let cookie = "session=1; Path=/"
            let playlist = "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXTINF:6,\n7.vtt\n"
            origin.serve("/index.m3u8", Array(playlist.utf8), onlyIf: [field], cookie: cookie)
            let media = try Ciphered.encrypted(Ciphered.subtitles(comments: 2))
            origin.serve("/7.vtt", media, onlyIf: fields, cookie: cookie)
            origin.serve("/key", Ciphered.key, onlyIf: fields, cookie: cookie)
            let section = try Ciphered.encrypted(Array("WEBVTT\n\n".utf8))
            origin.serve("/init", section, onlyIf: fields, cookie: cookie)

            var source = try origin.source("/index.m3u8")
            source.headers = ["X-Token": "abc"]
            let link = try SourceClient(source, client: origin.client, policy: AddressPolicy())
            let opening = PlaylistRequest(
                use: SourceUse(number: 1, source: source), purpose: .opening, startedAt: moment(0))
            guard case .playlist = try await link.playlist(opening, clock: .system) else {
                Issue.record("no playlist")
                return
            }
            let fetcher = try origin.fetcher(store: MemorySegmentStore(), link: link)
            let key = Key(method: .aes128, uri: "key", initializationVector: 7)
            var request = Ciphered.lastTry("7.vtt", keys: [key], at: try origin.url("/index.m3u8"))
            request.segment.entry.map = MediaMap(uri: "init", keys: [key])
            let outcome = await fetcher.outcome(of: request)
            #expect(outcome.stored?.format.keyName == (try Ciphered.name(of: Ciphered.key)))
            #expect(outcome.stored?.format.initName != nil, "\(outcome)")
            for path in ["/index.m3u8", "/7.vtt", "/key", "/init"] {
                #expect(origin.requests(for: path) == 1, "\(path)")
            }
        }
    }
}
