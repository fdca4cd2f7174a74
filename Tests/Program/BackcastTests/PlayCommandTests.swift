import Foundation
import HTTP
import HTTPSupport
import TestSupport
import Testing

@Suite("Play", .timeLimit(.minutes(30)))
struct PlayCommandTests {
    private typealias Run = DownloadCommandTests.Run

    /// Runs a body while the program serves a folder; gets the page and a client.
    private func playing(
        _ folder: TemporaryFolder, _ body: (String, APIClient) async throws -> Void
    ) async throws {
        let program = try Run(["play", folder.path])
        try program.start()
        let page = try await waitFor("the address") {
            try program.lines.first { $0.hasPrefix("Ready: ") }?.dropFirst("Ready: ".count)
        }
        let client = APIClient(
            over: try SocketTransport(address: page.dropLast()), headers: ["X-Backcast": "1"])
        do {
            try await body(String(page), client)
        } catch {
            program.send(SIGKILL)
            throw error
        }
        program.send(SIGTERM)
        #expect(try await program.status() == 0)
        #expect(try program.lines.count == 1 && program.errors.isEmpty)
    }

    @Test("Another process hands its URLs to the one that plays, and shows their progress")
    func handOver() async throws {
        try await FaultyOrigin.run { origin in
            try await origin.serve(.transportStream)
            // Its whole path is longer than the address of a socket can be.
            let folder = try TemporaryFolder("play-" + String(repeating: "x", count: 100))
            try await playing(folder) { page, client in
                let place = ["--to", folder.path, "--json"]
                let given = try await Run.run(
                    ["download", origin.url("/vod/index.m3u8"), "--id", "a"] + place)
                #expect(given.status == 0)
                #expect(try given.1.lines.last?.contains(#""state":"completed""#) == true)
                #expect(try await client.get("/downloads/a").json["state"] as? String == "completed")
                let again = try await Run.run(["download", origin.url("/other.m3u8"), "--id", "a"] + place)
                #expect(again.status == 2)
                #expect(try again.1.errors.contains("--id"))

                for path in origin.segments() { origin.fail(path, [.held(after: 1000)]) }
                let second = ["url": origin.url("/vod/index.m3u8?b"), "id": "b"]
                _ = try await client.send(
                    .post, "/downloads", body: Array(try JSONSerialization.data(withJSONObject: second)))
                try await eventually("the second task") {
                    try await client.get("/downloads/b").json["state"] as? String == "downloading"
                }
                for (action, state) in [("pause", "paused"), ("cancel", "canceled")] {
                    let (status, program) = try await Run.run(["downloads", action, "b"] + place)
                    #expect(status == 0)
                    #expect(try program.lines.map { $0.contains(#""state":"\#(state)""#) } == [true])
                }
                origin.release()
                #expect(try await Run.run(["downloads", "retry"] + place).status == 0)
                try await eventually("the second task") {
                    try await client.get("/downloads/b").json["state"] as? String == "completed"
                }
                #expect(try await Run.run(["downloads", "remove", "b"] + place).status == 0)
                #expect(try await client.get("/downloads/b").status == 404)
                #expect(try await Run.run(["downloads", "remove", "b"] + place).status == 1)

                let other = try await Run.run(["play", folder.path])
                #expect(other.status == 1)
                #expect(try other.1.errors.contains(page))
                let socket = try FileManager.default.attributesOfItem(
                    atPath: folder.path(of: ".backcast.sock"))
                #expect(socket[.posixPermissions] as? Int == 0o600)
                #expect(socket[.type] as? FileAttributeType == .typeSocket)
            }
            #expect(!FileManager.default.fileExists(atPath: folder.path(of: ".backcast.sock")))
            #expect(try await Run.run(["downloads", "list", "--to", folder.path]).1.lines.count == 1)
        }
    }

    @Test("A program that was killed is followed by one that goes on with the same tasks")
    func killed() async throws {
        try await FaultyOrigin.run { origin in
            try await origin.serve(.transportStream)
            let folder = try TemporaryFolder("killed")
            for path in origin.segments().dropFirst(2) { origin.fail(path, [.held(after: 1000)]) }
            let program = try Run(["play", folder.path])
            try program.start()
            try await eventually("the socket") {
                FileManager.default.fileExists(atPath: folder.path(of: ".backcast.sock"))
            }
            let given = try Run([
                "download", origin.url("/vod/index.m3u8"), "--id", "a", "--to", folder.path, "--quiet",
            ])
            try given.start()
            try await eventually("two segments") {
                FileManager.default.fileExists(atPath: folder.path(of: "a/v0/00002.ts"))
            }
            // The command would go on with its task alone.
            for process in [given, program] {
                process.send(SIGKILL)
                _ = try await process.status()
            }
            origin.release()
            try await playing(folder) { _, client in
                try await eventually("the task") {
                    try await client.get("/downloads/a").json["state"] as? String == "completed"
                }
            }
            for path in origin.segments().prefix(2) { #expect(origin.requests(for: path).count == 1) }
        }
    }

    @Test(
        "Wrong arguments end with status 2",
        arguments: [
            ["--listen", "0.0.0.0:0"], ["--listen", "192.168.1.1:80"], ["--listen", "here"],
            ["--parallel", "0"], ["--colour"],
        ])
    func wrong(arguments: [String]) async throws {
        let folder = try TemporaryFolder("wrong")
        let (status, program) = try await Run.run(["play", folder.path(of: "none")] + arguments)
        #expect(status == 2)
        #expect(try !program.errors.isEmpty)
        #expect(!FileManager.default.fileExists(atPath: folder.path(of: "none")))
    }
}
