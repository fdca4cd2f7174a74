import Foundation
import HTTPSupport
import TestSupport
import Testing

@testable import Backcast

@Suite("Transfers of downloads", .timeLimit(.minutes(30)))
struct DownloadTransferTests {
    private typealias Run = DownloadCommandTests.Run

    @Test("--rate bounds all transfers together")
    func rate() async throws {
        try await FaultyOrigin.run { origin in
            try await origin.serve(.transportStream)
            let folder = try TemporaryFolder("rate")
            let count = origin.segments().reduce(0) { $0 + (origin.bytes($1)?.count ?? 0) }
            let begun = ContinuousClock.now
            let (status, _) = try await Run.run([
                "download", origin.url("/vod/index.m3u8"), "--quiet", "--rate", String(count / 2), "--to",
                folder.path,
            ])
            #expect(status == 0)
            // Two seconds, but for the last pieces, after which nothing has to wait.
            #expect(ContinuousClock.now - begun > .seconds(1.4))
        }
    }

    @Test("--proxy is asked for everything, also for names that only it knows")
    func proxy() async throws {
        try await FaultyOrigin.run { origin in
            try await origin.serve(.transportStream)
            let folder = try TemporaryFolder("proxy")
            let (status, program) = try await Run.run([
                "download", "http://origin.example/vod/index.m3u8", "--id", "a", "--quiet", "--to",
                folder.path,
                "--proxy", origin.url(""),
            ])
            let errors = try program.errors
            #expect(status == 0, "\(errors)")
            for (index, path) in origin.segments().enumerated() {
                #expect(
                    try DownloadCommandTests.files(folder.path)["a/v0/0000\(index + 1).ts"]
                        == origin.bytes(path))
            }
        }
    }

    @Test("A self-signed certificate is accepted only with --insecure")
    func insecure() async throws {
        let folder = try TemporaryFolder("tls")
        try await FaultyOrigin.run { origin in
            try await origin.serve(.transportStream)
            let files = folder.path(of: "vod")
            try FileManager.default.createDirectory(atPath: files, withIntermediateDirectories: true)
            for path in origin.segments() + ["/vod/index.m3u8"] {
                try Data(origin.bytes(path) ?? []).write(to: URL(filePath: folder.path + path))
            }
        }
        try await Command.run(
            "/usr/bin/env",
            [
                "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj",
                "/CN=localhost",
                "-addext", "subjectAltName=DNS:localhost", "-keyout", "key.pem", "-out", "all.pem",
            ], in: folder.path)
        let server = """
            import http.server, ssl
            handler = http.server.SimpleHTTPRequestHandler
            handler.log_message = lambda *words: None
            server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain("all.pem", "key.pem")
            server.socket = context.wrap_socket(server.socket, server_side=True)
            print(server.server_port, flush=True)
            server.serve_forever()
            """
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/setpriv")
        process.arguments = ["--pdeathsig", "KILL", "python3", "-c", server]
        process.currentDirectoryURL = folder.url
        process.standardOutput = try FileHandle(forWritingTo: URL(filePath: folder.write("", to: "port")))
        try process.run()
        defer { process.terminate() }
        let port = try await waitFor("a port") {
            let text = try String(contentsOfFile: folder.path(of: "port"), encoding: .utf8)
            return text.hasSuffix("\n") ? Int(text.dropLast()) : nil
        }
        let arguments = [
            "download", "https://localhost:\(port)/vod/index.m3u8", "--id", "a", "--quiet", "--to",
            folder.path(of: "downloads"),
        ]
        let refused = try await Run.run(arguments)
        #expect(refused.status == 1)
        #expect(try refused.1.errors.contains("certificate"))
        let taken = try await Run.run(arguments + ["--insecure"])
        let errors = try taken.1.errors
        #expect(taken.status == 0, "\(errors)")
    }

    @Test("Without ffmpeg --format mp4 fails before anything is fetched; the other forms need none")
    func withoutPacker() async throws {
        try await FaultyOrigin.run(serving: .transportStream) { origin in
            let folder = try TemporaryFolder("packer")
            for name in ["setpriv", "prlimit"] {
                try FileManager.default.createSymbolicLink(
                    atPath: folder.path(of: name), withDestinationPath: "/usr/bin/\(name)")
            }
            for (format, status) in [("mp4", 1), ("ts", 0)] {
                let program = try Run(
                    [
                        "download", origin.url("/vod/index.m3u8"), "--format", format, "--id", format,
                        "--to", folder.path(of: "downloads"),
                    ], environment: ["PATH": folder.path])
                try program.start()
                #expect(try await program.status() == status)
                let errors = try program.errors
                #expect(errors.contains("the program ffmpeg is not there") == (format == "mp4"), "\(errors)")
                #expect(origin.requests(for: origin.segments()[0]).isEmpty == (format == "mp4"))
            }
        }
    }

    /// Writes a program `ffmpeg` that takes a while longer to pack.
    private func writePacker(in folder: TemporaryFolder, seconds: Int) async throws {
        let packer = """
            #!/bin/sh
            case "$*" in *movflags*) sleep \(seconds);; esac
            exec /usr/bin/ffmpeg "$@"
            """
        _ = try await folder.writeProgram(packer, to: "ffmpeg")
    }

    @Test("A stopped live recording is packed also where that takes longer than other stops may")
    func longPacking() async throws {
        try await FaultyOrigin.run(serving: .transportStream) { origin in
            origin.reopen("/vod/index.m3u8")
            let folder = try TemporaryFolder("long")
            try await writePacker(in: folder, seconds: Limits.stoppingSeconds + 2)
            let run = try Run(
                [
                    "download", origin.url("/vod/index.m3u8"), "--format", "mp4", "--id", "a", "--json",
                    "--to", folder.path(of: "downloads"),
                ], environment: ["PATH": "\(folder.path):/usr/bin:/bin"])
            try run.start()
            try await eventually("the last segment") {
                FileManager.default.fileExists(atPath: folder.path(of: "downloads/a/v0/00006.ts"))
            }
            run.send(SIGINT)
            let status = try await run.status()
            let errors = try run.errors
            #expect(status == 0, "\(errors)")
            #expect(try run.lines.last?.contains(#""state":"completed""#) ?? false)
            #expect(FileManager.default.fileExists(atPath: folder.path(of: "downloads/a/a.mp4")))
        }
    }

    @Test("A disk that is full while ffmpeg packs pauses the task, and gets its space back")
    func fullForPacker() async throws {
        try await FaultyOrigin.run(serving: .separateAudio) { origin in
            let folder = try TemporaryFolder("full")
            // As ffmpeg does: it writes to the last argument until there is no space.
            let packer = """
                #!/bin/sh
                for file; do :; done
                echo half > "$file"
                echo "[out#0/mp4 @ 0x1] Error writing trailer: No space left on device" >&2
                exit 228
                """
            _ = try await folder.writeProgram(packer, to: "ffmpeg")
            let place = ["--id", "a", "--to", folder.path(of: "downloads")]
            let run = try Run(
                [
                    "download", origin.url("/vod/index.m3u8"), "--format", "mp4", "--subtitles", "all",
                    "--json",
                ] + place, environment: ["PATH": "\(folder.path):/usr/bin:/bin"])
            try run.start()
            #expect(try await run.status() == 1)
            let errors = try run.errors
            #expect(errors.contains("Disk full"), "\(errors)")
            #expect(try run.lines.last?.contains(#""state":"paused""#) ?? false)
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path(of: "downloads/a"))
            #expect(!names.contains { $0.hasSuffix(".part") }, "\(names)")
            #expect(names.contains("v0") && names.contains("index.m3u8"))
            let again = try Run(
                ["downloads", "resume", "a", "--to", folder.path(of: "downloads")],
                environment: ["PATH": "/usr/bin:/bin"])
            try again.start()
            #expect(try await again.status() == 0)
            let media = origin.log.map(\.path).filter { !$0.hasSuffix(".m3u8") }
            #expect(Set(media).count == media.count)
        }
    }

    /// The tasks of the requests for segments, by the last letter of their folders, in their order.
    private func segmentTasks(_ origin: FaultyOrigin) -> [Character] {
        origin.log.filter { $0.path.hasSuffix(".ts") }.compactMap { $0.path.split(separator: "/")[0].last }
    }

    @Test("--tasks bounds the tasks that run at once, and those that run have the transfers in turn")
    func turns() async throws {
        try await FaultyOrigin.run { origin in
            try await origin.serve(.transportStream)
            for path in origin.segments() + ["/vod/index.m3u8"] {
                let bytes = try #require(origin.bytes(path))
                for name in ["a", "b"] {
                    origin.serve(path.replacing("/vod/", with: "/task-\(name)/"), bytes)
                    // Both are there before the first has all of its segments.
                    if path.hasSuffix("index0.ts") {
                        origin.fail("/task-\(name)/index0.ts", [.held(after: 1000)])
                    }
                }
            }
            let urls = ["a", "b"].map { origin.url("/task-\($0)/index.m3u8") }
            let count = origin.segments().count
            let folder = try TemporaryFolder("turns")
            let together = try Run(
                ["download"] + urls + ["--tasks", "2", "--parallel", "1", "--to", folder.path(of: "two")])
            try together.start()
            try await eventually("both tasks") {
                ["a", "b"].allSatisfy { name in origin.log.contains { $0.path == "/task-\(name)/index.m3u8" }
                }
            }
            origin.release()
            #expect(try await together.status() == 0)
            let order = segmentTasks(origin)
            let half = order.prefix(count)
            #expect(Set(half) == ["a", "b"], "\(order)")

            let before = origin.log.count
            let alone = try await Run.run(
                ["download"] + urls + ["--tasks", "1", "--parallel", "4", "--to", folder.path(of: "one")])
            #expect(alone.status == 0)
            let tasks = origin.log.dropFirst(before).compactMap { $0.path.split(separator: "/")[0].last }
            #expect(tasks == tasks.sorted() || tasks == tasks.sorted(by: >), "\(tasks)")
        }
    }

    @Test("A second signal ends the program at once, also while it packs what it has recorded")
    func secondSignal() async throws {
        try await FaultyOrigin.run { origin in
            try await origin.serve(.transportStream)
            origin.reopen("/vod/index.m3u8")
            let folder = try TemporaryFolder("signals")
            let begun = folder.path(of: "begun")
            let slow = "#!/bin/sh\necho >> \(begun)\nexec /bin/sleep 20\n"
            _ = try await folder.writeProgram(slow, to: "ffmpeg")
            let program = try Run(
                [
                    "download", origin.url("/vod/index.m3u8"), "--id", "a", "--format", "mp4", "--to",
                    folder.path(of: "downloads"),
                ], environment: ["PATH": folder.path + ":/usr/bin:/bin"])
            try program.start()
            let last = try #require(origin.segments().last)
            try await eventually("the last segment") { !origin.requests(for: last).isEmpty }
            try await Task.sleep(for: .seconds(1))
            program.send(SIGINT)
            try await eventually("packing") {
                try program.errors.contains("packing") && FileManager.default.fileExists(atPath: begun)
            }
            let begin = ContinuousClock.now
            program.send(SIGINT)
            #expect(try await program.status() == 1)
            #expect(ContinuousClock.now - begin < .seconds(15))
        }
    }

    @Test("A download hands its URLs to the one that holds the folder, and other commands act through it")
    func handedOver() async throws {
        try await FaultyOrigin.run { origin in
            try await origin.serve(.transportStream)
            let held = origin.segments()[2]
            origin.fail(held, [.held(after: 1000)])
            let folder = try TemporaryFolder("held")
            let place = ["--to", folder.path, "--json"]
            let first = try Run(["download", origin.url("/vod/index.m3u8?a"), "--id", "a"] + place)
            try first.start()
            try await eventually("the held segment") { !origin.requests(for: held).isEmpty }

            let second = try await Run.run(
                ["download", origin.url("/vod/index.m3u8?b"), "--id", "b"] + place)
            let errors = try second.1.errors
            #expect(second.status == 0, "\(errors)")
            #expect(try second.1.lines.last?.contains(#""state":"completed""#) == true)
            #expect(try second.1.lines.allSatisfy { $0.contains(#""id":"b""#) })

            // The process that downloads knows more than it has written.
            try await eventually("progress in the list") {
                let listed = try await Run.run(["downloads", "list", "a"] + place)
                return try listed.1.lines.count == 1 && !listed.1.lines[0].contains(#""done":0,"#)
            }
            let removed = try await Run.run(["downloads", "remove", "b"] + place)
            #expect(removed.status == 0)
            let playing = try await Run.run(["play", folder.path])
            #expect(playing.status == 1)
            let paused = try await Run.run(["downloads", "pause", "a"] + place)
            #expect(paused.status == 0)
            #expect(try paused.1.lines.map { $0.contains(#""state":"paused""#) } == [true])
            // Nothing is left to do: a pause of its task ends a command as a signal does.
            #expect(try await first.status() == 130)
            #expect(!FileManager.default.fileExists(atPath: folder.path(of: ".backcast.sock")))

            origin.release()
            let again = try await Run.run(
                ["download", origin.url("/vod/index.m3u8?new"), "--id", "a"] + place)
            #expect(again.status == 0)
            #expect(origin.log.last?.query == nil || origin.log.contains { $0.query == "new" })
        }
    }

    @Test("A download whose task is removed before its turn has come ends, and says so")
    func removed() async throws {
        try await FaultyOrigin.run(serving: .transportStream) { origin in
            let held = origin.segments()[2]
            origin.fail(held, [.held(after: 1000)])
            let folder = try TemporaryFolder("removed")
            let (url, place) = (origin.url("/vod/index.m3u8"), ["--to", folder.path, "--quiet"])
            let first = try Run(["download", url, "--id", "a", "--tasks", "1"] + place)
            try first.start()
            try await eventually("the held segment") { !origin.requests(for: held).isEmpty }
            let second = try Run(["download", url, "--id", "b"] + place)
            try second.start()
            try await eventually("the second task") {
                FileManager.default.fileExists(atPath: folder.path(of: "b/task.json"))
            }
            #expect(try await Run.run(["downloads", "remove", "b", "--to", folder.path]).status == 0)
            #expect(try await second.status() == 1)
            #expect(try second.errors.contains("there is no task b"))
            origin.release()
            #expect(try await first.status() == 0)
        }
    }

    @Test("A pause through the holder waits for a recording that is packed, and pauses the others meanwhile")
    func pausedWhilePacking() async throws {
        try await FaultyOrigin.run(serving: .transportStream) { origin in
            for path in origin.segments() + ["/vod/index.m3u8"] {
                origin.serve(path.replacing("/vod/", with: "/film/"), try #require(origin.bytes(path)))
            }
            let held = origin.segments()[2].replacing("/vod/", with: "/film/")
            origin.fail(held, [.held(after: 1000)])
            origin.reopen("/vod/index.m3u8")
            let folder = try TemporaryFolder("pausing")
            // Longer than the answer to a pause is waited for.
            try await writePacker(in: folder, seconds: Int(Limits.holderStopTimeout.components.seconds) + 2)
            let tasks = folder.path(of: "downloads")
            let first = try Run(
                [
                    "download", origin.url("/vod/index.m3u8"), "--format", "mp4", "--id", "a", "--quiet",
                    "--to",
                    tasks,
                ], environment: ["PATH": "\(folder.path):/usr/bin:/bin"])
            try first.start()
            try await eventually("the last segment") {
                FileManager.default.fileExists(atPath: "\(tasks)/a/v0/00006.ts")
            }
            let second = try Run(
                ["download", origin.url("/film/index.m3u8"), "--id", "b", "--quiet", "--to", tasks])
            try second.start()
            try await eventually("the held segment") { !origin.requests(for: held).isEmpty }
            let (status, paused) = try await Run.run(["downloads", "pause", "--json", "--to", tasks])
            let errors = try paused.errors
            #expect(status == 0 && errors.isEmpty, "\(status) \(errors)")
            let states = try paused.lines.map { line in
                ["completed", "paused"].first { line.contains(#""state":"\#($0)""#) }
            }
            #expect(states == ["completed", "paused"])
            #expect(try await first.status() == 0)
            #expect(try await second.status() == 130)
        }
    }
}
