import Concurrency
import HTTP
import Monitoring
import Testing
import Timeline

@testable import Recorder

@Suite("A playlist that has not changed")
struct UnchangedPlaylistTests {
    private static let text = "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXTINF:6,\n1.ts\n"
    private static let source = SourceSettings(url: "http://one.test/live.m3u8")

    private static func request(_ url: HTTPURL, known: PlaylistVersion?, isConditional: Bool = true)
        -> PlaylistRequest
    {
        PlaylistRequest(
            use: SourceUse(number: 1, source: source), purpose: .rendition(video(0)), url: url, known: known,
            isConditional: isConditional, startedAt: moment(0))
    }

    /// Asks twice; nil for the second answer when it was not read again.
    private static func askTwice(
        _ origin: Origin, isConditional: Bool = true, between: () -> Void = {},
    ) async throws -> (PlaylistVersion?, FetchedPlaylist?) {
        let (url, link) = (try origin.url("/live.m3u8"), try origin.link())
        let first = try await link.playlist(Self.request(url, known: nil), clock: .system)
        guard case .playlist(let fetched) = first else { return (nil, nil) }
        between()
        let again = Self.request(url, known: fetched.version, isConditional: isConditional)
        guard case .playlist(let second) = try await link.playlist(again, clock: .system) else {
            return (fetched.version, nil)
        }
        return (fetched.version, second)
    }

    @Test(
        "is not sent again by an origin with validators",
        arguments: [
            ("ETag", "\"a\"", "If-None-Match"), ("ETag", "W/\"a\"", "If-None-Match"),
            ("Last-Modified", "Sun, 22 Nov 2020 08:00:00 GMT", "If-Modified-Since"),
        ])
    func validators(name: String, value: String, condition: String) async throws {
        try await Origin.run { origin in
            var fields: HTTPHeaders = ["Date": "Sun, 22 Nov 2020 08:00:09 GMT"]
            fields.append(name, value)
            origin.serve("/live.m3u8", Self.text, fields, unchangedIf: (condition, value))
            let (version, second) = try await Self.askTwice(origin) {
                // Whatever it would send now is not asked for.
                origin.serve("/live.m3u8", "changed", fields, unchangedIf: (condition, value))
            }
            #expect(version?.conditions[condition] == value)
            #expect(second == nil)
            #expect(origin.requests(for: "/live.m3u8") == 2)
        }
    }

    @Test("is not read again when the origin sends the same bytes")
    func sameBytes() async throws {
        try await Origin.run { origin in
            origin.serve("/live.m3u8", Self.text)
            let same = try await Self.askTwice(origin)
            #expect(same.1 == nil)
            let changed = try await Self.askTwice(origin) {
                origin.serve("/live.m3u8", Self.text + "#EXTINF:6,\n2.ts\n")
            }
            #expect(changed.1 != nil)
        }
    }

