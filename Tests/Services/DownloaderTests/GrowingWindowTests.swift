import Concurrency
import Foundation
import HLS
import HTTPSupport
import Synchronization
import TestSupport
import Testing
import Timeline

@testable import Downloader

/// Windows of a channel are answered as the playback API says: closed ones up to the live edge, `mode=event`
/// until everything up to the end is published.
@Suite("Windows that have not ended, and lists that stand still", .timeLimit(.minutes(30)))
struct GrowingWindowTests {
    /// A clock that ends each pause at once, and the pauses that were asked for.
    private final class Pauses: Sendable {
        private let asked = Mutex<[Duration]>([])

        var all: [Duration] { asked.withLock { $0 } }

        var clock: HostClock {
            HostClock(
                now: { HostClock.system.now() }, steady: { HostClock.system.steady() },
                sleep: { end in
                    self.asked.withLock { $0.append(end - HostClock.system.steady()) }
                    try Task.checkCancellation()
                    await Task.yield()
                })
        }
    }

    /// A channel that has published some of the six seconds of a window, under `/vod/window.m3u8`.
    private final class Channel: Sendable {
        struct State {
            var published = 3
            /// Segments that each answer has more than the one before.
            var growth = 0
            var isFinal = false
            var endsList = true
        }

        let state = Mutex(State())
        private let segments: [String]
        private let targetSeconds: Int

        init(_ origin: FaultyOrigin, targetSeconds: Int = 1) {
            segments = origin.segments()
            self.targetSeconds = targetSeconds
            origin.serve("/vod/window.m3u8", answered: { [self] in answer($0) })
        }

        private func answer(_ request: FaultyOrigin.Request) -> (text: String, fields: [String: String]) {
            let isEvent = request.query?.contains("mode=event") ?? false
            let state = state.withLock { state in
                defer { if isEvent { state.published = min(state.published + state.growth, segments.count) } }
                return state
            }
            let isWhole = state.published == segments.count
            // The numbers of the published log are others than those of a window that has ended.
            var lines = [
                "#EXTM3U", "#EXT-X-TARGETDURATION:\(targetSeconds)",
                "#EXT-X-PLAYLIST-TYPE:\(isEvent ? "EVENT" : "VOD")",
                "#EXT-X-MEDIA-SEQUENCE:\(isEvent ? 100 : 0)",
            ]
            lines += segments.prefix(state.published).flatMap { ["#EXTINF:1,", $0] }
            if !isEvent || isWhole && state.endsList { lines.append("#EXT-X-ENDLIST") }
            let window = "2026-11-22T20:15:00.000Z/2026-11-22T20:15:0\(state.published).000Z"
            return (
                lines.joined(separator: "\n") + "\n",
                [
                    "Backcast-Window": window, "Backcast-Missing-Seconds": "0",
                    "Backcast-Final": "\(state.isFinal || isWhole && !state.endsList)",
                ]
            )
        }
    }

    private func request(_ origin: FaultyOrigin, begin: String = "2026-11-22T20:15:00Z") -> DownloadRequest {
        var request = origin.request("/vod/window.m3u8")
        (request.begin, request.duration) = (begin, "6")
        return request
    }

