import Catalogue
import HLS
import HTTP
import Journal
import Monitoring
import SegmentStore
import TestSupport
import Testing
import Timeline

@testable import Recorder

/// Its segments have the names of those before.
@Suite("A segment that is still to be fetched when the source begins again")
struct ReplacedAddressTests {
    private static let source = SourceSettings(url: "http://one.test/live.m3u8")

    /// Three segments named 0.ts to 2.ts; with dates that follow each other from a time on.
    private static func text(_ first: Int, from time: Int?, breaks: Int = 0) -> String {
        let date = time.map { "#EXT-X-PROGRAM-DATE-TIME:2023-11-14T22:13:\(20 + $0).000Z\n" } ?? ""
        return "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXT-X-MEDIA-SEQUENCE:\(first)\n"
            + "#EXT-X-DISCONTINUITY-SEQUENCE:\(breaks)\n\(date)"
            + (0..<3).map { "#EXTINF:6,\n\($0).ts\n" }.joined()
    }

    private struct Stage {
        var driver: StateDriver
        /// What was fetched, in order.
        var requests: [SegmentRequest] = []
        var facts: [SegmentFact] = []
        var deleted: [ArchiveKey] = []

        /// Numbers 100 to 102 are listed, of which the last one is not there.
        init(isDated: Bool, at time: Double = 0.1) throws {
            driver = try StateDriver([source])
            let opening = try #require(driver.begin(at: 0).playlistRequests.first)
            let listed = take(try driver.answer(opening, text(100, from: isDated ? 0 : nil), at: time))
            for request in listed where request.segment.identity.number < 102 {
                take(driver.send(.segmentStored(stored(request), request), at: time))
            }
            let last = try #require(listed.last)
            take(driver.send(.segmentFailed(FetchFailure(status: 404), last), at: time))
        }

        @discardableResult
        mutating func take(_ actions: [RecordingAction]) -> [SegmentRequest] {
            for action in actions {
                switch action {
                case .fetchSegment(let request): requests.append(request)
                case .journal(let entries): facts += entries.compactMap(\.fact)
                case .deleteObject(let key): deleted.append(key)
                default: break
                }
            }
            return actions.segmentRequests
        }

        /// Lets time pass until playlists are asked for, which are answered; segments may not be there.
        ///
        /// - Returns: when that was
        mutating func poll(_ text: String, from begin: Double, failing: Bool = false) throws -> Double {
            for time in stride(from: begin, to: begin + 12, by: 0.25) {
                let actions = driver.send(.clockAdvanced, at: time)
                for request in take(actions) where failing {
                    take(driver.send(.segmentFailed(FetchFailure(status: 404), request), at: time))
                }
                guard let request = actions.playlistRequests.first else { continue }
                var asked = try driver.answer(request, text, at: time)
                while !asked.isEmpty {
                    take(asked)
                    // What is read of a segment is nothing that is held.
                    asked = asked.probes.flatMap {
                        driver.send(.segmentProbed(ProbedSegment(digest: [9]), $0), at: time)
                    }
                }
                return time
            }
            Issue.record("no playlist is asked for")
            return begin
        }

        func tries(of number: Int64) -> Int { requests.count { $0.segment.identity.number == number } }

        var lost: [GapReason: Int] {
            driver.state.progress.renditions[video(0)]?.status.lost ?? [:]
        }
    }

    private static func stored(_ request: SegmentRequest) -> StoredSegment {
        PartialSegmentTests.stored(request.segment, measured: nil, timestamp: nil)
    }

    @Test("is given up when another segment has its address, which is fetched once, for itself")
    func waiting() throws {
        var stage = try Stage(isDated: true)
        let time = try stage.poll(Self.text(0, from: 24, breaks: 1), from: 0.2, failing: true)
        let before = stage.tries(of: 102)
        #expect(before > 2)
        for time in stride(from: time, to: time + 4, by: 0.25) {
            stage.take(stage.driver.send(.clockAdvanced, at: time))
        }
        #expect(stage.tries(of: 102) == before)
        #expect(stage.lost == [.segmentExpired: 1])
        #expect((0..<3).map { stage.tries(of: $0) } == [1, 1, 1])
        #expect(stage.requests.suffix(3).map(\.segment.start) == [at(24), at(30), at(36)])
    }

