import Concurrency
import Export
import HTTP
import HTTPServer
import HTTPSupport
import Playback
import SegmentStore
import Synchronization
import TestSupport
import Testing
import Timeline

@testable import Catalogue
@testable import Postgres
@testable import ViewerAPI

@Suite(.serialized) struct EndlessStreamTests {
    /// The answer to a request whose body is a stream.
    private func open(
        _ viewer: ViewerFixture, _ target: String
    ) async throws -> (HTTPResponse, any HTTPBodySource) {
        let response: HTTPResponse
        switch viewer.api.answer(HTTPRequest(.get, target)) {
        case .now(let known)?: response = known
        case .later(let make)?, .lightweight(let make)?, .reserved(let make)?: response = await make()
        case nil: throw TestFailure("\(target) is not answered")
        }
        guard case .stream(nil, let source) = response.body else {
            throw TestFailure("\(target) is \(response.status) without an endless body")
        }
        return (response, source)
    }

    private func read(_ source: any HTTPBodySource, _ count: Int) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count, let piece = try await source.next(limit: count - bytes.count) {
            bytes += piece
        }
        return bytes
    }

    @Test(
        "A stream begins with the segment of its instant and goes on with those that are recorded later",
        arguments: [
            "timeshift_abs-1469509537.ts", "timeshift_abs-1469509537.ts?event=true",
            "video-timeshift_abs-1469509537.ts",
        ])
    func goesOn(file: String) async throws {
        try await ViewerFixture.with { viewer in
            viewer.clock.now = at(40)
            let first = Recording()
            try await viewer.record(first)
            let (response, source) = try await open(viewer, "/live/cctv2/\(file)")
            #expect(response.headers["Content-Type"] == "video/mp2t")
            #expect(response.headers["Accept-Ranges"] == "none")
            #expect(response.headers["Cache-Control"] == "no-store")
            #expect(response.headers["X-Content-Type-Options"] == "nosniff")
            #expect(response.headers["Content-Security-Policy"] == "sandbox")
            let held = first.segments[5...].flatMap(\.plain)
            #expect(try await read(source, held.count) == held)
            let more = Recording(seconds: 48)
            let later = more.segments[10...].flatMap(\.plain)
            async let following = read(source, later.count)
            for segment in more.segments[10...] {
                let id = try #require(ChannelID("cctv2"))
                try await viewer.store.put(segment.stored, as: segment.key(of: id))
            }
            try await viewer.recordMore(more)
            #expect(try await following == later)
        }
    }

    @Test("A stream as long ago begins where players begin to play the playlist")
    func relative() async throws {
        try await ViewerFixture.with { viewer in
            viewer.clock.now = at(40)
            let recording = Recording()
            try await viewer.record(recording)
            for (delay, first) in [(0, 7), (4, 7), (20, 5)] {
                for name in ["timeshift_rel", "rewind", "mono-timeshift_rel"] {
                    let (_, source) = try await open(viewer, "/live/cctv2/\(name)-\(delay).ts")
                    let bytes = recording.segments[first].plain
                    #expect(try await read(source, bytes.count) == bytes)
                }
            }
        }
    }

    @Test("Where a better variant has ended, a stream begins with the one that its playlist goes on with")
    func betterVariant() async throws {
        try await ViewerFixture.with { viewer in
            var recording = Recording(seconds: 0)
            recording.watermark = 300
            recording.add("v1", from: 0, count: 75) { $0.bandwidth = 1_000_000 }
            recording.add("v0", from: 0, count: 25) { $0.bandwidth = 5_000_000 }
            try await viewer.record(recording)
            viewer.clock.now = at(180)
            let (_, source) = try await open(viewer, "/live/cctv2/timeshift_rel-60.ts")
            let following = recording.segments[30..<35].flatMap(\.plain)
            #expect(try await read(source, following.count) == following)
        }
    }

    @Test(
        "A stream from an instant that is not recorded yet begins at the live edge, as its playlist does",
        arguments: [(50, 1), (46, 0), (3_600, 1)] as [(Double, Double)])
    func aheadOfLive(now: Double, behindAsked: Double) async throws {
        try await ViewerFixture.with { viewer in
            viewer.clock.now = at(now)
            let recording = Recording()
            try await viewer.record(recording)
            let name = "timeshift_abs-\(1_469_509_516 + Int(now - behindAsked))"
            let moved = try await viewer.get("/live/cctv2/\(name).m3u8")
            let location = try #require(moved.headers["Location"])
            #expect(try await viewer.get("/live/cctv2/\(location)").status == 200)
            let (_, source) = try await open(viewer, "/live/cctv2/\(name).ts")
            // The newest three, as at the live edge.
            let newest = recording.segments[7...].flatMap(\.plain)
            #expect(try await read(source, newest.count) == newest)
        }
    }

    @Test("A hole of hours is skipped, and encrypted segments are decrypted")
    func hole() async throws {
        try await ViewerFixture.with { viewer in
            var recording = Recording()
            recording.add("v0", from: 20_000, count: 2, sequence: 1)
            recording.watermark = 20_008
            try recording.encrypt(
                key: [UInt8](repeating: 9, count: 16), name: "0123456789abcdef0123456789abcdef")
            try await viewer.record(recording)
            viewer.clock.now = at(20_008)
            let (_, source) = try await open(viewer, "/live/cctv2/timeshift_abs-1469509552.ts")
            let rest = recording.segments[9...].flatMap(\.plain)
            #expect(try await read(source, rest.count) == rest)
        }
    }

    @Test(
        "A stream of a channel that lay ahead goes on with what is recorded once it was reanchored",
        arguments: [(10_840, 4), (80, 30)] as [(Double, Int)])
    func reanchored(ahead: Double, target: Int) async throws {
        try await ViewerFixture.with { viewer in
            let id = try #require(ChannelID("cctv2"))
            let now = Double((try await viewer.catalogue.databaseTime() - at(0)) / Microseconds.perSecond)
            var recording = Recording(seconds: 0)
            recording.targetSeconds = target
            recording.add("v0", from: now - 60, count: 13)
            var later = recording
            recording.add("v0", from: now + ahead - 40, count: 10, sequence: 1)
            recording.watermark = now + ahead
            viewer.clock.now = at(now + ahead)
            try await viewer.record(recording)
            let (_, source) = try await open(viewer, "/live/cctv2/timeshift_rel-0.ts")
            let held = recording.segments[20...].flatMap(\.plain)
            #expect(try await read(source, held.count) == held)
            let channel = try #require(try await viewer.catalogue.channel(id))
            #expect(try await viewer.catalogue.reanchor(channel)?.setAside == 10)
            viewer.clock.steadyLead += .seconds(10)
            #expect(try await source.next(limit: 1000)?.isEmpty == true)
            later.add("v0", from: now, count: 2, sequence: 2)
            later.watermark = now + 8
            for segment in later.segments[13...] {
                try await viewer.store.put(segment.stored, as: segment.key(of: id))
            }
            try await viewer.recordMore(later)
            viewer.clock.steadyLead += .seconds(10)
            let recorded = later.segments[13...].flatMap(\.plain)
            #expect(try await read(source, recorded.count) == recorded)
        }
    }

    @Test("A stream since 1970 begins with what is held, and what lies before is not looked for")
    func sinceEver() async throws {
        try await ViewerFixture.with { viewer in
            viewer.clock.now = at(40)
            var recording = Recording()
            recording.retentionSeconds = nil
            recording.markers = [
                Marker(
                    id: "a", sourceStart: at(8), begin: at(8), classID: nil, length: 4_000_000,
                    plannedLength: nil, endsOnNext: false, attributes: [])
            ]
            try await viewer.record(recording)
            let before = viewer.catalogue.pool.statementCount
            let (_, source) = try await open(viewer, "/live/cctv2/timeshift_abs-0.ts")
            let held = recording.segments.flatMap(\.plain)
            #expect(try await read(source, held.count) == held)
            #expect(viewer.catalogue.pool.statementCount - before < 30)
        }
    }

    @Test("A stream ends with its viewer, and when its channel is deleted and everything was sent")
    func ends() async throws {
        try await ViewerFixture.with { viewer in
            viewer.clock.now = at(40)
            try await viewer.record(Recording())
            let (_, left) = try await open(viewer, "/live/cctv2/timeshift_abs-1469509552.ts")
            _ = try await read(left, 671)
            let waiting = Task { try await left.next(limit: 1) }
            waiting.cancel()
            await #expect(throws: CancellationError.self) { try await waiting.value }
            let (_, idle) = try await open(viewer, "/live/cctv2/timeshift_abs-1469509552.ts")
            _ = try await read(idle, 671)
            try await viewer.catalogue.delete(try #require(ChannelID("cctv2")))
            while let piece = try await idle.next(limit: 1) { try #require(piece.isEmpty) }
        }
    }

    @Test("While a source is away for hours, null packets keep the stream alive")
    func quiet() async throws {
        try await ViewerFixture.with { viewer in
            viewer.clock.now = at(40)
            let first = Recording()
            try await viewer.record(first)
            let id = try #require(ChannelID("cctv2"))
            let channel = try #require(try await viewer.catalogue.channel(id))
            let begin = SteadyInstant.now
            let steady = Mutex(begin)
            let clock = HostClock(
                now: HostClock.system.now, steady: { steady.withLock { $0 } },
                sleep: { until in steady.withLock { $0 = until } })
            let index = TimelineIndex(
                catalogue: viewer.catalogue, maxStaleSeconds: 60, isShared: false, executor: nil, clock: clock
            )
            let follower = StreamFollower(
                playbackService: PlaybackService(index: index, maxWindowSeconds: 86_400), channel: channel,
                rendition: nil, position: at(40), client: nil, clock: clock, isDeleted: { false })
            var silent = 0
            while clock.steady() - begin < .seconds(7200) {
                switch try await follower.next() {
                case .nothingYet: silent += 1
                case .quiet: silent = 0
                case .part, .end: throw TestFailure("the stream does not wait")
                }
                try #require(silent < 20)
            }
        }
    }

    @Test("A stream of one rendition ends where the channel goes on without it, and of an unknown one is 404")
    func lostRendition() async throws {
        try await ViewerFixture.with { viewer in
            viewer.clock.now = at(120)
            var recording = Recording(seconds: 120)
            recording.add("v1", from: 0, count: 10)
            try await viewer.record(recording)
            let path = "/live/cctv2/timeshift_abs-1469509516.ts?rendition="
            let (_, source) = try await open(viewer, path + "v1")
            let held = recording.segments.filter { $0.rendition.description == "v1" }
            _ = try await read(source, held.reduce(0) { $0 + $1.plain.count })
            while let piece = try await source.next(limit: 1000) { try #require(piece.isEmpty) }
            #expect(try await viewer.get(path + "v9").isProblem(404))
        }
    }

    @Test("A connection goes on after a pause that is longer than an answer may take")
    func pause() async throws {
        try await ViewerFixture.with { viewer in
            viewer.clock.now = at(40)
            try await viewer.record(Recording())
            let configure: (inout HTTPServer.Configuration) -> Void = {
                $0.limits.answer = .seconds(8)
                $0.limits.sweep = .milliseconds(20)
            }
            let handler = FunctionHandler { viewer.api.answer($0) }
            try await withHTTPServer(handler, configure: configure) { server in
                let client = try RawConnection(port: server.port)
                client.get("/live/cctv2/timeshift_abs-1469509552.ts")
                try await client.skip(671)
                try await Task.sleep(for: .seconds(11))
                let more = Recording(seconds: 80)
                let id = try #require(ChannelID("cctv2"))
                for segment in more.segments[10...] {
                    try await viewer.store.put(segment.stored, as: segment.key(of: id))
                }
                try await viewer.recordMore(more)
                // More than what can be left of the header and the first segment.
                try await client.skip(more.segments[10...].reduce(0) { $0 + $1.plain.count })
            }
        }
    }

    @Test("A stream that has begun waits for a catalogue that is away")
    func away() async throws {
        try await ViewerFixture.with { viewer in
            try await viewer.record(Recording())
            let id = try #require(ChannelID("cctv2"))
            let channel = try #require(try await viewer.catalogue.channel(id))
            try await viewer.withoutCatalogue { away in
                let clock = HostClock(
                    now: HostClock.system.now, steady: HostClock.system.steady, sleep: { _ in })
                let index = TimelineIndex(
                    catalogue: away.catalogue, maxStaleSeconds: 60, isShared: false, executor: nil,
                    clock: clock)
                let follower = StreamFollower(
                    playbackService: PlaybackService(index: index, maxWindowSeconds: 86_400),
                    channel: channel,
                    rendition: nil, position: at(20), client: nil, clock: clock, isDeleted: { false })
                for _ in 0..<2 {
                    guard case .nothingYet = try await follower.next() else {
                        throw TestFailure("the stream does not wait")
                    }
                }
            }
        }
    }

    @Test("Separate audio is refused, unless the picture alone is asked for")
    func separate() async throws {
        try await ViewerFixture.with { viewer in
            viewer.clock.now = at(40)
            var recording = Recording(seconds: 0)
            recording.watermark = 40
            recording.add("v0", from: 0, count: 10, format: .silent) { $0.audioGroup = "aac" }
            recording.add("a0", from: 0, count: 10, format: .audio) { $0.groupID = "aac" }
            try await viewer.record(recording)
            for (stream, playlist) in [
                ("timeshift_rel-20.ts", "timeshift_rel-20.m3u8"),
                ("timeshift_abs-1469509536.ts?_=1", "timeshift_abs-1469509536.m3u8?_=1"),
            ] {
                let answer = try await viewer.get("/live/cctv2/\(stream)")
                #expect(answer.isProblem(404))
                #expect(answer.problem["instead"] as? String == playlist)
                let status = try await viewer.get("/live/cctv2/\(playlist)").status
                #expect(status == 200 || status == 302)
            }
            let (response, _) = try await open(viewer, "/live/cctv2/timeshift_rel-20.ts?rendition=v0")
            #expect(response.status == .ok)
        }
    }
}
