import Foundation
import HTTP
import HTTPServer
import HTTPSupport
import TestSupport
import Testing

@testable import Backcast

@Suite("Downloads of several processes in one folder", .timeLimit(.minutes(30)))
struct SharedFolderTests {
    private typealias Run = DownloadCommandTests.Run

    @Test("Of downloads that start together, one holds the folder, and the others hand over to it")
    func together() async throws {
        try await FaultyOrigin.run(serving: .transportStream) { origin in
            let folder = try TemporaryFolder("together")
            for round in 0..<4 {
                let place = ["--quiet", "--to", folder.path(of: "\(round)")]
                let programs = try (0..<6).map { number in
                    let url = origin.url("/vod/index.m3u8?\(number)")
                    return try Run(["download", url, "--id", "task\(number)"] + place)
                }
                for program in programs { try program.start() }
                for program in programs {
                    let (status, errors) = (try await program.status(), try program.errors)
                    #expect(status == 0 && errors.isEmpty, "\(status) \(errors)")
                }
            }
        }
    }

    @Test("A process that holds the folder and does not answer is waited for ten seconds in all")
    func silent() async throws {
        let folder = try TemporaryFolder("silent")
        let lock = open(folder.path(of: ".lock"), O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        try #require(lock >= 0 && flock(lock, LOCK_EX) == 0)
        defer { close(lock) }
        let handler = FunctionHandler { _ in
            .later {
                try? await Task.sleep(for: .seconds(60))
                return HTTPResponse(status: .ok)
            }
        }
        var configuration = HTTPServer.Configuration(
            address: ListenAddress(file: folder.path(of: ".backcast.sock")))
        configuration.limits.answer = .seconds(60)
        let server = try HTTPServer.open(
            configuration: configuration, handler: handler, logger: silentLogger)
        let program = try Run(["download", "http://127.0.0.1:1/a.ts", "--quiet", "--to", folder.path])
        let start = ContinuousClock.now
        try program.start()
        do {
            try await eventually("the end", within: .seconds(25)) { try !program.errors.isEmpty }
        } catch {
            program.send(SIGKILL)
            await server.stop(drain: .zero)
            throw error
        }
        #expect(try await program.status() == 1)
        #expect(ContinuousClock.now - start < .seconds(20))
        #expect(try program.errors.contains("is in use by another process"))
        await server.stop(drain: .zero)
    }

    @Test("A signal waits until the process that holds the folder has packed a live recording")
    func packing() async throws {
        try await FaultyOrigin.run(serving: .transportStream) { origin in
            origin.reopen("/vod/index.m3u8")
            let folder = try TemporaryFolder("packing")
            // Packs only when it is told.
            let script = """
                #!/bin/sh
                case "$*" in *faststart*)
                    : > '\(folder.path(of: "begun"))'
                    while [ ! -e '\(folder.path(of: "go"))' ]; do sleep 0.1; done ;;
                esac
                PATH=${PATH#*:}
                exec ffmpeg "$@"
                """
            _ = try await folder.writeProgram(script, to: "bin/ffmpeg")
            let tasks = folder.path(of: "tasks")
            let holder = try Run(
                ["play", tasks], environment: ["PATH": folder.path(of: "bin") + ":/usr/bin:/bin"])
            try holder.start()
            try await eventually("the socket") {
                FileManager.default.fileExists(atPath: "\(tasks)/.backcast.sock")
            }
            let program = try Run(
                ["download", origin.url("/vod/index.m3u8"), "--id", "a", "--format", "mp4", "--json"]
                    + ["--to", tasks])
            try program.start()
            try await eventually("the last segment") {
                FileManager.default.fileExists(atPath: "\(tasks)/a/v0/00006.ts")
            }
            program.send(SIGINT)
            try await eventually("the packing") {
                FileManager.default.fileExists(atPath: folder.path(of: "begun"))
            }
            // Longer than the program takes to end at most where nothing is to be packed.
            try await Task.sleep(for: .seconds(Limits.stoppingSeconds + 2))
            try folder.write("", to: "go")
            let (status, errors) = (try await program.status(), try program.errors)
            #expect(status == 0 && errors.isEmpty, "\(status) \(errors)")
            #expect(try program.lines.last?.contains(#""state":"completed""#) ?? false)
            holder.send(SIGTERM)
            #expect(try await holder.status() == 0)
        }
    }
}
