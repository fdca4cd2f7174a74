import HLS
import HTTP
import HTTPClient
import SegmentStore
import TestSupport
import Testing
import Timeline

@testable import Recorder

@Suite("The downloads of a rendition")
struct FetchQueuesTests {
    /// A segment that the source lists until a time.
    private static func request(_ number: Int64, until time: Double) throws -> SegmentRequest {
        var request = Ciphered.lastTry("\(number).ts", at: try HTTPURL("http://one.test/live.m3u8"))
        request.segment.placed.identity.number = number
        request.segment.listedNumber = UInt64(number)
        request.segment.availableUntil = moment(time)
        (request.attempt, request.isLast) = (1, false)
        return request
    }

    /// The numbers 3 to 7.
    private static var playlist: MediaPlaylist {
        var playlist = MediaPlaylist()
        playlist.targetDurationSeconds = 6
        playlist.mediaSequence = 3
        playlist.segments = (3...7).map { MediaSegment(uri: "\($0).ts", durationMicroseconds: 6_000_000) }
        return playlist
    }

    private static func started(_ queues: inout FetchQueues, at time: Double) -> [Int64] {
        queues.takeDue(now: moment(time)).map(\.segment.identity.number)
    }

    @Test("Four segments that hang do not stop newer ones, and no more than eight run")
    func hung() throws {
        var queues = FetchQueues()
        queues.add(try (1...12).map { try Self.request($0, until: 60) }, of: video(0))
        #expect(Self.started(&queues, at: 0) == [1, 2, 3, 4])
        #expect(queues.next == moment(12))
        #expect(Self.started(&queues, at: 11.9) == [])
        #expect(Self.started(&queues, at: 12) == [5, 6, 7, 8])
        #expect(queues.next == nil)
        #expect(Self.started(&queues, at: 40) == [])
        queues.ended(try Self.request(5, until: 60))
        #expect(Self.started(&queues, at: 40) == [9])
        #expect(!queues.isIdle)
    }

    @Test("Where more is listed than there is room for, the live edge comes first")
    func liveEdge() throws {
        func requests(_ numbers: ClosedRange<Int64>, isPostponed: Bool = false) throws -> [SegmentRequest] {
            try numbers.map {
                var request = try Self.request($0, until: 60)
                request.isPostponed = isPostponed
                return request
            }
        }
        var queues = FetchQueues()
        queues.add(try requests(1...9, isPostponed: true) + requests(31...33), of: video(0))
        #expect(queues.room(for: video(0)) == Limits.waitingSegments - 12)
        #expect(Self.started(&queues, at: 0) == [31, 32, 33, 1])
        queues.ended(try requests(1...1)[0], retry: moment(0.5))
        queues.ended(try requests(32...32)[0])
        queues.add(try requests(34...34), of: video(0))
        #expect(Self.started(&queues, at: 0.1) == [34, 2])
        for number: Int64 in [31, 33, 34, 2] { queues.ended(try Self.request(number, until: 60)) }
        #expect(Self.started(&queues, at: 0.2) == [3, 4, 5, 6])
    }

    @Test("New segments come before those of which a part is stored")
    func partsLater() throws {
        var queues = FetchQueues()
        let requests = try (1...5).map { number in
            var request = try Self.request(Int64(number), until: 60)
            request.held = IncompleteSegment(
                PartialSegmentTests.stored(
                    request.segment, measured: nil, timestamp: nil, bytes: 5000, flags: .damaged,
                    isCut: true))
            return request
        }
        for part in requests {
            queues.add([part], of: video(0))
            _ = queues.takeDue(now: moment(0))
            queues.ended(part, retry: moment(3))
        }
        #expect(Self.started(&queues, at: 2.9) == [])
        queues.add([try Self.request(6, until: 60)], of: video(0))
        #expect(Self.started(&queues, at: 3) == [6, 1, 2, 3])
        queues.add([try Self.request(7, until: 60)], of: video(0))
        queues.ended(requests[0])
        #expect(Self.started(&queues, at: 3.1) == [7])
    }

    @Test(
        "A try may take until the source need not hold the segment, and as long as the segment itself",
        arguments: [(0.0, 30), (20, 10), (28, 6), (100, 6)])
    func timeLimits(begun: Double, limit: Int) throws {
        var queues = FetchQueues()
        queues.add([try Self.request(1, until: 30)], of: video(0))
        let request = try #require(queues.takeDue(now: moment(begun)).first)
        #expect(request.timeLimit == .seconds(limit))
    }

