import Concurrency
import Dispatch
import Files
import Foundation
import HTTPClient
import HTTPSupport
import Synchronization
import TestSupport
import Testing

@testable import Downloader

@Suite("Tasks that are asked for at the same time", .timeLimit(.minutes(30)))
struct DownloadManagerTests {
    /// Holds the second write of `task.json` until it is released.
    private final class Hold: Sendable {
        private let count = Mutex(0)
        private let released = DispatchSemaphore(value: 0)

        var isReached: Bool { count.withLock { $0 >= 2 } }

        func release() { released.signal() }

        var disk: Disk<DownloadError> {
            Disk { [self] operation, path in
                guard operation == .link, path.hasSuffix("/task.json") else { return nil }
                let isSecond = count.withLock { count in
                    count += 1
                    return count == 2
                }
                if isSecond { released.wait() }
                return nil
            }
        }
    }

    /// Runs a body while the tasks of a folder run.
    private func managing(
        _ downloading: Downloading, disk: Disk<DownloadError> = Disk(),
        report: @escaping @Sendable (DownloadTask) -> Void = { _ in },
        _ body: (DownloadManager) async throws -> Void
    ) async throws {
        let client = try HTTPClient.open(ClientConfiguration(logger: silentLogger))
        let manager = try await DownloadManager.open(
            downloading.folder.path, downloading.options, client: client, clock: Downloading.hasty,
            disk: disk, report: report)
        let running = Task { await manager.run() }
        let result = await Result { () async throws(any Error) in try await body(manager) }
        running.cancel()
        await running.value
        await client.close()
        try result.get()
    }

    @Test("A task that is given again while its failure is stored goes on as it is asked for now")
    func failing() async throws {
        try await FaultyOrigin.run(serving: .transportStream) { origin in
            let hold = Hold()
            let downloading = try Downloading()
            var wrong = origin.request()
            wrong.headers = [DownloadRequest.Field(name: "bad name", value: "x")]
            let (first, corrected) = (wrong, origin.request())
            try await managing(downloading, disk: hold.disk) { manager in
                _ = try await manager.addOrResume(first)
                try await eventually("the failure") { hold.isReached }
                let taken = Task { try await manager.addOrResume(corrected) }
                // Time for the whole task, if it does not wait for its turn.
                try await Task.sleep(for: .milliseconds(500))
                hold.release()
                _ = try await taken.value
                try await eventually("the end") { manager.task("task")?.state.isEnded ?? false }
                try await Task.sleep(for: .milliseconds(100))
                #expect(manager.task("task")?.state == .completed)
            }
            let stored = try JSONDecoder().decode(
                StoredTask.self, from: Data(downloading.bytes("task", "task.json")))
            #expect(stored.task.state == .completed)
        }
    }

    @Test("A task can go on as soon as it is told that it has failed", arguments: [true, false])
    func ended(isRetry: Bool) async throws {
        try await FaultyOrigin.run(serving: .transportStream) { origin in
            // Three are refused, and three after the playlist was read again.
            origin.fail(origin.segments()[0], Array(repeating: .status(404), count: 6))
            let request = origin.request()
            let known = Mutex<DownloadManager?>(nil)
            let again = Mutex<Task<Void, any Error>?>(nil)
            let report: @Sendable (DownloadTask) -> Void = { task in
                guard task.state == .failed, let manager = known.withLock({ $0.take() }) else { return }
                again.withLock {
                    $0 = Task {
                        _ =
                            isRetry
                            ? try await manager.resume("task", isRetry: true)
                            : try await manager.addOrResume(request)
                    }
                }
                // Time for the call above: the run ends only when this returns.
                usleep(200_000)
            }
            try await managing(try Downloading(), report: report) { manager in
                known.withLock { $0 = manager }
                _ = try await manager.addOrResume(request)
                try await waitFor("the failure") { again.withLock { $0 } }.value
                try await eventually("the end", within: .seconds(20)) {
                    manager.task("task")?.state == .completed
                }
            }
        }
    }

    @Test("A task that was refused with another request goes on as it was asked for before")
    func refusedRequest() async throws {
        try await FaultyOrigin.run(serving: .transportStream) { origin in
            let text = String(decoding: try #require(origin.bytes("/vod/index.m3u8")), as: UTF8.self)
            let other = text.replacing("index", with: "another")
            origin.serve("/vod/live.m3u8") { request in (request.query == nil ? text : other, [:]) }
            origin.fail(origin.segments()[3], Array(repeating: .status(500), count: Limits.attempts))
            let downloading = try Downloading()
            try await managing(downloading) { manager in
                _ = try await manager.addOrResume(origin.request("/vod/live.m3u8"))
                try await eventually("the failure") { manager.task("task")?.state == .failed }
                _ = try await manager.addOrResume(origin.request("/vod/live.m3u8?v=2"))
                try await eventually("the refusal") { await manager.refusal(of: "task") != nil }
                try await eventually("its end") { manager.task("task")?.state == .failed }
                _ = try await manager.resume("task", isRetry: true)
                try await eventually("the end") { manager.task("task")?.state == .completed }
            }
            try downloading.expectSegments(of: origin)
        }
    }

    @Test(
        "A task that had failed and waits again can be stopped, and goes on later", arguments: [true, false]
    )
    func stoppedInQueue(isPause: Bool) async throws {
        try await FaultyOrigin.run(serving: .transportStream) { origin in
            origin.fail("/vod/index.m3u8", Array(repeating: .status(404), count: 6))
            origin.serve("/held.mp4", SampleMovie.bytes(count: 50_000))
            origin.fail("/held.mp4", [.held(after: 5_000), .held(after: 5_000)])
            var downloading = try Downloading()
            downloading.options.tasks = 1
            var held = origin.request("/held.mp4")
            held.id = "held"
            let first = held
            try await managing(downloading) { manager in
                _ = try await manager.addOrResume(origin.request())
                try await eventually("the failure") { manager.task("task")?.state == .failed }
                _ = try await manager.addOrResume(first)
                try await eventually("the other") { origin.requests(for: "/held.mp4").count == 2 }
                #expect(try await manager.addOrResume(origin.request()).state == .queued)
                let stopped = try await isPause ? manager.pause("task") : manager.cancel("task")
                #expect(stopped.state == (isPause ? .paused : .canceled))
                let stored = try JSONDecoder().decode(
                    StoredTask.self, from: Data(downloading.bytes("task", "task.json")))
                #expect(stored.task.state == stopped.state)
                _ = try await manager.resume("task", isRetry: !isPause)
                origin.release()
                try await eventually("the end") { manager.task("task")?.state == .completed }
            }
        }
    }

    @Test("A process that is stopping takes no more tasks")
    func stopping() async throws {
        let downloading = try Downloading()
        let client = try HTTPClient.open(ClientConfiguration(logger: silentLogger))
        let manager = try await DownloadManager.open(
            downloading.folder.path, downloading.options, client: client, clock: Downloading.hasty)
        let running = Task { await manager.run() }
        running.cancel()
        await running.value
        let refusal = await #expect(throws: DownloadError.self) {
            try await manager.addOrResume(DownloadRequest(url: "http://127.0.0.1:1/a.ts"))
        }
        #expect(refusal == .invalidState("the process that holds the folder is ending"))
        #expect(manager.tasks.isEmpty)
        await client.close()
    }
}