    @Test("is sent again where that is asked for without conditions, or 304 was not allowed")
    func unconditional() async throws {
        try await Origin.run { origin in
            let fields: HTTPHeaders = ["ETag": "\"a\""]
            origin.serve("/live.m3u8", Self.text, fields, unchangedIf: ("If-None-Match", "\"a\""))
            let (_, second) = try await Self.askTwice(origin, isConditional: false) {
                origin.serve(
                    "/live.m3u8", Self.text + "#EXTINF:6,\n2.ts\n", fields,
                    unchangedIf: ("If-None-Match", "\"a\""))
            }
            #expect(second != nil)
            let (url, link) = (try origin.url("/live.m3u8"), try origin.link())
            origin.serve("/live.m3u8", Self.text, fields, unchangedIf: ("User-Agent", "Backcast"))
            await #expect(throws: SourceError.refused(status: 304)) {
                try await link.playlist(Self.request(url, known: nil), clock: .system)
            }
        }
    }

    @Test("A date of change in the second of the answer is no validator")
    func sameSecond() async throws {
        try await Origin.run { origin in
            let date = "Sun, 22 Nov 2020 08:00:00 GMT"
            origin.serve(
                "/live.m3u8", Self.text, ["Date": date, "Last-Modified": date], unchangedIf: ("None", "none"))
            let (version, _) = try await Self.askTwice(origin)
            #expect(version?.conditions.fields.isEmpty == true)
        }
    }

    @Test("is asked for without conditions after three target durations without news")
    func wrongForEver() throws {
        var driver = try StateDriver([Self.source])
        let opening = try #require(driver.send(.journalRead(.success([])), at: 0).playlistRequests.first)
        let url = try HTTPURL(Self.source.url)
        let version = PlaylistVersion(digest: [1], url: url, entityTag: "\"a\"")
        try driver.answer(opening, Self.text, version, at: 0)
        var (conditional, unconditional): ([Double], [Double]) = ([], [])
        var fetched: [String] = []
        for time in stride(from: 0.5, to: 30, by: 0.5) where unconditional.isEmpty {
            for request in driver.playlistRequests(at: time) {
                #expect(request.known == version)
                if request.isConditional {
                    conditional.append(time)
                    driver.send(
                        .playlistUnchanged(Moment(date: at(time), steady: moment(time)), request), at: time)
                } else {
                    unconditional.append(time)
                    let text = Self.text + "#EXTINF:6,\n2.ts\n"
                    fetched += try driver.answer(request, text, at: time).segmentURIs
                }
            }
        }
        // Every half target duration, then once with the answer that it hid.
        #expect(conditional.count >= 5 && conditional.allSatisfy { $0 <= 18 })
        #expect(unconditional.first.map { (18...22).contains($0) } == true)
        #expect(fetched == ["2.ts"])
    }

    @Test("still lists a segment that cannot be fetched, which is tried again")
    func stillListed() throws {
        var driver = try StateDriver([Self.source])
        let opening = try #require(driver.send(.journalRead(.success([])), at: 0).playlistRequests.first)
        let version = PlaylistVersion(digest: [1], url: try HTTPURL(Self.source.url), entityTag: "\"a\"")
        var actions = try driver.answer(opening, Self.text, version, at: 0)
        var tries: [Double] = []
        for time in stride(from: 0.5, to: 60, by: 0.5) {
            var next = driver.send(.clockAdvanced, at: time)
            for request in actions.segmentRequests {
                next += driver.send(.segmentFailed(FetchFailure(status: 404), request), at: time)
            }
            for request in actions.playlistRequests {
                let arrival = Moment(date: at(time), steady: moment(time))
                next += driver.send(.playlistUnchanged(arrival, request), at: time)
            }
            tries += next.segmentRequests.map { _ in time }
            actions = next
        }
        #expect(tries.contains { $0 > 30 })
        #expect(driver.state.progress.renditions[video(0)]?.status.lost == [:])
    }

    @Test("An older playlist is judged again when it comes again, and a failure asks for all of the next one")
    func stale() throws {
        var driver = try StateDriver([Self.source])
        let opening = try #require(driver.send(.journalRead(.success([])), at: 0).playlistRequests.first)
        let version = PlaylistVersion(digest: [1], url: try HTTPURL(Self.source.url), entityTag: "\"a\"")
        let numbered = "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXT-X-MEDIA-SEQUENCE:"
        try driver.answer(opening, numbered + "7\n#EXTINF:6,\n7.ts\n#EXTINF:6,\n8.ts\n", version, at: 0)
        let second = try #require(Self.next(&driver, after: 0))
        #expect(second.request.known == version)
        try driver.answer(
            second.request, numbered + "6\n#EXTINF:6,\n6.ts\n#EXTINF:6,\n7.ts\n", version, at: second.time)
        let third = try #require(Self.next(&driver, after: second.time))
        #expect(third.request.known == nil)
        try driver.answer(
            third.request, numbered + "8\n#EXTINF:6,\n8.ts\n#EXTINF:6,\n9.ts\n", version, at: third.time)
        let fourth = try #require(Self.next(&driver, after: third.time))
        #expect(fourth.request.known == version)
        driver.send(.playlistFailed(.refused(status: 502), fourth.request), at: fourth.time)
        #expect(Self.next(&driver, after: fourth.time)?.request.known == nil)
    }

    private static func next(
        _ driver: inout StateDriver, after time: Double,
    ) -> (request: PlaylistRequest, time: Double)? {
        for time in stride(from: time + 0.5, to: time + 20, by: 0.5) {
            if let request = driver.playlistRequests(at: time).first { return (request, time) }
        }
        return nil
    }
}
