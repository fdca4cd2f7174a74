import Foundation
import HTTPSupport
import TestSupport
import Testing

@testable import Backcast

@Suite("Download", .timeLimit(.minutes(30)))
struct DownloadCommandTests {
    /// The program, downloading into a folder.
    final class Run: Sendable {
        private let output: TemporaryFolder
        private let process: Process

        init(
            _ arguments: [String], environment: [String: String] = [:], output other: FileHandle? = nil,
        ) throws {
            output = try TemporaryFolder("output")
            let bundle = try #require(CommandLine.arguments.first { $0.hasSuffix(".xctest") })
            let beside = URL(filePath: bundle).deletingLastPathComponent()
            let folder = ProcessInfo.processInfo.environment["FAULT_PROGRAMS"].map { URL(filePath: $0) }
            process = Process()
            process.executableURL = (folder ?? beside).appending(path: "backcast")
            process.arguments = arguments
            process.environment = environment
            let file = try FileHandle(forWritingTo: URL(filePath: output.write("", to: "output")))
            process.standardOutput = other ?? file
            process.standardError = try FileHandle(
                forWritingTo: URL(filePath: output.write("", to: "errors")))
        }

        /// Runs the program to its end.
        @discardableResult
        static func run(_ arguments: [String]) async throws -> (status: Int32, Run) {
            let run = try Run(arguments)
            try run.start()
            return (try await run.status(), run)
        }

        func start() throws { try process.run() }

        func send(_ signal: Int32) { kill(process.processIdentifier, signal) }

        var isRunning: Bool { process.isRunning }

        /// Waits for the end; the status, or 128 and the signal that ended the program.
        func status() async throws -> Int32 {
            try await eventually("the end of the program") { !process.isRunning }
            let status = process.terminationStatus
            return process.terminationReason == .uncaughtSignal ? 128 + status : status
        }

        var lines: [String] {
            get throws { try text("output").split(separator: "\n").map(String.init) }
        }

        var errors: String { get throws { try text("errors") } }

        private func text(_ name: String) throws -> String {
            try String(contentsOfFile: output.path(of: name), encoding: .utf8)
        }
    }

    /// Every file below a folder with its bytes, without states, pictures, drafts and locks.
    private func files(_ root: String) throws -> [String: [UInt8]] { try Self.files(root) }

    static func files(_ root: String) throws -> [String: [UInt8]] {
        var files: [String: [UInt8]] = [:]
        for case let name as String in FileManager.default.enumerator(atPath: root) ?? .init() {
            guard !name.hasSuffix(".part"), !name.hasSuffix(".lock"), !name.hasSuffix("task.json"),
                !name.hasSuffix("picture.jpg"), !name.hasSuffix(".sock"),
                let data = FileManager.default.contents(atPath: "\(root)/\(name)")
            else { continue }
            files[name] = Array(data)
        }
        return files
    }

    @Test("A stopped task ends with status 130 and is paused; given again, it is completed")
    func stopped() async throws {
        try await FaultyOrigin.run { origin in
            try await origin.serve(.transportStream)
            origin.fail("/vod/index4.ts", Array(repeating: .status(503), count: 3))
            let folder = try TemporaryFolder("stopped")
            let arguments = [
                "download", origin.url("/vod/index.m3u8"), "--id", "a", "--json", "--to", folder.path,
            ]
            let program = try Run(arguments)
            try program.start()
            try await eventually("the failing request") { !origin.requests(for: "/vod/index4.ts").isEmpty }
            program.send(SIGINT)
            #expect(try await program.status() == 130)
            let lines = try program.lines
            #expect(zip(lines, lines.dropFirst()).allSatisfy { $0 != $1 }, "a line stands twice")
            let last = try #require(lines.last)
            let task = try #require(try JSONSerialization.jsonObject(with: Data(last.utf8)) as? [String: Any])
            #expect(task["state"] as? String == "paused")
            let again = try await Run.run(arguments)
            #expect(again.status == 0)
            #expect(try again.1.lines.last?.contains(#""state":"completed""#) ?? false)
        }
    }

    @Test(
        "Wrong arguments end with status 2 and say what is wrong",
        arguments: [
            (["--format", "avi"], "avi"), (["--quality", "good"], "good"), (["--range", "9"], "9"),
            (["--duration", "0"], "--duration 0"),
            (["--id", "A B"], "A B"), (["--begin", "2026-11-22T10:00:00Z"], "--duration"),
            (["--audio", ""], "--audio ''"), (["--audio", "en,"], "--audio en,"),
            (["--subtitles", ""], "--subtitles ''"), (["--quality", ""], "--quality ''"),
            (["--format", ""], "--format ''"), (["--to", ""], "--to"),
            (["--header", "bad name: x"], "--header"), (["--header", "X-Name: a\u{1}b"], "--header"),
            (["--header", ": x"], "--header"), (["--header", "name"], "--header"),
            (["--label", "x"], "x"), (["--colour"], "--colour"), (["--parallel", "0"], "--parallel"),
        ])
    func wrong(arguments: [String], word: String) async throws {
        let folder = try TemporaryFolder("wrong")
        let (status, program) = try await Run.run(
            ["download", "http://127.0.0.1:1/a.m3u8", "--to", folder.path] + arguments)
        #expect(status == 2)
        #expect(try program.errors.contains(word))
        #expect(try program.lines.isEmpty)
    }