    private func expectWhole(_ downloading: Downloading, _ origin: FaultyOrigin) throws {
        try downloading.expectSegments(of: origin)
        for path in origin.segments() { #expect(origin.requests(for: path).count == 1) }
    }

    @Test("A live playlist that stalls for long goes on being recorded")
    func stalled() async throws {
        try await FaultyOrigin.run(serving: .transportStream) { origin in
            let segments = origin.segments()
            origin.serve("/vod/live.m3u8") { count in
                let listed = segments.prefix(count <= 40 ? 3 : 6).flatMap { ["#EXTINF:1,", $0] }
                let lines = ["#EXTM3U", "#EXT-X-TARGETDURATION:1"] + listed
                return (lines + (count <= 40 ? [""] : ["#EXT-X-ENDLIST", ""])).joined(separator: "\n")
            }
            let downloading = try Downloading()
            let pauses = Pauses()
            let task = try await downloading.run(origin.request("/vod/live.m3u8"), clock: pauses.clock)
            #expect(task.state == .completed && task.notes == nil)
            try expectWhole(downloading, origin)
            // The first segments of a load go alone; of one that brings nothing there are none.
            let longest = Limits.firstSegmentsTimeout
            let alone = pauses.all.count { $0 > longest / 2 && $0 <= longest }
            #expect(alone <= 2)
        }
    }

    @Test("A live list is read on, and what is new fetched, while a segment takes long")
    func readOn() async throws {
        try await FaultyOrigin.run(serving: .transportStream) { origin in
            let segments = origin.segments()
            // It is read twice at the start. Each later list has none of the segments of the one before.
            origin.serve("/vod/live.m3u8") { count in
                let first = min(max(count - 2, 0) * 2, 4)
                let lines = ["#EXTM3U", "#EXT-X-TARGETDURATION:1", "#EXT-X-MEDIA-SEQUENCE:\(first)"]
                let listed = segments[first..<first + 2].flatMap { ["#EXTINF:1,", $0] }
                return (lines + listed + [first == 4 ? "#EXT-X-ENDLIST" : "", ""]).joined(separator: "\n")
            }
            origin.fail(segments[1], [.held(after: 1000)])
            let downloading = try Downloading()
            let running = Task { try await downloading.run(origin.request("/vod/live.m3u8")) }
            let others = [1, 3, 4, 5, 6].map { downloading.path("task", "v0/0000\($0).ts") }
            try await eventually("the other segments", within: .seconds(60)) {
                others.allSatisfy { FileManager.default.fileExists(atPath: $0) }
            }
            origin.release()
            let task = try await running.value
            #expect(task.state == .completed && task.notes == nil)
            try downloading.expectSegments(of: origin)
            // On a busy machine the held one may be asked for again, as it brings nothing for long.
            for path in segments where path != segments[1] {
                #expect(origin.requests(for: path).count == 1)
            }
        }
    }

    @Test("A live segment that is refused and not listed any more is a gap, and what follows is recorded")
    func dropped() async throws {
        try await FaultyOrigin.run(serving: .transportStream) { origin in
            let segments = origin.segments()
            origin.serve("/vod/live.m3u8") { count in
                let first = count <= 2 ? 0 : 3
                let lines = ["#EXTM3U", "#EXT-X-TARGETDURATION:1", "#EXT-X-MEDIA-SEQUENCE:\(first)"]
                let listed = segments[first..<first + 3].flatMap { ["#EXTINF:1,", $0] }
                return (lines + listed + [first == 3 ? "#EXT-X-ENDLIST" : "", ""]).joined(separator: "\n")
            }
            origin.fail(segments[1], Array(repeating: .status(404), count: 100))
            let downloading = try Downloading()
            let task = try await downloading.run(origin.request("/vod/live.m3u8"))
            #expect(task.state == .completed, "\(task.error?.detail ?? "")")
            #expect(task.notes == ["1 s of it are missing at the source"])
            let playlist = try readMedia(
                String(decoding: downloading.bytes("task", "index.m3u8"), as: UTF8.self))
            #expect(playlist.segments.map(\.isGap) == (0..<6).map { $0 == 1 })
            #expect(playlist.segments.allSatisfy { $0.discontinuityCount == 0 })
        }
    }

    @Test(
        "A live recording outlasts answers that call a later request wrong",
        arguments: [400, 412, 416, 421])
    func calledWrong(status: Int) async throws {
        try await FaultyOrigin.run(serving: .byteRanges) { origin in
            let whole = try #require(origin.bytes("/vod/index.m3u8"))
            origin.reopen("/vod/index.m3u8")
            // The first request finds what the URL leads to.
            origin.fail("/vod/index.m3u8", [.garbled(after: .max), .status(status)])
            let path = try #require(origin.segments().first)
            origin.fail(path, [.status(status), .status(status)])
            let downloading = try Downloading()
            let running = Task { try await downloading.run(origin.request(), clock: .system) }
            try await downloading.reached(["v0/00006.ts"])
            origin.serve("/vod/index.m3u8", whole)
            let task = try await running.value
            #expect(task.state == .completed, "\(task.error?.detail ?? "")")
            #expect(task.segmentsDone == 6 && task.notes == nil)
        }
    }

    @Test("A list is read after its target duration, an unchanged one after half, a stalled one after all")
    func pace() {
        var pause = ReloadPause(targetSeconds: 6)
        #expect(pause.next() == .seconds(6))
        for _ in 0..<29 {
            pause.countUnchanged()
            #expect(pause.next() == .seconds(3))
        }
        pause.countUnchanged()
        #expect(pause.next() == .seconds(6) && pause.unchangedDuration == .seconds(6 + 29 * 3))
        pause.reset()
        #expect(pause.unchangedDuration == .zero)
        #expect(ReloadPause(targetSeconds: .max).next() == .seconds(60))
        // It counts from the beginning of the last reading, however long that took.
        let begun = SteadyInstant.now
        pause.begins(at: begun)
        #expect(pause.remaining(at: begun + .seconds(2)) == .seconds(4))
        #expect(pause.remaining(at: begun + .seconds(7)) == .zero)
    }

    @Test(
        "A list shorter than three target durations is read again after its last segment, or half of it",
        arguments: [
            ([2, 2, 2], "", 2_000, 2_000), ([6], "", 3_000, 3_000), ([9, 9], "", 9_000, 5_000),
            ([10, 10, 10], "", 10_000, 5_000), ([0.1], "", 500, 500), ([], "", 10_000, 5_000),
            ([2, 2, 2], "#EXT-X-PLAYLIST-TYPE:EVENT\n", 10_000, 5_000),
        ] as [([Double], String, Int, Int)])
    func shortList(seconds: [Double], tag: String, changed: Int, unchanged: Int) throws {
        let lines = seconds.map { "#EXTINF:\($0),\n\($0).ts\n" }
        let list = try readMedia("#EXTM3U\n#EXT-X-TARGETDURATION:10\n" + tag + lines.joined())
        var pause = ReloadPause(targetSeconds: 6)
        pause.take(targetSeconds: 10, [ListedTime(list)].compactMap(\.self))
        #expect(pause.next() == .milliseconds(changed))
        pause.countUnchanged()
        #expect(pause.next() == .milliseconds(unchanged))
    }

    @Test("A live list that is shorter than its target duration is read often enough")
    func shortLive() async throws {
        try await FaultyOrigin.run(serving: .transportStream) { origin in
            let segments = origin.segments()
            origin.serve("/vod/live.m3u8") { count in
                // It is read twice at the start.
                let first = min(max(count - 2, 0), 3)
                let lines = ["#EXTM3U", "#EXT-X-TARGETDURATION:10", "#EXT-X-MEDIA-SEQUENCE:\(first)"]
                let listed = segments[first..<first + 3].flatMap { ["#EXTINF:1,", $0] }
                return (lines + listed + [first == 3 ? "#EXT-X-ENDLIST" : "", ""]).joined(separator: "\n")
            }
            let downloading = try Downloading()
            let pauses = Pauses()
            let task = try await downloading.run(origin.request("/vod/live.m3u8"), clock: pauses.clock)
            #expect(task.state == .completed && task.notes == nil)
            try expectWhole(downloading, origin)
            // The longest pause is that before the first segment.
            let longest = pauses.all.max() ?? .zero
            #expect(longest <= Limits.firstSegmentsTimeout)
        }
    }

    /// Five seconds behind the end of the window.
    private static let clock = HostClock(
        now: { Instant(microseconds: 1_795_378_511_000_000) }, steady: Downloading.hasty.steady,
        sleep: Downloading.hasty.sleep)

    @Test(
        "A window that has just ended is taken to its end, also where the channel has another time zone",
        arguments: ["2026-11-22T20:15:00Z", "20261122151500", "20261123051500"])
    func justEnded(begin: String) async throws {
        try await FaultyOrigin.run(serving: .transportStream) { origin in
            let channel = Channel(origin)
            channel.state.withLock { $0.growth = 1 }
            let downloading = try Downloading()
            let task = try await downloading.run(request(origin, begin: begin), clock: Self.clock)
            #expect(task.state == .completed, "\(task.error?.detail ?? "")")
            try expectWhole(downloading, origin)
            let asked = origin.requests(for: "/vod/window.m3u8").map { $0.query?.contains("mode=event") }
            #expect(asked.prefix(2) == [false, true] && asked.dropFirst().allSatisfy { $0 == true })
        }
    }

    @Test("A window that its server calls final is taken as it is, unless it is a canonical one cut short")
    func final() async throws {
        for (published, isGrowing) in [(6, false), (3, true)] {
            try await FaultyOrigin.run(serving: .transportStream) { origin in
                let channel = Channel(origin)
                channel.state.withLock { ($0.published, $0.growth, $0.isFinal) = (published, 3, true) }
                let downloading = try Downloading()
                #expect(try await downloading.run(request(origin)).state == .completed)
                try expectWhole(downloading, origin)
                let asked = origin.requests(for: "/vod/window.m3u8")
                #expect(asked.contains { $0.query?.contains("mode=event") ?? false } == isGrowing)
            }
        }
    }

    @Test("A window that never ends fails and says so, and a retry takes the rest")
    func still() async throws {
        try await FaultyOrigin.run(serving: .transportStream) { origin in
            let channel = Channel(origin, targetSeconds: 60)
            let downloading = try Downloading()
            let task = try await downloading.run(request(origin))
            #expect(task.state == .failed && task.segmentsDone == 3)
            #expect(task.error?.title == "Not finished")
            #expect(task.error?.detail.contains("published nothing for 60 min") ?? false)
            let list = String(decoding: try downloading.bytes("task", "index.m3u8"), as: UTF8.self)
            #expect(!list.contains("#EXT-X-ENDLIST"))
            channel.state.withLock { $0.published = 6 }
            #expect(try await downloading.run(request(origin)).state == .completed)
            try expectWhole(downloading, origin)
        }
    }

    @Test("A window that stands still is whole where its server says that it is final")
    func finalWithoutEnd() async throws {
        try await FaultyOrigin.run(serving: .transportStream) { origin in
            let channel = Channel(origin, targetSeconds: 60)
            channel.state.withLock { ($0.growth, $0.endsList) = (3, false) }
            let downloading = try Downloading()
            #expect(try await downloading.run(request(origin)).state == .completed)
            try expectWhole(downloading, origin)
        }
    }

    @Test("A window that is stopped before its end is paused, and has all of it when it goes on")
    func paused() async throws {
        try await FaultyOrigin.run(serving: .transportStream) { origin in
            let channel = Channel(origin)
            let downloading = try Downloading()
            let request = request(origin)
            let running = Task { try await downloading.run(request, clock: .system) }
            let half = (1...3).map { downloading.path("task", "v0/0000\($0).ts") }
            try await eventually("half of it") {
                half.allSatisfy { FileManager.default.fileExists(atPath: $0) }
            }
            running.cancel()
            let task = try await running.value
            #expect(task.state == .paused && task.segmentsDone == 3 && task.error == nil)
            channel.state.withLock { ($0.published, $0.isFinal) = (6, true) }
            #expect(try await downloading.run(request).state == .completed)
            try expectWhole(downloading, origin)
        }
    }
}