    @Test("A later try may wait longer without a byte, but only two at a time")
    func silence() throws {
        var queues = FetchQueues()
        let requests = try (1...4).map { number in
            var request = try Self.request(Int64(number), until: 7200)
            request.attempt = [1, 2, 3, 9][number - 1]
            return request
        }
        queues.add(requests, of: video(0))
        let started = queues.takeDue(now: moment(0))
        #expect(started.map(\.silenceLimit) == [10, 20, 40, 10].map { .seconds($0) })
        queues.ended(started[1])
        // One that waited for long has ended.
        var next = try Self.request(5, until: 7200)
        next.attempt = 9
        queues.add([next], of: video(0))
        #expect(queues.takeDue(now: moment(1)).map(\.silenceLimit) == [.seconds(160)])
    }

    @Test(
        "A try for what is listed for hours may take two minutes, each later one twice as long, up to ten",
        arguments: [(1, 120), (2, 240), (3, 480), (4, 600), (100, 600)])
    func laterTries(attempt: Int, limit: Int) throws {
        var request = try Self.request(1, until: 7200)
        request.attempt = attempt
        #expect(request.timeLimit(now: moment(0)) == .seconds(limit))
        request.segment.availableUntil = moment(30)
        #expect(request.timeLimit(now: moment(0)) == .seconds(30))
    }

    @Test("What is listed while it is fetched has more time at the next try", arguments: [false, true])
    func listedMeanwhile(isUnchanged: Bool) throws {
        var queues = FetchQueues()
        queues.add(try (3...4).map { try Self.request($0, until: 30) }, of: video(0))
        let started = queues.takeDue(now: moment(0))
        var playlist = MediaPlaylist()
        (playlist.targetDurationSeconds, playlist.mediaSequence) = (6, 4)
        playlist.segments = [MediaSegment(uri: "4.ts", durationMicroseconds: 6_000_000)]
        queues.relist(
            playlist, of: video(0), run: 1, started[0].use, base: started[0].base,
            arrival: moment(isUnchanged ? 5 : 28))
        if isUnchanged { queues.extendAvailability(video(0), until: moment(40)) }
        for request in started { queues.ended(request, retry: moment(30)) }
        #expect(queues.takeDue(now: moment(30)).map(\.timeLimit) == [.seconds(6), .seconds(10)])
    }

    @Test("A segment that never comes is given up when its time is over", .timeLimit(.minutes(30)))
    func neverAnswered() async throws {
        try await Origin.run { origin in
            origin.hang("/1.ts")
            var request = Ciphered.lastTry("1.ts", at: try origin.url("/live.m3u8"))
            (request.isLast, request.timeLimit) = (false, .seconds(3))
            let outcome = try await origin.fetcher(store: MemorySegmentStore()).outcome(of: request)
            #expect(outcome.failure?.description == "\(TransferError.timedOut(.head))")
        }
    }

    @Test("A segment that waits is fetched where the playlist lists it last, if it is the same")
    func relisted() throws {
        var queues = FetchQueues()
        queues.add(try (1...3).map { try Self.request($0, until: 60) }, of: video(0))
        var playlist = MediaPlaylist()
        playlist.mediaSequence = 2
        playlist.segments = ["2.ts?token=b", "other.ts"].map {
            MediaSegment(uri: $0, durationMicroseconds: 1)
        }
        let base = try HTTPURL("http://two.test/live.m3u8")
        // The source was opened again meanwhile.
        let use = SourceUse(number: 2, source: try Self.request(1, until: 60).use.source)
        queues.relist(playlist, of: video(0), run: 1, use, base: base, arrival: moment(0))
        let started = queues.takeDue(now: moment(0))
        #expect(started.map(\.use.number) == [1, 2, 1])
        #expect(started.map(\.segment.entry.uri) == ["1.ts", "2.ts?token=b", "3.ts"])
        #expect(started.map(\.base.host) == ["one.test", "two.test", "one.test"])
    }

