import Concurrency
import Foundation
import HTTPClient
import JSON
import HTTPSupport
import TestSupport
import Testing

@testable import Downloader

@Suite("The folder of a task", .timeLimit(.minutes(30)))
struct TaskFolderTests {
    @Test("A media file continues where it stopped, and starts over when the source has changed it")
    func mediaFile() async throws {
        try await FaultyOrigin.run { origin in
            let bytes = try #require(try await SampleStreams.files(.byteRanges)["index.ts"])
            origin.serve("/film.ts", bytes)
            origin.fail("/film.ts", [.cut(after: bytes.count / 2), .cut(after: bytes.count / 2)])
            let downloading = try Downloading()
            let task = try await downloading.run(origin.request("/film.ts"))
            #expect(task.state == .completed && task.file == "film.ts")
            #expect(try downloading.bytes("task", "film.ts") == bytes)
            #expect(origin.requests(for: "/film.ts").last?.ifRange == "\"one\"")
        }
    }

    @Test("A folder with files that is no task is refused, and stays as it is")
    func foreign() async throws {
        try await FaultyOrigin.run { origin in
            origin.serve("/film.ts", try #require(try await SampleStreams.files(.byteRanges)["index.ts"]))
            let downloading = try Downloading()
            try FileManager.default.createDirectory(
                atPath: downloading.path("task"), withIntermediateDirectories: true)
            _ = try downloading.folder.write("mine", to: "task/film.ts")
            let refusal = await #expect(throws: DownloadError.self) {
                try await downloading.run(origin.request("/film.ts"))
            }
            #expect(refusal?.isRefusal ?? false)
            #expect(refusal?.description.contains("--id") ?? false)
            #expect(try downloading.files("task") == ["film.ts": Array("mine".utf8)])
            #expect(!FileManager.default.fileExists(atPath: downloading.path("task", "task.json")))
            #expect(origin.log.isEmpty)
        }
    }

    @Test("A folder of a task that was killed as it was made is that of the task")
    func begun() async throws {
        try await FaultyOrigin.run { origin in
            origin.serve("/film.ts", try #require(try await SampleStreams.files(.byteRanges)["index.ts"]))
            let downloading = try Downloading()
            try FileManager.default.createDirectory(
                atPath: downloading.path("task"), withIntermediateDirectories: true)
            _ = try downloading.folder.write("{", to: "task/.task.json.part")
            #expect(try await downloading.run(origin.request("/film.ts")).state == .completed)
        }
    }

    @Test(
        "A media file begins again where the source gives no rest, and a web page is not its bytes",
        arguments: [[.cut(after: 100_000), .status(416)], [.webPage]]
            as [[FaultyOrigin.Fault]])
    func wrongBody(faults: [FaultyOrigin.Fault]) async throws {
        try await FaultyOrigin.run { origin in
            let bytes = try #require(try await SampleStreams.files(.byteRanges)["index.ts"])
            origin.serve("/film.ts", bytes)
            // The first request is for the kind of file.
            origin.fail("/film.ts", [.cut(after: bytes.count)] + faults)
            let downloading = try Downloading()
            let task = try await downloading.run(origin.request("/film.ts"))
            #expect(task.state == .completed)
            #expect(try downloading.bytes("task", "film.ts") == bytes)
            #expect(origin.requests(for: "/film.ts").last?.range == nil)
        }
    }

    @Test(
        "The pieces of a media file that a killed process has left are used, also those that it was joining",
        arguments: [
            (100_000, ["bytes=100000-2499999", "bytes=2800000-2999999"]),
            (2_500_000, ["bytes=2800000-2999999"]),
            (2_600_000, ["bytes=2800000-2999999"]), (2_800_000, ["bytes=2800000-2999999"]),
        ])
    func pieces(beginning: Int, asked: [String]) async throws {
        try await FaultyOrigin.run { origin in
            let bytes = SampleMovie.bytes(count: 3_000_000)
            origin.serve("/film.ts", bytes)
            origin.fail(
                "/film.ts",
                [.cut(after: 100_000), .cut(after: 100_000)] + Array(repeating: .status(404), count: 6))
            let downloading = try Downloading()
            #expect(try await downloading.run(origin.request("/film.ts")).state == .failed)
            let before = origin.log.count
            try Data(bytes[..<beginning]).write(to: URL(filePath: downloading.path("task", ".film.ts.part")))
            try Data(bytes[2_500_000..<2_800_000]).write(
                to: URL(filePath: downloading.path("task", ".film.ts.at-2500000.part")))
            let task = try await downloading.run(origin.request("/film.ts"))
            #expect(task.state == .completed && task.bytes == 3_000_000)
            // After the request for the kind of file.
            #expect(origin.log.dropFirst(before + 1).map(\.range) == asked)
            let isSame = try downloading.files("task") == ["film.ts": bytes]
            #expect(isSame)
        }
    }

    @Test("No name of a source leads out of the folder")
    func outside() async throws {
        try await FaultyOrigin.run { origin in
            try await origin.serve(.transportStream)
            let bytes = try #require(origin.bytes(origin.segments()[0]))
            let names = ["/a/..%2f..%2fetc%2fpasswd", "/a/task.json", "/a/.hidden.ts"]
            for name in names { origin.serve(name, bytes) }
            let lines = names.map { "#EXTINF:1,\n\($0)\n" }.joined()
            origin.serve("/vod/index.m3u8", "#EXTM3U\n#EXT-X-TARGETDURATION:1\n\(lines)#EXT-X-ENDLIST\n")
            let downloading = try Downloading()
            #expect(try await downloading.run(origin.request()).state == .completed)
            let files = Set(try downloading.files("task").keys)
            #expect(files == ["index.m3u8", "v0/.parts", "v0/00001.ts", "v0/00002.ts", "v0/00003.ts"])
            let entries = try FileManager.default.contentsOfDirectory(atPath: downloading.folder.path)
            #expect(Set(entries) == [".lock", "task"])
        }
    }

    @Test("A link in place of a folder of the task is refused")
    func links() async throws {
        try await FaultyOrigin.run { origin in
            try await origin.serve(.transportStream)
            let (downloading, elsewhere) = (try Downloading(), try TemporaryFolder("elsewhere"))
            origin.fail("/vod/index.m3u8", Array(repeating: .status(404), count: 6))
            #expect(try await downloading.run(origin.request()).state == .failed)
            try FileManager.default.createSymbolicLink(
                atPath: downloading.path("task", "v0"), withDestinationPath: elsewhere.path)
            let task = try await downloading.run(origin.request())
            #expect(task.state == .failed && task.error?.detail.contains("not a folder of its own") ?? false)
            #expect(try FileManager.default.contentsOfDirectory(atPath: elsewhere.path).isEmpty)
        }
    }

    @Test("Header values and tokens are kept for the owner alone, and are in no other file")
    func secrets() async throws {
        try await FaultyOrigin.run { origin in
            try await origin.serve(.transportStream)
            let downloading = try Downloading()
            var request = origin.request("/vod/index.m3u8?token=secret")
            request.headers = [DownloadRequest.Field(name: "Authorization", value: "Bearer secret")]
            let task = try await downloading.run(request)
            #expect(task.state == .completed)
            #expect(!String(decoding: task.json.bytes, as: UTF8.self).contains("secret"))
            for (name, bytes) in try downloading.files("task") {
                #expect(!String(decoding: bytes, as: UTF8.self).contains("secret"), "\(name)")
            }
            let path = downloading.path("task", "task.json")
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
        }
    }

    @Test("A task whose state cannot be read has failed, keeps no other from its work, and can be removed")
    func unreadable() async throws {
        try await FaultyOrigin.run(serving: .transportStream) { origin in
            let downloading = try Downloading()
            _ = try downloading.folder.write("{", to: "broken/task.json")
            #expect(try await downloading.run(origin.request()).state == .completed)
            let path = downloading.folder.path
            let tasks = try await DownloadService.tasks(in: path, clock: .system)
            #expect(
                Dictionary(uniqueKeysWithValues: tasks.map { ($0.id, $0.state) }) == [
                    "task": .completed, "broken": .failed,
                ])
            #expect(tasks.contains { $0.error?.detail.contains("broken/task.json cannot be read") ?? false })
            let client = try HTTPClient.open(ClientConfiguration(logger: silentLogger))
            let service = try await DownloadService.open(
                path, DownloadOptions(), client: client, clock: .system)
            try await service.remove(["broken"])
            await client.close()
            #expect(!FileManager.default.fileExists(atPath: downloading.path("broken")))
        }
    }