    @Test("A failed task ends with status 1, names its reason, and others are completed")
    func failed() async throws {
        try await FaultyOrigin.run { origin in
            try await origin.serve(.transportStream)
            let folder = try TemporaryFolder("failed")
            let urls = try folder.write(
                "# comment\n\(origin.url("/vod/none.m3u8"))\n\n\(origin.url("/vod/index.m3u8?t=secret"))\n",
                to: "urls")
            let (status, program) = try await Run.run(["download", "--from", urls, "--to", folder.path])
            #expect(status == 1)
            let errors = try program.errors
            #expect(
                errors.contains("404") && errors.contains("completed") && !errors.contains("secret"),
                "\(errors)")
        }
    }

    @Test("Tasks are listed, canceled, retried and removed")
    func tasks() async throws {
        try await FaultyOrigin.run { origin in
            try await origin.serve(.transportStream)
            let folder = try TemporaryFolder("tasks")
            let place = ["--to", folder.path, "--json"]
            origin.fail("/vod/index.m3u8", Array(repeating: .status(404), count: 6))
            let url = origin.url("/vod/index.m3u8")
            #expect(try await Run.run(["download", url, "--id", "a"] + place).status == 1)
            let listed = try await Run.run(["downloads", "list"] + place)
            #expect(listed.status == 0)
            #expect(try listed.1.lines.map { $0.contains(#""state":"failed""#) } == [true])
            #expect(try await Run.run(["downloads", "retry"] + place).status == 0)
            let files = try files(folder.path)
            #expect(files["a/v0/00006.ts"] == origin.bytes("/vod/index5.ts"))

            #expect(try await Run.run(["downloads", "cancel"] + place).status == 2)
            let late = try await Run.run(["downloads", "cancel", "a"] + place)
            #expect(late.status == 1)
            #expect(try late.1.errors.contains("completed"))
            #expect(try await Run.run(["downloads", "remove", "b"] + place).status == 1)
            #expect(try await Run.run(["downloads", "remove", "a"] + place).status == 0)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [".lock"])
            #expect(try await Run.run(["downloads", "list"] + place).1.lines.isEmpty)
        }
    }

    @Test("Words of a server in an error are printed without what controls a terminal")
    func controls() async throws {
        try await FaultyOrigin.run { origin in
            origin.serve("/a.m3u8", "#EXTM3U")
            origin.fail("/a.m3u8", Array(repeating: .problem(404, #"wrong\u009b2J\u202ewords"#), count: 9))
            let folder = try TemporaryFolder("controls")
            let (status, program) = try await Run.run(
                ["download", origin.url("/a.m3u8"), "--quiet", "--to", folder.path])
            #expect(status == 1)
            let errors = try program.errors
            #expect(errors.contains("wrong?2J?words"), "\(errors.debugDescription)")
        }
    }

    @Test("A full disk behind the output ends lists, dry runs and downloads with status 1")
    func fullOutput() async throws {
        try await FaultyOrigin.run(serving: .transportStream) { origin in
            let folder = try TemporaryFolder("full")
            let url = origin.url("/vod/index.m3u8")
            #expect(try await Run.run(["download", url, "--quiet", "--to", folder.path]).status == 0)
            for words in [
                ["downloads", "list", "--json"], ["downloads", "list"], ["download", url, "--dry-run"],
                ["download", url, "--json"], ["download", url, "--json", "--id", "new"],
            ] {
                let program = try Run(
                    words + ["--to", folder.path], output: FileHandle(forWritingAtPath: "/dev/full"))
                try program.start()
                #expect(try await program.status() == 1, "\(words)")
                let errors = try program.errors
                #expect(errors.split(separator: "\n").count == 1, "\(words): \(errors)")
                #expect(errors.contains("cannot write standard output"), "\(words): \(errors)")
            }
            #expect(try DownloadCommandTests.files(folder.path)["new/v0/00006.ts"] != nil)
        }
    }

    @Test("A dry run prints what would be taken and writes nothing; cookies of a file are sent")
    func dryRun() async throws {
        try await FaultyOrigin.run { origin in
            try await origin.serve(.separateAudio)
            let folder = try TemporaryFolder("dry")
            let cookies = try folder.write("127.0.0.1\tFALSE\t/\tFALSE\t0\tsession\tabc\n", to: "cookies")
            let place = folder.path(of: "downloads")
            let (status, program) = try await Run.run([
                "download", origin.url("/vod/index.m3u8"), "--dry-run", "--id", "a", "--cookies", cookies,
                "--to", place,
            ])
            #expect(status == 0)
            let lines = try program.lines
            #expect(lines.first?.hasPrefix("a: ") ?? false)
            #expect(lines.dropFirst().map { $0.prefix(10) } == ["  v0 video", "  a0 audio"])
            #expect(!FileManager.default.fileExists(atPath: place))
            #expect(origin.log.allSatisfy { $0.cookie?.contains("session=abc") ?? false })
            #expect(!origin.log.contains { $0.path.hasSuffix(".ts") })
        }
    }

    @Test("An id of another URL is refused with status 2, and nothing is touched")
    func otherURL() async throws {
        try await FaultyOrigin.run { origin in
            try await origin.serve(.transportStream)
            let folder = try TemporaryFolder("other")
            let options = ["--id", "a", "--quiet", "--to", folder.path]
            try await Run.run(["download", origin.url("/vod/index.m3u8")] + options)
            let before = try files(folder.path)
            let (status, program) = try await Run.run(
                ["download", origin.url("/other/index.m3u8")] + options)
            #expect(status == 2)
            #expect(try program.errors.contains("--id"))
            #expect(try files(folder.path) == before)
        }
    }

    @Test("Of two URLs that differ in their query the second is refused with status 2: the hint is --id")
    func otherQuery() async throws {
        try await FaultyOrigin.run(serving: .transportStream) { origin in
            let folder = try TemporaryFolder("queries")
            let urls = ["first", "second", "first"].map { origin.url("/vod/index.m3u8?v=\($0)") }
            let (status, program) = try await Run.run(["download", "--to", folder.path] + urls)
            let errors = try program.errors
            #expect(status == 2 && errors.contains("--id"), "\(errors)")
            #expect(!errors.contains("first") && !errors.contains("second"), "\(errors)")
            #expect(origin.requests(for: "/vod/index.m3u8").allSatisfy { $0.query == "v=first" })
            #expect(try files(folder.path).keys.contains { $0.hasSuffix("v0/00006.ts") })
        }
    }

    @Test(
        "Wrong words end with status 2 and name what is wrong",
        arguments: [
            (["nonsense"], "'nonsense'"),
            (["download", "http://a.test/", "--to", ""], "--to: the name of the folder is empty"),
            (["downloads", "list", "--to", ""], "--to: the name of the folder is empty"),
            (["play", ""], "FOLDER: the name of the folder is empty"),
            (["download", "--from", ""], "--from: the name of the file is empty"),
            (["download", "http://a.test/", "--cookies", ""], "--cookies: the name of the file is empty"),
            (["download", "http://a.test/", "--to", "/dev/null"], "--to: /dev/null is not a folder"),
            (["downloads", "list", "--to", "/dev/null"], "--to: /dev/null is not a folder"),
            (["play", "/dev/null"], "FOLDER: /dev/null is not a folder"),
            (["download", "http://a.test/", "--begin", "noon", "--duration", "5"], "--begin noon"),
        ])
    func wrongWords(arguments: [String], words: String) async throws {
        let (status, run) = try await Run.run(arguments)
        let errors = try run.errors
        #expect(status == 2 && errors.contains(words), "\(errors)")
    }

    @Test(
        "A URL that cannot be used is shown without query, user and password",
        arguments: [
            ("ftp://user:secret@a.test/b?t=secret#secret", "ftp://a.test/b cannot"),
            ("http://user:secret@a@b.test/c?t=secret", "http://b.test/c cannot"),
            ("user:secret@a.test/b", "the URL a.test/b cannot"), ("?secret", "the URL  cannot"),
            ("http://a.test:x/b", "http://a.test:x/b cannot"),
        ])
    func unusableURL(url: String, words: String) async throws {
        let (status, run) = try await Run.run(["download", url])
        let errors = try run.errors
        #expect(status == 2 && errors.contains(words) && !errors.contains("secret"), "\(errors)")
    }

    @Test("A folder that is not there is named, and not made")
    func noFolder() async throws {
        let path = try TemporaryFolder("none").path(of: "typo")
        for words in ["list", "pause", "resume", "cancel a", "retry", "remove a"] {
            let action = words.split(separator: " ").map(String.init)
            let (status, run) = try await Run.run(["downloads"] + action + ["--to", path])
            #expect(status == 2)
            #expect(try run.errors.contains("there is no folder \(path)"))
            #expect(!FileManager.default.fileExists(atPath: path))
        }
    }
}