    @Test("is not stored when its bytes come while another segment has its address")
    func running() throws {
        var stage = try Stage(isDated: true)
        stage.take(stage.driver.send(.clockAdvanced, at: 0.5))
        let request = try #require(stage.requests.last)
        #expect(request.segment.identity.number == 102 && request.attempt == 2)
        let time = try stage.poll(Self.text(0, from: 24, breaks: 1), from: 0.6)
        #expect(stage.lost == [:])
        let late = Self.stored(request)
        stage.take(stage.driver.send(.segmentStored(late, request), at: time + 0.1))
        #expect(stage.lost == [.segmentExpired: 1])
        #expect(stage.deleted == [late.object.key])
        #expect(stage.facts.map(\.identity.number) == [100, 101])
    }

    @Test("has its own address where queries alone tell segments apart, also in playlists of one segment")
    func queries() throws {
        let playlists = try (5...6).map { number in
            let text =
                "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXT-X-MEDIA-SEQUENCE:\(number)\n#EXTINF:6,\nlive.ts?n=\(number)\n"
            return try Playlist.reading(text).playlist.media
        }
        #expect(!playlists.contains(where: SegmentAddress.differByPath))
        #expect(SegmentAddress.differByPath(try Playlist.reading(Self.text(0, from: nil)).playlist.media))
    }

    @Test(
        "is not taken from an address of which a playlist leaves open whose it is",
        arguments: [true, false])
    func inDoubt(beginsAgain: Bool) throws {
        var stage = try Stage(isDated: false)
        // Without dates, numbers that start at 0 again may also come from an old playlist.
        var time = try stage.poll(Self.text(0, from: nil), from: 0.2)
        let first = stage.requests.filter { $0.segment.identity.number == 102 }
        let (retry, before) = (try #require(first.last), first.count)
        #expect(retry.attempt == 2)
        // What came meanwhile may be of the one as of the other.
        stage.take(stage.driver.send(.segmentStored(Self.stored(retry), retry), at: time + 0.1))
        #expect(stage.deleted.count == 1 && stage.facts.map(\.identity.number) == [100, 101])
        for _ in 0..<6 where stage.driver.state.progress.renditions[video(0)]?.status.seen == 3 {
            #expect(stage.tries(of: 102) == before)
            time = try stage.poll(Self.text(beginsAgain ? 0 : 100, from: nil), from: time + 0.25)
            guard beginsAgain else { break }
        }
        for time in stride(from: time, to: time + 4, by: 0.25) {
            stage.take(stage.driver.send(.clockAdvanced, at: time))
        }
        #expect(stage.tries(of: 102) == (beginsAgain ? before : before + 1))
        #expect(stage.lost == (beginsAgain ? [.segmentExpired: 1] : [:]))
        #expect(stage.tries(of: 2) == (beginsAgain ? 1 : 0))
    }
}

@Suite("Addresses of segments that wait")
struct SegmentAddressTests {
    private static func request(_ number: Int64, _ uri: String, run: Int64 = 1) throws -> SegmentRequest {
        var request = Ciphered.lastTry(uri, at: try HTTPURL("http://one.test/live.m3u8"))
        request.segment.placed.identity.number = number
        request.segment.placed.identity.run = run
        request.segment.listedNumber = UInt64(number)
        return request
    }

