import Concurrency
import Foundation
import HLS
import HTTPClient
import HTTPSupport
import Synchronization
import TestSupport
import Testing

@testable import Downloader

@Suite("Plain media files", .timeLimit(.minutes(30)))
struct MediaFileTests {
    private static let movie = SampleMovie.bytes(count: 300_000)

    /// What a task ends with that is asked for a file.
    private func run(
        _ origin: FaultyOrigin, _ name: String, _ downloading: Downloading
    ) async throws -> DownloadTask {
        let task = try await downloading.run(origin.request("/\(name)"))
        let files = try downloading.files("task").keys.filter { !$0.hasPrefix(".") }
        #expect(Set(files) == (task.state == .completed ? [name] : []), "\(files)")
        return task
    }

    @Test("A file that is longer than any playlist may be is taken, and counted without being taken")
    func long() async throws {
        try await FaultyOrigin.run { origin in
            let movie = SampleMovie.bytes(count: ReadingLimits.standard.byteCount + 1)
            origin.serve("/film.mp4", movie)
            let client = try HTTPClient.open(ClientConfiguration(logger: silentLogger))
            let preview = await Result { () async throws(DownloadError) in
                try await DownloadService.preview(
                    origin.request("/film.mp4"), DownloadOptions(), client: client, clock: Downloading.hasty)
            }
            await client.close()
            #expect(try preview.get().file == "film.mp4")
            let downloading = try Downloading()
            let task = try await run(origin, "film.mp4", downloading)
            #expect(task.state == .completed, "\(task.error?.detail ?? "")")
            let isWhole = try downloading.bytes("task", "film.mp4") == movie
            #expect(isWhole)
        }
    }

    @Test(
        "A file that is cut, with a length that fits, never becomes complete",
        arguments: [(20, "moov"), (60, "mdat"), (299_999, "mdat")])
    func cut(count: Int, box: String) async throws {
        try await FaultyOrigin.run { origin in
            origin.serve("/film.mp4", Array(Self.movie.prefix(count)))
            let task = try await run(origin, "film.mp4", try Downloading())
            #expect(task.state == .failed)
            let detail = task.error?.detail ?? ""
            #expect(detail.hasPrefix("film.mp4: ") && detail.contains(box), "\(detail)")
            // One request is for the kind of file.
            #expect(origin.requests(for: "/film.mp4").count == 1 + Limits.attempts)
        }
    }

    @Test("A damaged file does not come for ever from a server that cuts transfers")
    func cutAndDamaged() async throws {
        try await FaultyOrigin.run { origin in
            origin.serve("/film.mp4", Array(Self.movie.prefix(299_999)))
            let faults: [FaultyOrigin.Fault] = [.cut(after: 150_000), .cut(after: 299_999)]
            origin.fail("/film.mp4", [.cut(after: 5_000)] + Array(repeating: faults, count: 20).joined())
            let task = try await run(origin, "film.mp4", try Downloading())
            #expect(task.state == .failed)
            // One request is for the kind of file, and one attempt brings more than the one before.
            #expect(origin.requests(for: "/film.mp4").count <= 1 + Limits.attempts + 1)
        }
    }

    @Test(
        "Zeros of the right length are not media, whatever their name is",
        arguments: [
            "film.mp4", "film.ts", "film.mp3", "film.aac", "film.webm", "film.mkv", "film.mov", "film",
        ])
    func zeros(name: String) async throws {
        try await FaultyOrigin.run { origin in
            origin.serve("/\(name)", [UInt8](repeating: 0, count: 50_000))
            origin.add(["Content-Type": "video/mp4"], to: "/\(name)")
            let task = try await run(origin, name, try Downloading())
            #expect(task.state == .failed)
            #expect(task.error?.detail.contains("neither to a playlist nor to media") ?? false)
            #expect(origin.requests(for: "/\(name)").count == Limits.attempts)
        }
    }

    @Test(
        "A file that is damaged once is fetched again",
        arguments: [[.garbled(after: 0)], [.cut(after: 8), .garbled(after: 0)], [.webPage]]
            as [[FaultyOrigin.Fault]])
    func again(faults: [FaultyOrigin.Fault]) async throws {
        try await FaultyOrigin.run { origin in
            origin.serve("/film.mp4", Self.movie)
            origin.fail("/film.mp4", [.cut(after: 5_000)] + faults)
            let downloading = try Downloading()
            #expect(try await run(origin, "film.mp4", downloading).state == .completed)
            #expect(try downloading.bytes("task", "film.mp4") == Self.movie)
        }
    }

    /// A version of the movie: with a tag of its own or that of the first, and of its length or another.
    struct Version: Sendable {
        var tag: String
        var byteCount: Int

        var bytes: [UInt8] {
            var bytes = SampleMovie.bytes(count: byteCount)
            bytes[1000] ^= 0xFF
            return bytes
        }
    }

