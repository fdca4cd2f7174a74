import Concurrency
import Files
import Foundation
import Glibc
import HTTPSupport
import Synchronization
import TestSupport
import Testing

@testable import Downloader

@Suite("Parts that were begun, and what a task waits for", .timeLimit(.minutes(30)))
struct ContinuedPartTests {
    /// The last report of a task and the states before it.
    private final class Reports: Sendable {
        private let all = Mutex<(last: DownloadTask?, states: [TaskState])>((nil, []))

        var bytes: Int64 { all.withLock { $0.last?.bytes ?? 0 } }
        var states: [TaskState] { all.withLock { $0.states } }

        func take(_ task: DownloadTask) {
            all.withLock { all in
                all.last = task
                if all.states.last != task.state { all.states.append(task.state) }
            }
        }
    }

    /// Downloads until so many bytes have come, and stops.
    private func stop(
        _ downloading: Downloading, _ request: DownloadRequest, after count: Int64
    ) async throws -> DownloadTask {
        let reports = Reports()
        let running = Task {
            try await downloading.run(request, clock: .system) { reports.take($0) }
        }
        try await eventually("\(count) bytes") { reports.bytes >= count }
        running.cancel()
        return try await running.value
    }

    @Test("A segment begins again where the server does not have the rest that it announced")
    func noRest() async throws {
        try await FaultyOrigin.run { origin in
            try await origin.serve(.transportStream)
            let path = origin.segments()[1]
            let bytes = try #require(origin.bytes(path))
            origin.fail(path, [.cut(after: bytes.count / 2), .status(416)])
            let downloading = try Downloading()
            #expect(try await downloading.run(origin.request()).state == .completed)
            #expect(try downloading.bytes("task", "v0/00002.ts") == bytes)
            let asked = origin.requests(for: path).map { $0.range != nil }
            #expect(asked == [false, true, false])
        }
    }

