import Catalogue
import Concurrency
import Dispatch
import HTTP
import HTTPSupport
import Synchronization
import TestSupport
import Testing
import Timeline

@testable import Playback
@testable import ViewerAPI

/// Answers that compute for long, so not on a thread that reads requests.
@Suite(.serialized) struct LongAnswerTests {
    @Test(
        "A list leaves the thread that read the request before it is written",
        arguments: [
            "/iptv/channels.m3u", "/iptv/guide.xml", "/get.php?username=a&password=open&type=m3u_plus",
        ])
    func list(path: String) async throws {
        let host: HTTPHeaders = ["Host": "tv.example:8080"]
        try await ViewerFixture.with { viewer in
            try await viewer.record(Recording("news"))
            // From now on the channels are in memory.
            #expect(try await viewer.get(path, host).status == 200)
            guard case .later(let answer) = viewer.api.answer(HTTPRequest(.get, path, host))
            else {
                Issue.record("The answer is made at once")
                return
            }
            #expect(await leavesItsThread { _ = await answer() })
        }
    }

    @Test(
        "So does a window that is composed, however few pieces it has",
        arguments: [
            "?begintime=1469509516&duration=20&gaps=tag", "?dvr=7200", "?begintime=1469509516&mode=event",
        ])
    func composed(query: String) async throws {
        try await ViewerFixture.with { viewer in
            try await viewer.record(Recording("news"))
            let path = "/live/news/index.m3u8\(query)"
            #expect(try await viewer.get(path).status == 200)
            // An answer that was kept is made at once.
            guard case .later(let answer) = viewer.api.answer(HTTPRequest(.get, path + "&x=1")) else {
                Issue.record("The answer is made at once")
                return
            }
            #expect(await leavesItsThread { _ = await answer() })
        }
    }

    @Test("Many viewers behind one proxy wait for each other's compositions; none is refused")
    func behindProxy() async throws {
        try await ViewerFixture.with { viewer in
            let index = TimelineIndex(
                catalogue: viewer.catalogue, maxStaleSeconds: 60, clock: ManualClock().clock)
            let playbackService = PlaybackService(index: index, maxWindowSeconds: 86_400)
            let running = Running()
            try await withThrowingTaskGroup { group in
                for _ in 0..<100 {
                    group.addTask {
                        try await playbackService.inTurn(true, for: "proxy") {
                            () async throws(PlaybackError) in
                            running.begin()
                            try? await Task.sleep(for: .milliseconds(1))
                            running.end()
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(running.most == 1)
        }
    }

    @Test(
        "A multivariant playlist of many quarters is written elsewhere, also of more than wait for a turn",
        arguments: [20, 120])
    func multivariant(quarters: Int) async throws {
        try await ViewerFixture.with { viewer in
            var recording = Recording("news", seconds: 0)
            for index in 0..<quarters { recording.add("v0", from: Double(index) * 900, count: 1) }
            recording.watermark = Double(quarters) * 900
            try await viewer.record(recording)
            let index = TimelineIndex(catalogue: viewer.catalogue, maxStaleSeconds: 60, clock: .system)
            let playbackService = PlaybackService(index: index, maxWindowSeconds: 200_000)
            let name = try #require(ChannelID("news"))
            let channel = try #require(try await viewer.catalogue.channel(name))
            let window = try await playbackService.compose(
                WindowRequest(.closed(begin: at(0), end: at(recording.watermark))), of: channel,
                now: at(200_000))
            // From now on the bit rates are in memory.
            _ = try await playbackService.multivariantPlaylist(of: window, query: nil)
            #expect(
                await leavesItsThread {
                    _ = try? await playbackService.multivariantPlaylist(of: window, query: nil)
                })
        }
    }

    @Test("Many EXT-X-GAP entries are written elsewhere, and a long text is compressed there")
    func ownText() async throws {
        try await ViewerFixture.with { viewer in
            var recording = Recording("news", seconds: 0)
            for begin in [0.0, 60_000] { recording.add("v0", from: begin, count: 1) }
            recording.watermark = 60_010
            try await viewer.record(recording)
            let index = TimelineIndex(catalogue: viewer.catalogue, maxStaleSeconds: 60, clock: .system)
            let playbackService = PlaybackService(index: index, maxWindowSeconds: 200_000)
            let name = try #require(ChannelID("news"))
            let channel = try #require(try await viewer.catalogue.channel(name))
            var request = WindowRequest(.closed(begin: at(0), end: at(60_004)))
            request.writesGaps = true
            let window = try await playbackService.compose(request, of: channel, now: at(200_000))
            let id = try #require(window.leading?.id)
            #expect(
                await leavesItsThread {
                    _ = try? await playbackService.mediaPlaylist(of: id, in: window, isCompressed: false)
                })
            let text = try RenderedPlaylist(Array(repeating: 10, count: 1 << 20))
            #expect(
                await leavesItsThread { _ = try? await playbackService.body(of: text, isCompressed: true) })
        }
    }

    /// Whether work that has begun goes on elsewhere: the only thread for that has other work at first.
    private func leavesItsThread(_ work: @escaping @Sendable () async -> Void) async -> Bool {
        let executor = BackgroundExecutor(threads: 1)
        let mayGoOn = DispatchSemaphore(value: 0)
        let other = Task(executorPreference: executor) { wait(for: mayGoOn) }
        let isDone = Mutex(false)
        let task = Task.immediate(executorPreference: executor) {
            await work()
            isDone.withLock { $0 = true }
        }
        let hasLeft = !isDone.withLock(\.self)
        mayGoOn.signal()
        await task.value
        await other.value
        return hasLeft
    }

    private func wait(for semaphore: DispatchSemaphore) { semaphore.wait() }
}

/// How many computations run at the same time.
private final class Running: Sendable {
    private let count = Mutex((now: 0, most: 0))

    var most: Int { count.withLock { $0.most } }

    func begin() { count.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) } }

    func end() { count.withLock { $0.now -= 1 } }
}