    @Test(
        "A file that has changed is downloaded again from the start, even if the source sends only the rest",
        arguments: [
            Version(tag: "two", byteCount: 300_000), Version(tag: "two", byteCount: 400_000),
            Version(tag: "two", byteCount: 200_000), Version(tag: "two", byteCount: 100_000),
            Version(tag: "one", byteCount: 400_000), Version(tag: "one", byteCount: 200_000),
        ])
    func otherVersion(version: Version) async throws {
        try await FaultyOrigin.run { origin in
            let path = "/film.mp4"
            origin.serve(path, Self.movie)
            // The first request is for the kind of file.
            let errors = Array(repeating: FaultyOrigin.Fault.status(500), count: Limits.attempts - 1)
            origin.fail(path, [.cut(after: 5_000), .cut(after: 150_000)] + errors)
            let downloading = try Downloading()
            #expect(try await run(origin, "film.mp4", downloading).state == .failed)
            let asked = origin.requests(for: path).count
            origin.serve(path, version.bytes, tag: version.tag)
            origin.ignoreIfRange(of: path)
            #expect(try await run(origin, "film.mp4", downloading).state == .completed)
            let isNew = try downloading.bytes("task", "film.mp4") == version.bytes
            #expect(isNew)
            let again = origin.requests(for: path).dropFirst(asked).map { $0.range != nil }
            #expect(again == [false, true, false])
        }
    }

    @Test(
        "Another version of a file comes whole from a server that cuts transfers, however much there was of it"
    )
    func otherVersionInPieces() async throws {
        try await FaultyOrigin.run { origin in
            let path = "/film.mp4"
            origin.serve(path, SampleMovie.bytes(count: 1_000_000))
            let errors = Array(repeating: FaultyOrigin.Fault.status(500), count: Limits.attempts - 1)
            origin.fail(path, [.cut(after: 5_000), .cut(after: 900_000)] + errors)
            let downloading = try Downloading()
            #expect(try await run(origin, "film.mp4", downloading).state == .failed)
            let version = Version(tag: "two", byteCount: 1_000_000)
            origin.serve(path, version.bytes, tag: version.tag)
            let cuts = (1...13).map { FaultyOrigin.Fault.cut(after: 70_000 * $0) }
            origin.fail(path, [.cut(after: 5_000)] + cuts, tag: version.tag)
            let task = try await run(origin, "film.mp4", downloading)
            #expect(task.state == .completed, "\(task.error?.detail ?? "")")
            let isNew = try downloading.bytes("task", "film.mp4") == version.bytes
            #expect(isNew)
        }
    }

    /// The states of a task in their order.
    private final class States: Sendable {
        private let states = Mutex<[TaskState]>([])

        var all: [TaskState] { states.withLock { $0 } }

        func take(_ task: DownloadTask) {
            states.withLock { if $0.last != task.state { $0.append(task.state) } }
        }
    }

    @Test("A file whose connection was lost is completed when the network is there again")
    func network() async throws {
        let downloading = try Downloading()
        let states = States()
        var (port, running) = (UInt16(0), Task<DownloadTask, any Error>?.none)
        try await FaultyOrigin.run { origin in
            port = origin.port
            origin.serve("/film.mp4", Self.movie)
            // The first request is for the kind of file.
            origin.fail("/film.mp4", [.held(after: 5_000), .held(after: 150_000)])
            let request = origin.request("/film.mp4")
            running = Task { try await downloading.run(request) { states.take($0) } }
            try await downloading.reached([".film.mp4.part"])
        }
        try await eventually("waiting") { states.all.last == .waitingForNetwork }
        let begun = try #require(running)
        try await FaultyOrigin.run(port: port) { origin in
            origin.serve("/film.mp4", Self.movie)
            let task = try await begun.value
            #expect(task.state == .completed, "\(task.error?.detail ?? "")")
        }
        #expect(try downloading.bytes("task", "film.mp4") == Self.movie)
        let last: [TaskState] = [.downloading, .waitingForNetwork, .downloading, .completed]
        #expect(states.all.suffix(4) == last[...])
    }

    @Test("A file whose rest is of another kind is fetched again from its beginning")
    func damagedRest() async throws {
        try await FaultyOrigin.run { origin in
            let bytes = try #require(try await SampleStreams.files(.byteRanges)["index.ts"])
            origin.serve("/film.ts", bytes)
            origin.fail("/film.ts", [.cut(after: bytes.count), .garbled(after: bytes.count / 2)])
            let downloading = try Downloading()
            #expect(try await run(origin, "film.ts", downloading).state == .completed)
            #expect(try downloading.bytes("task", "film.ts") == bytes)
            #expect(origin.requests(for: "/film.ts").map(\.range) == [nil, nil, nil])
        }
    }

    @Test(
        "Files of every usual kind are taken",
        arguments: ["mp4", "mov", "ts", "mp3", "aac", "mkv", "webm", "ogg"])
    func kinds(ending: String) async throws {
        let folder = try TemporaryFolder("kinds")
        let isSound = ["mp3", "aac", "ogg"].contains(ending)
        let input = isSound ? "sine=duration=1" : "testsrc2=size=96x64:rate=10:duration=1"
        let codec = ["mp3": "libmp3lame", "aac": "aac", "ogg": "libvorbis", "webm": "libvpx"][ending]
        try await Command.run(
            "/usr/bin/env",
            [
                "ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i", input, isSound ? "-c:a" : "-c:v",
                codec ?? "libx264", "film.\(ending)",
            ], in: folder.path)
        let bytes = Array(try Data(contentsOf: folder.url.appending(path: "film.\(ending)")))
        try await FaultyOrigin.run { origin in
            origin.serve("/film.\(ending)", bytes)
            let downloading = try Downloading()
            let task = try await run(origin, "film.\(ending)", downloading)
            #expect(task.state == .completed, "\(task.error?.detail ?? "")")
        }
    }
}