    @Test("A window of ours goes on with another playback token, which is nowhere shown")
    func playbackToken() async throws {
        try await FaultyOrigin.run { origin in
            try await origin.serve(.transportStream)
            let paths = origin.segments() + ["/vod/index.m3u8"]
            for token in ["one", "two"] {
                for path in paths {
                    let name = path.dropFirst("/vod/".count)
                    origin.serve("/t/\(token)/live/news/\(name)", try #require(origin.bytes(path)))
                }
            }
            let missing = "/t/one/live/news/\(paths[3].dropFirst("/vod/".count))"
            origin.fail(missing, Array(repeating: .status(403), count: 6))
            let downloading = try Downloading()
            var request = origin.request("/t/one/live/news/index.m3u8")
            request.id = nil
            let failed = try await downloading.run(request)
            #expect(failed.state == .failed && failed.url == origin.url("/live/news/index.m3u8"))
            #expect(failed.error.map { !$0.detail.contains("/t/one") } ?? false)
            request.url = origin.url("/t/two/live/news/index.m3u8")
            let task = try await downloading.run(request)
            #expect(task.id == failed.id && task.state == .completed)
            let again = Set(
                origin.log.map(\.path).filter { $0.hasPrefix("/t/two/") && !$0.hasSuffix("m3u8") })
            let done = failed.segmentsDone
            #expect(done > 0 && again.count == paths.count - 1 - done)
        }
    }

    @Test(
        "A segment in which a task was paused continues where it stopped",
        arguments: [SampleStreams.Kind.transportStream, .encrypted])
    func paused(kind: SampleStreams.Kind) async throws {
        try await FaultyOrigin.run { origin in
            try await origin.serve(kind)
            let path = origin.segments()[0]
            if kind == .transportStream { origin.lengthen(path, byPackets: 5000) }
            let whole = try #require(origin.bytes(path))
            let begun = whole.count / 2
            origin.fail(path, [.held(after: begun)])
            var downloading = try Downloading()
            // Bytes of other segments would count, too.
            downloading.options.parallel = 1
            let task = try await stop(downloading, origin.request(), after: Int64(begun))
            #expect(task.state == .paused)
            origin.release()
            #expect(try await downloading.run(origin.request()).state == .completed)
            let requests = origin.requests(for: path)
            #expect(requests.map(\.range) == [nil, "bytes=\(begun)-\(whole.count - 1)"])
            #expect(requests.last?.ifRange == "\"one\"")
            let files = try downloading.files("task")
            #expect(files["v0/00001.ts"] == whole)
            #expect(!files.keys.contains { $0.hasSuffix(".part") })
        }
    }

    @Test("A segment that comes compressed without saying so is fetched from its start after a pause")
    func compressed() async throws {
        try await FaultyOrigin.run(serving: .transportStream) { origin in
            let path = origin.segments()[0]
            // Packets without content that can hardly be compressed, so that the body is long enough for a
            // record: the window of deflate is shorter than what is repeated.
            var (generator, packets) = (SeededGenerator(seed: 1), [UInt8]())
            for _ in 0..<400 {
                packets += [0x47, 0x1F, 0xFF, 0x10]
                for _ in 0..<184 { packets.append(UInt8(truncatingIfNeeded: generator.next())) }
            }
            let whole = try #require(origin.bytes(path)) + Array(repeating: packets, count: 40).joined()
            let coded = try gzip(whole)
            #expect(coded.count > Limits.recordedBodyBytes)
            origin.serve(path, coded)
            origin.fail(path, [.held(after: coded.count / 2)])
            var downloading = try Downloading()
            downloading.options.parallel = 1
            _ = try await stop(downloading, origin.request(), after: 400_000)
            origin.release()
            let task = try await downloading.run(origin.request())
            #expect(task.state == .completed, "\(task.error?.detail ?? "")")
            #expect(origin.requests(for: path).map(\.range) == [nil, nil])
            let files = try downloading.files("task")
            #expect(files["v0/00001.ts"] == whole)
            #expect(!files.keys.contains { $0.hasSuffix(".part") })
        }
    }

    @Test("A segment of which another version is there now is fetched from its start")
    func otherVersion() async throws {
        try await FaultyOrigin.run { origin in
            try await origin.serve(.transportStream)
            let path = origin.segments()[0]
            origin.lengthen(path, byPackets: 5000)
            origin.fail(path, [.held(after: 600_000)])
            let downloading = try Downloading()
            _ = try await stop(downloading, origin.request(), after: 600_000)
            origin.release()
            // The same length, so that only the tag tells.
            var other = try #require(origin.bytes(path))
            other[other.count - 1] = 0
            origin.serve(path, other, tag: "two")
            #expect(try await downloading.run(origin.request()).state == .completed)
            #expect(try downloading.bytes("task", "v0/00001.ts") == other)
        }
    }

    @Test("A beginning that is stored clear is not continued, because its bytes are not the source's")
    func storedClear() async throws {
        try await FaultyOrigin.run { origin in
            try await origin.serve(.encrypted)
            let path = origin.segments()[0]
            let begun = try #require(origin.bytes(path)).count / 2
            origin.fail(path, [.held(after: begun)])
            var downloading = try Downloading()
            downloading.options.parallel = 1
            var request = origin.request()
            request.decrypts = true
            _ = try await stop(downloading, request, after: Int64(begun))
            origin.release()
            #expect(try await downloading.run(request).state == .completed)
            #expect(origin.requests(for: path).map(\.range) == [nil, nil])
            #expect(try await downloading.playing("task").isEmpty)
        }
    }

    @Test("A full disk pauses the task and breaks nothing; what is whole is not fetched again")
    func diskFull() async throws {
        try await FaultyOrigin.run { origin in
            try await origin.serve(.transportStream)
            let full = Disk<DownloadError> { operation, path in
                operation == .write && path.contains("00004.ts") ? ENOSPC : nil
            }
            var downloading = try Downloading()
            downloading.options.parallel = 1
            let paused = try await downloading.run(origin.request(), disk: full)
            #expect(paused.state == .paused && paused.error?.title == "Disk full")
            #expect(paused.error?.detail.contains("00004.ts") == true)
            #expect(paused.segmentsDone == 3)
            let playlist = String(decoding: try downloading.bytes("task", "index.m3u8"), as: UTF8.self)
            #expect(
                playlist.split(separator: "\n").count { $0 == "#EXT-X-GAP" } == origin.segments().count - 3)
            #expect(try await downloading.run(origin.request()).state == .completed)
            for path in origin.segments().prefix(3) { #expect(origin.requests(for: path).count == 1) }
            #expect(try await downloading.playing("task").isEmpty)
        }
    }

    @Test("A disk that is full while a single file is written gets its space back; the task is paused")
    func fullForPacking() async throws {
        try await FaultyOrigin.run(serving: .transportStream) { origin in
            let count = Mutex(0)
            let full = Disk<DownloadError> { operation, path in
                guard operation == .write, path.hasSuffix("/.task.ts.part") else { return nil }
                return count.withLock { count in
                    count += 1
                    return count == 3 ? ENOSPC : nil
                }
            }
            let downloading = try Downloading()
            var request = origin.request()
            request.format = .ts
            let paused = try await downloading.run(request, disk: full)
            #expect(paused.state == .paused && paused.error?.title == "Disk full")
            let files = try downloading.files("task")
            #expect(!files.keys.contains { $0.hasSuffix(".part") }, "\(files.keys)")
            #expect(files["v0/00001.ts"] == origin.bytes(origin.segments()[0]))
            #expect(try await downloading.run(request).state == .completed)
            for path in origin.segments() { #expect(origin.requests(for: path).count == 1) }
        }
    }

    @Test("A disk that has not even room for the state keeps it at the cost of what was begun")
    func fullForState() async throws {
        try await FaultyOrigin.run { origin in
            try await origin.serve(.transportStream)
            let isFull = Mutex(false)
            let full = Disk<DownloadError> { operation, path in
                isFull.withLock { isFull in
                    if operation == .remove { isFull = false }
                    if operation == .write, path.contains("00004.ts") { isFull = true }
                    return isFull && operation == .write ? ENOSPC : nil
                }
            }
            var downloading = try Downloading()
            downloading.options.parallel = 1
            #expect(try await downloading.run(origin.request(), disk: full).state == .paused)
            let kept = String(decoding: try downloading.bytes("task", "task.json"), as: UTF8.self)
            #expect(kept.contains("\"state\" : \"paused\"") && kept.contains("Disk full"))
            #expect(try await downloading.run(origin.request()).state == .completed)
            #expect(try await downloading.playing("task").isEmpty)
        }
    }

    @Test(
        "A disk that is full when the task is complete leaves it paused, with what it has",
        arguments: [DownloadFormat.folder, .ts])
    func fullAtEnd(format: DownloadFormat) async throws {
        try await FaultyOrigin.run(serving: .transportStream) { origin in
            let downloading = try Downloading()
            let (index, file) = (downloading.path("task", "index.m3u8"), downloading.path("task", "task.ts"))
            let full = Disk<DownloadError> { operation, path in
                guard operation == .write, path.hasSuffix("/.task.json.part") else { return nil }
                let list = try? String(contentsOfFile: index, encoding: .utf8)
                let isPacked = list == nil && FileManager.default.fileExists(atPath: file)
                let isClosed = list?.contains("#EXT-X-PLAYLIST-TYPE:VOD") ?? false
                return (format == .folder ? isClosed : isPacked) ? ENOSPC : nil
            }
            var request = origin.request()
            request.format = format
            let paused = try await downloading.run(request, disk: full)
            #expect(paused.state == .paused && paused.error?.title == "Disk full")
            #expect(paused.finished == nil)
            let files = try downloading.files("task").keys.filter { !$0.hasPrefix(".") }
            if format == .ts { #expect(files == ["task.ts"]) }
            let task = try await downloading.run(request)
            #expect(task.state == .completed, "\(task.error?.detail ?? "")")
            for path in origin.segments() { #expect(origin.requests(for: path).count == 1) }
        }
    }

    @Test("What is fetched in front of a range stays in front of it, also where packing fails")
    func inFront() async throws {
        try await FaultyOrigin.run(serving: .transportStream) { origin in
            let downloading = try Downloading()
            var request = origin.request()
            request.format = .ts
            request.range = TimeRange("3-5")
            #expect(try await downloading.run(request, disk: .withoutPacking).state == .paused)
            request.range = nil
            #expect(try await downloading.run(request, disk: .withoutPacking).state == .paused)
            let count = origin.log.count
            #expect(try await downloading.run(request).state == .completed)
            #expect(origin.log.count == count)
            let whole = origin.segments().flatMap { origin.bytes($0) ?? [] }
            #expect(try downloading.bytes("task", "task.ts") == whole)
        }
    }

    @Test("Without a connection a task waits for the network, and goes on when it is there")
    func network() async throws {
        let port = try await Self.freePort()
        let reports = Reports()
        let downloading = try Downloading()
        let request = Self.request(port)
        let running = Task { try await downloading.run(request) { reports.take($0) } }
        try await eventually("waiting") { reports.states.last == .waitingForNetwork }
        try await FaultyOrigin.run(port: port, serving: .transportStream) { _ in
            let task = try await running.value
            #expect(task.state == .completed, "\(task.error?.detail ?? "")")
        }
        let states: [TaskState] = [
            .queued, .preparing, .waitingForNetwork, .preparing, .downloading, .completed,
        ]
        #expect(reports.states == states)
    }

    /// A port on which nothing listens.
    private static func freePort() async throws -> UInt16 {
        var port: UInt16 = 0
        try await FaultyOrigin.run { origin in port = origin.port }
        return port
    }

    private static func request(_ port: UInt16) -> DownloadRequest {
        var request = DownloadRequest(url: "http://127.0.0.1:\(port)/vod/index.m3u8")
        request.id = "task"
        return request
    }

    @Test("Without a connection for longer than is allowed, a task fails and says so")
    func noNetwork() async throws {
        var downloading = try Downloading()
        downloading.options.networkTimeout = .milliseconds(200)
        let task = try await downloading.run(Self.request(try await Self.freePort()))
        #expect(task.state == .failed && task.error?.title == "No network")
    }

    @Test("A body that does not end fails the task, whatever it was asked for", arguments: [0, 1, 2])
    func endless(what: Int) async throws {
        try await FaultyOrigin.run { origin in
            try await origin.serve(.encrypted)
            let path = ["/vod/index.m3u8", "/vod/secret.key", origin.segments()[1]][what]
            origin.fail(path, Array(repeating: .endless, count: 20))
            let downloading = try Downloading()
            let task = try await downloading.run(origin.request())
            #expect(task.state == .failed)
            #expect(task.error?.detail.isEmpty == false)
            #expect(try downloading.files("task")["v0/00002.ts"] == nil)
        }
    }

    @Test("A segment that is always cut, by a source without ranges, fails the task after eight tries")
    func alwaysCut() async throws {
        try await FaultyOrigin.run { origin in
            try await origin.serve(.transportStream)
            let path = origin.segments()[1]
            origin.lengthen(path, byPackets: 5000)
            origin.fail(path, Array(repeating: .cut(after: 70_000), count: 3 * Limits.attempts))
            let downloading = try Downloading()
            #expect(try await downloading.run(origin.request()).state == .failed)
            #expect(origin.requests(for: path).count == Limits.attempts)
        }
    }

    @Test("A segment that fails its task leaves no beginning with which nothing goes on")
    func noBeginning() async throws {
        try await FaultyOrigin.run { origin in
            try await origin.serve(.transportStream)
            let path = origin.segments()[1]
            origin.lengthen(path, byPackets: 5000)
            origin.fail(path, Array(repeating: .garbled(after: 600_000), count: Limits.attempts))
            let downloading = try Downloading()
            #expect(try await downloading.run(origin.request()).state == .failed)
            #expect(origin.requests(for: path).count == Limits.attempts)
            let files = try downloading.files("task").keys
            #expect(!files.contains { $0.contains("00002.ts") }, "\(files)")
            #expect(try await downloading.run(origin.request()).state == .completed)
            #expect(try downloading.bytes("task", "v0/00002.ts") == origin.bytes(path))
        }
    }

    @Test("A web page is neither a playlist nor media")
    func page() async throws {
        try await FaultyOrigin.run { origin in
            origin.serve("/vod/page", "<html><body>Hello</body></html>")
            let task = try await Downloading().run(origin.request("/vod/page"))
            #expect(task.state == .failed)
            #expect(task.error?.detail.contains("HTML") ?? false)
        }
    }
}
