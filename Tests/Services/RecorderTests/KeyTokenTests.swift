import HLS
import HTTP
import HTTPClient
@testable import Journal
import SegmentStore
import Synchronization
import TestSupport
import Testing
import Timeline

@testable import Recorder

@Suite("A missing key whose URL has a token")
struct KeyTokenTests {
    private func request(_ number: Int64, key: String, _ origin: Origin) throws -> SegmentRequest {
        let key = Key(method: .aes128, uri: key, initializationVector: 7)
        var request = Ciphered.lastTry("\(number).vtt", keys: [key], at: try origin.url("/index.m3u8"))
        request.segment.placed.identity.number = number
        request.segment.placed.start = at(Double(number) * 6)
        (request.attempt, request.isLast) = (1, false)
        return request
    }

    /// Serves two segments under one key, which is not there.
    private func serve(_ origin: Origin) throws {
        for number in 7...8 {
            origin.serve("/\(number).vtt", try Ciphered.encrypted(Ciphered.subtitles(comments: 200)))
        }
        origin.serve("/key", .serviceUnavailable)
    }

    /// The key is there with one query, and nothing with others.
    private func serve(_ origin: Origin, keyFor query: String, _ key: [UInt8] = Ciphered.key) {
        let answer: @Sendable (String?) -> HTTPResponse = { asked in
            asked == query
                ? HTTPResponse(status: .ok, body: .bytes(key)) : HTTPResponse(status: .forbidden)
        }
        origin.serve("/key", byQuery: answer)
    }