    @Test("So is one of which only the name has changed, by its date or where the source renames all")
    func renamed() throws {
        func uri(date: Int64?, range: HLS.ByteRange? = nil, areRenamed: Bool) throws -> String? {
            var queues = FetchQueues()
            var request = try Self.request(7, until: 60)
            request.segment.entry.programDateTimeMicroseconds = 42
            queues.add([request], of: video(0))
            var playlist = MediaPlaylist()
            playlist.mediaSequence = 7
            playlist.segments = [MediaSegment(uri: "b7c3.ts", durationMicroseconds: 1)]
            playlist.segments[0].programDateTimeMicroseconds = date
            playlist.segments[0].byteRange = range
            queues.relist(
                playlist, of: video(0), run: 1, areRenamed: areRenamed, request.use, base: request.base,
                arrival: moment(0))
            return queues.takeDue(now: moment(0)).first?.segment.entry.uri
        }
        #expect(try uri(date: 42, areRenamed: false) == "b7c3.ts")
        #expect(try uri(date: 41, areRenamed: false) == "7.ts")
        #expect(try uri(date: nil, areRenamed: false) == "7.ts")
        #expect(try uri(date: nil, areRenamed: true) == "b7c3.ts")
        #expect(try uri(date: 42, range: HLS.ByteRange(length: 5, offset: 0), areRenamed: true) == "7.ts")
    }

    @Test(
        "Its key and section are fetched where they are listed last, unless tags in force may be left out",
        arguments: [nil, 3] as [UInt64?])
    func relistedKeys(skip: UInt64?) throws {
        func key(_ token: String) -> Key { Key(method: .aes128, uri: "key?token=\(token)") }
        var queues = FetchQueues()
        var request = try Self.request(7, until: 60)
        request.segment.entry.keys = [key("a")]
        request.segment.entry.map = MediaMap(uri: "init?token=a", keys: [key("a")])
        queues.add([request], of: video(0))
        let text =
            "#EXTM3U\n#EXT-X-VERSION:9\n#EXT-X-TARGETDURATION:6\n"
            + "#EXT-X-MEDIA-SEQUENCE:\(7 - (skip ?? 0))\n"
            + (skip.map { "#EXT-X-SKIP:SKIPPED-SEGMENTS=\($0)\n" } ?? "")
            + "#EXT-X-KEY:METHOD=AES-128,URI=\"key?token=b\"\n#EXT-X-MAP:URI=\"init?token=b\"\n"
            + "#EXTINF:6,\n7.ts?token=b\n"
        guard case .media(let playlist) = try Playlist.reading(text).playlist else {
            throw TestFailure("no media playlist")
        }
        queues.relist(playlist, of: video(0), run: 1, request.use, base: request.base, arrival: moment(0))
        let entry = try #require(queues.takeDue(now: moment(0)).first).segment.entry
        let token = skip == nil ? "b" : "a"
        #expect(entry.uri == "7.ts?token=b")
        #expect(entry.keys == [key(token)])
        #expect(entry.map == MediaMap(uri: "init?token=\(token)", keys: [key(token)]))
    }

    @Test("Changed playlists that list a segment are counted once a server had other bytes of it")
    func listings() throws {
        let playlist = Self.playlist
        for first in [nil, 0] {
            var queues = FetchQueues()
            var request = try Self.request(3, until: 10)
            request.listingsSinceOtherBytes = first
            queues.add([request], of: video(0))
            queues.relist(
                playlist, of: video(0), run: 1, request.use, base: request.base, arrival: moment(10))
            queues.extendAvailability(video(0), until: moment(60))
            let started = try #require(queues.takeDue(now: moment(20)).first)
            #expect(started.listingsSinceOtherBytes == first.map { $0 + 1 })
        }
    }

    @Test("A segment is not given up while it is listed, for two hundred tries")
    func stillListed() throws {
        let playlist = Self.playlist
        func isLast(_ number: Int64, attempt: Int = 3, at time: Double = 20) throws -> Bool {
            var queues = FetchQueues()
            var request = try Self.request(number, until: 10)
            request.attempt = attempt
            queues.add([request], of: video(0))
            queues.relist(
                playlist, of: video(0), run: 1, request.use, base: request.base, arrival: moment(10))
            let started = queues.takeDue(now: moment(time))
            return try #require(started.first).isLast
        }
        #expect(try !isLast(3))
        #expect(try !isLast(7))
        #expect(try isLast(2))
        #expect(try isLast(8))
        #expect(try !isLast(3, attempt: 199))
        #expect(try isLast(3, attempt: 200))
        // The playlist is thirty seconds long, and a segment stays for one target duration more.
        #expect(try isLast(7, at: 46))
    }
}