    /// What gives way to the last entry of a playlist, of what is to be fetched.
    private static func replaced(
        _ requests: [SegmentRequest], _ uris: [String], first: Int64, run: Int64 = 1,
    ) throws -> [Int64] {
        var playlist = MediaPlaylist()
        playlist.mediaSequence = UInt64(first)
        playlist.segments = uris.map { MediaSegment(uri: $0, durationMicroseconds: 1) }
        let newest = try request(first + Int64(uris.count) - 1, uris.last ?? "", run: run)
        var queues = FetchQueues()
        queues.add(requests, of: video(0))
        let gone = queues.dropReplaced(
            by: [newest.segment], in: playlist, of: video(0), newest.use,
            base: try HTTPURL("http://two.test/live.m3u8"))
        #expect(gone.allSatisfy { !queues.holds($0.segment.identity) })
        return gone.map(\.segment.identity.number)
    }

    @Test("Where names come round, one that has left the playlist gives way, and one that is listed does not")
    func ring() throws {
        let requests = try [
            Self.request(8, "0.ts?t=a"), Self.request(9, "1.ts?t=a"), Self.request(12, "0.ts"),
        ]
        let uris = ["3.ts?t=b", "0.ts?t=b", "1.ts?t=b"]
        #expect(try Self.replaced(requests, uris, first: 11) == [9])
        #expect(try Self.replaced([Self.request(11, "1.ts")], uris, first: 11).isEmpty)
    }

    @Test("Where only queries tell segments apart, they are part of the address")
    func queries() throws {
        let requests = try [Self.request(5, "get?id=5", run: 2), Self.request(6, "get?id=1", run: 1)]
        let uris = ["get?id=0", "get?id=1"]
        #expect(try Self.replaced(requests, uris, first: 0, run: 2) == [6])
    }

    @Test("Where a run uses a name of an older one again, all that waits of that one gives way")
    func reused() throws {
        let requests = try [
            Self.request(5, "5.ts", run: 2), Self.request(6, "6.ts", run: 2),
            Self.request(17, "17.ts", run: 1),
        ]
        #expect(try Self.replaced(requests, ["4.ts", "5.ts"], first: 4, run: 3) == [5, 6])
    }

    @Test(
        "Where a run is about to use a name of an older one again, all that waits of that one gives way",
        arguments: [
            (["a/s02.mp4?t=b", "a/s03.mp4?t=b"], 6, ["a/s06.mp4?t=a", "a/s09.mp4?t=a"], true),
            (["get?id=8&t=b", "get?id=9&t=b"], 6, ["get?id=12&t=b", "get?id=15&t=b"], true),
            // Later, elsewhere, under names that count on or say nothing.
            (["2.ts", "3.ts"], 7, ["7.ts", "9.ts"], false),
            (["2.ts", "3.ts"], 6, ["b/6.ts", "9.ts"], false),
            (["2.ts", "3.ts"], 6, ["0.ts", "1.ts"], false), (["b.ts", "c.ts"], 6, ["f.ts", "i.ts"], false),
        ])
    func reusedNext(uris: [String], first: Int64, older: [String], givesWay: Bool) throws {
        let requests = try [Self.request(first, older[0], run: 1), Self.request(9, older[1], run: 1)]
        #expect(try Self.replaced(requests, uris, first: 2, run: 3) == (givesWay ? [first, 9] : []))
    }

    @Test("Folders are part of the address, and another source's addresses are its own")
    func others() throws {
        var other = try Self.request(4, "0.ts")
        other.use = SourceUse(number: 2, source: SourceSettings(url: "http://three.test/live.m3u8"))
        #expect(try Self.replaced([Self.request(5, "a/0.ts"), other], ["0.ts"], first: 0, run: 2).isEmpty)
    }

    @Test("What is listed of another run says nothing of a segment under its number")
    func otherRun() throws {
        var queues = FetchQueues()
        let request = try Self.request(0, "0.ts?t=a")
        queues.add([request], of: video(0))
        var playlist = MediaPlaylist()
        playlist.segments = [MediaSegment(uri: "0.ts?t=b", durationMicroseconds: 1)]
        queues.relist(playlist, of: video(0), run: 2, request.use, base: request.base, arrival: moment(0))
        #expect(queues.takeDue(now: moment(0)).map(\.segment.entry.uri) == ["0.ts?t=a"])
    }
}