    @Test("is the one that opens later segments under a new token, and is not asked for again")
    func held() async throws {
        try await Origin.run { origin in
            try serve(origin)
            let store = MemorySegmentStore()
            let fetcher = try origin.fetcher(store: store)
            let pending = try #require(
                await fetcher.outcome(of: try request(7, key: "key?t=1", origin)).pending)
            serve(origin, keyFor: "t=2")
            #expect(await fetcher.outcome(of: try request(8, key: "key?t=2", origin)).stored != nil)
            let stored = try await fetcher.open(pending)
            let name = try Ciphered.name(of: Ciphered.key)
            #expect(stored.format.keyName == name)
            #expect(origin.requests(for: "/key") == 2)
        }
    }

    @Test("is asked for at the URL that is listed now")
    func listed() async throws {
        try await Origin.run { origin in
            try serve(origin)
            let clock = TestClock()
            let fetcher = try origin.fetcher(store: MemorySegmentStore(), clock: clock.clock)
            let pending = try #require(
                await fetcher.outcome(of: try request(7, key: "key?t=1", origin)).pending)
            #expect(await fetcher.outcome(of: try request(8, key: "key?t=2", origin)).pending != nil)
            serve(origin, keyFor: "t=2")
            clock.pass(6)
            let name = try Ciphered.name(of: Ciphered.key)
            #expect(try await fetcher.open(pending).format.keyName == name)
        }
    }

    @Test("delays a listed segment by three seconds only, also while another request for it may take longer")
    func asked() async throws {
        try await Origin.run { origin in
            try serve(origin)
            let clock = TestClock()
            let fetcher = try origin.fetcher(store: MemorySegmentStore(), clock: clock.clock)
            let pending = try #require(
                await fetcher.outcome(of: try request(7, key: "key", origin)).pending)
            clock.pass(6)
            origin.hang("/key")
            let hasEnded = Mutex(false)
            let opening = Task {
                _ = try? await fetcher.open(pending)
                hasEnded.withLock { $0 = true }
            }
            defer { opening.cancel() }
            try await eventually { origin.requests(for: "/key") == 2 }
            #expect(await fetcher.outcome(of: try request(8, key: "key", origin)).pending != nil)
            #expect(!hasEnded.withLock { $0 })
        }
    }

    @Test("stays missing where the query tells another key")
    func another() async throws {
        try await Origin.run { origin in
            try serve(origin)
            let fetcher = try origin.fetcher(store: MemorySegmentStore())
            let pending = try #require(
                await fetcher.outcome(of: try request(7, key: "key?id=1", origin)).pending)
            serve(origin, keyFor: "id=2", Ciphered.otherKey)
            _ = await fetcher.outcome(of: try request(8, key: "key?id=2", origin))
            let failure = await #expect(throws: FetchFailure.self) { try await fetcher.open(pending) }
            #expect(failure?.reason == .keyMissing && failure?.failsToDecrypt == false)
        }
    }

    @Test("is told from a refused one, of a segment and of its initialization section")
    func refused() async throws {
        try await Origin.run { origin in
            try serve(origin)
            for (status, isDenied) in [(HTTPStatus.serviceUnavailable, false), (.forbidden, true)] {
                let fetcher = try origin.fetcher(store: MemorySegmentStore())
                var request = try request(7, key: "key?t=1", origin)
                origin.serve("/key", status)
                origin.serve("/init", status)
                #expect(await fetcher.outcome(of: request).isKeyDenied == isDenied)
                request.segment.entry.keys = []
                request.segment.entry.map = MediaMap(uri: "init")
                #expect(await fetcher.outcome(of: request).failure?.isDenied == isDenied)
            }
        }
    }

    @Test("leads to the multivariant playlist where its URL is refused", arguments: [false, true])
    func renewal(isDenied: Bool) throws {
        var driver = try StateDriver([SourceSettings(url: "http://one.test/index.m3u8")])
        let opening = try #require(driver.send(.journalRead(.success([])), at: 0).playlistRequests.first)
        let list = "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nv.m3u8\n"
        let media = "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXT-X-KEY:METHOD=AES-128,URI=\"key?t=1\"\n"
        var playlists = try driver.answer(opening, list, at: 0).playlistRequests
        var renewals: [Double] = []
        for time in stride(from: 0.0, to: 20, by: 0.5) {
            var segments: [SegmentRequest] = []
            for playlist in playlists where playlist.purpose != .renewal {
                let number = Int(time / 6)
                let text = media + "#EXT-X-MEDIA-SEQUENCE:\(number)\n#EXTINF:6,\n\(number).ts\n"
                segments += try driver.answer(playlist, text, at: time).segmentRequests
            }
            playlists = []
            for segment in segments {
                let missed = RecordingEvent.segmentKeyMissed(
                    Self.pending(segment), segment, isDenied: isDenied)
                playlists += driver.send(missed, at: time).playlistRequests
            }
            playlists += driver.playlistRequests(at: time + 0.5)
            if playlists.contains(where: { $0.purpose == .renewal }) { renewals.append(time) }
        }
        #expect(renewals.count == (isDenied ? 1 : 0))
        #expect(renewals.allSatisfy { $0 >= 10 })
    }

    private static func pending(_ request: SegmentRequest) -> KeyPendingSegment {
        let listed = request.segment
        return KeyPendingSegment(
            channel: PublisherStage.fact(video(0), 0).channel, identity: listed.identity,
            start: listed.placed.start, duration: listed.placed.duration, container: .transportStream,
            cipher: .init(keyURL: "http://one.test/key?t=1", iv: Ciphered.iv), arrived: listed.arrival,
            source: "")
    }

    /// Starts with a segment that waits for its key: what is asked of the sources in the first seconds.
    private func restarted(
        _ sources: [SourceSettings], _ pending: KeyPendingSegment,
    ) throws -> [RecordingAction] {
        var driver = try StateDriver(sources)
        let line = JournalLineRead(
            position: JournalPosition(file: 1, line: 0), entry: .keyPending(pending))
        var actions = driver.send(.journalRead(.success([line])), at: 0)
        for time in stride(from: 0.5, to: 5, by: 0.5) { actions += driver.send(.clockAdvanced, at: time) }
        return actions
    }

    @Test("is asked for with the cookies of the source in use, also after a restart")
    func presentUse() throws {
        let source = SourceSettings(url: "http://one.test/index.m3u8")
        var pending = Self.pending(Ciphered.lastTry("7.ts", at: try HTTPURL(source.url)))
        pending.source = SourceClient.identity(source.url)
        let actions = try restarted([source], pending)
        let use = try #require(actions.playlistRequests.first).use
        #expect(actions.usesToOpen.first == use)
    }

    @Test("is asked of the source that its segment is from, after a restart", arguments: [false, true])
    func source(isLogForm: Bool) async throws {
        try await Origin.run { origin in
            try serve(origin)
            let first = SourceSettings(url: "http://one.test/index.m3u8")
            var second = try origin.source("/\(String(repeating: "a", count: 32))/live/index.m3u8?t=1")
            second.headers = ["X-Key": "1"]
            let link = try SourceClient(second, client: origin.client, policy: AddressPolicy())
            let fetcher = try origin.fetcher(store: MemorySegmentStore(), link: link)
            var pending = try #require(
                await fetcher.outcome(of: try request(7, key: "key", origin)).pending)
            if isLogForm { pending.source = SourceClient.logged(second.url) }
            let actions = try restarted([first, second], pending)
            #expect(actions.usesToOpen.first?.source == second)
        }
    }
}