    @Test("The state that a killed process leaves has its progress")
    func progress() async throws {
        try await FaultyOrigin.run { origin in
            try await origin.serve(.transportStream)
            let last = try #require(origin.segments().last)
            origin.fail(last, [.held(after: 1000)])
            let downloading = try Downloading()
            let running = Task { try await downloading.run(origin.request(), clock: .system) }
            try await eventually("progress on the disk") {
                let data = try? Data(contentsOf: URL(filePath: downloading.path("task", "task.json")))
                let stored = try data.map { try JSONDecoder().decode(StoredTask.self, from: $0) }
                return stored.map { $0.task.segmentsDone > 0 && $0.task.state == .downloading } ?? false
            }
            running.cancel()
            #expect(try await running.value.state == .paused)
        }
    }

    @Test("A folder has one process at a time")
    func holder() async throws {
        let downloading = try Downloading()
        let path = downloading.folder.path
        let client = try HTTPClient.open(ClientConfiguration(logger: silentLogger))
        let held = try await DownloadService.open(path, downloading.options, client: client, clock: .system)
        #expect(try await DownloadService.isInUse(path))
        await #expect(throws: DownloadError.inUse(path: path)) {
            try await DownloadService.open(path, downloading.options, client: client, clock: .system)
        }
        withExtendedLifetime(held) {}
        await client.close()
    }

    @Test("A process that only looks whether a folder is in use keeps no other from it")
    func lookedAt() async throws {
        let downloading = try Downloading()
        let path = downloading.folder.path
        let file = open(downloading.folder.path(of: ".lock"), O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        try #require(file >= 0 && flock(file, LOCK_SH) == 0)
        #expect(try await !DownloadService.isInUse(path))
        // Its lock ends in the first pause.
        let clock = HostClock(
            now: { HostClock.system.now() }, steady: { HostClock.system.steady() },
            sleep: { _ in close(file) })
        let client = try HTTPClient.open(ClientConfiguration(logger: silentLogger))
        let held = try await DownloadService.open(path, downloading.options, client: client, clock: clock)
        withExtendedLifetime(held) {}
        await client.close()
    }
}
