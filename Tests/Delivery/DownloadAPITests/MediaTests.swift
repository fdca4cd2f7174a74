import Foundation
import HTTP
import HTTPSupport
import TestSupport
import Testing

@testable import DownloadAPI

@Suite("Playing", .timeLimit(.minutes(30)))
struct MediaTests {
    @Test(
        "Every kind of stream is served whole, with its types, to pages of every origin",
        arguments: SampleStreams.Kind.allCases)
    func kinds(kind: SampleStreams.Kind) async throws {
        try await PlayFixture.run { fixture in
            try await fixture.origin.serve(kind)
            try await fixture.add("/vod/index.m3u8", ["subtitles": "all"])
            try await fixture.reached("completed")
            var waiting = ["index.m3u8"]
            var types: Set<String> = []
            while let name = waiting.popLast() {
                let answer = try await fixture.client.get(
                    "/downloads/task/\(name)", ["Origin": "http://a.example"])
                #expect(answer.status == 200, "\(name)")
                #expect(answer.headers["Access-Control-Allow-Origin"] == "*")
                #expect(answer.headers["X-Content-Type-Options"] == "nosniff")
                types.insert(answer.headers["Content-Type"] ?? "")
                let file = fixture.folder.path(of: "task/\(name)")
                #expect(try Data(contentsOf: URL(filePath: file)) == Data(answer.body))
                guard name.hasSuffix(".m3u8") else { continue }
                for line in answer.text.split(separator: "\n") {
                    if let uri = line.firstMatch(of: /URI="([^"]*)"/)?.1 { waiting.append(String(uri)) }
                    if !line.hasPrefix("#") { waiting.append(String(line)) }
                }
            }
            #expect(types.contains("application/vnd.apple.mpegurl"))
            #expect(types.isDisjoint(with: [""]))
        }
    }

    @Test("Ranges, versions and preflights of media are answered")
    func ranges() async throws {
        try await PlayFixture.run { fixture in
            try await fixture.origin.serve(.transportStream)
            try await fixture.add()
            try await fixture.reached("completed")
            let path = "/downloads/task/v0/00001.ts"
            let whole = try await fixture.client.get(path)
            #expect(
                whole.headers["Content-Type"] == "video/mp2t" && whole.headers["Accept-Ranges"] == "bytes")
            let part = try await fixture.client.get(path, ["Range": "bytes=188-375"])
            #expect(part.status == 206 && part.body == Array(whole.body[188..<376]))
            #expect(part.headers["Content-Range"] == "bytes 188-375/\(whole.body.count)")
            #expect(try await fixture.client.get(path, ["Range": "bytes=9999999-"]).isProblem(416))
            let tag = try #require(whole.headers["ETag"])
            #expect(try await fixture.client.get(path, ["If-None-Match": tag]).status == 304)
            let head = try await fixture.client.send(.head, path)
            #expect(head.status == 200 && head.headers["Content-Length"] == "\(whole.body.count)")
            let preflight = try await fixture.client.send(.options, path, ["Origin": "http://a.example"])
            #expect(preflight.status == 204 && preflight.headers["Access-Control-Allow-Origin"] == "*")
            #expect(try await fixture.client.send(.post, path, PlayFixture.mark).isProblem(405))
        }
    }

    @Test("Nothing but media of the task is ever read")
    func outside() async throws {
        try await PlayFixture.run { fixture in
            try await fixture.origin.serve(.transportStream)
            try await fixture.add()
            try await fixture.reached("completed")
            try fixture.folder.write("secret", to: "secret.ts")
            let files = FileManager.default
            let task = fixture.folder.path(of: "task")
            try files.createSymbolicLink(atPath: task + "/link.ts", withDestinationPath: "../secret.ts")
            try files.createSymbolicLink(atPath: task + "/a0", withDestinationPath: "..")
            #expect(mkfifo(task + "/pipe.ts", 0o600) == 0)
            let names = [
                "task.json", ".task.json.part", "v0/.parts", "../secret.ts", "%2e%2e/secret.ts", "link.ts",
                "a0/secret.ts", "pipe.ts", "v0", "v0/", "", ".", "..", "v0/../task.json",
                "v0/%2e%2e/task.json",
                "%74ask.json", "v0//00001.ts", "task.json/", "v0/00001.ts/x", "../.lock", "nothing.ts",
                "TASK.JSON",
            ]
            for name in names {
                let answer = try await fixture.client.get("/downloads/task/\(name)")
                #expect(answer.status == 404 || answer.status == 400, "\(name): \(answer.status)")
                #expect(!answer.text.contains("secret"))
            }
            #expect(try await fixture.client.get("/downloads/../secret.ts").status != 200)
            #expect(try await fixture.client.get("/downloads/..%2fsecret.ts").status == 404)
            #expect(try await fixture.client.get("/downloads/.lock").status == 404)
        }
    }

    @Test("A segment that is asked for goes before the queue, and nothing is fetched twice")
    func demand() async throws {
        try await PlayFixture.run(parallel: 2) { fixture in
            let origin = fixture.origin
            try await origin.serve(.transportStream)
            let paths = origin.segments()
            for path in paths.prefix(4) { origin.fail(path, [.held(after: 2000)]) }
            try await fixture.add()
            try await eventually("held segments") {
                paths.prefix(2).allSatisfy { !origin.requests(for: $0).isEmpty }
            }
            let playlist = try await fixture.client.get("/downloads/task/index.m3u8")
            #expect(playlist.text.contains("#EXT-X-ENDLIST") && !playlist.text.contains("GAP"))
            #expect(playlist.text.split(separator: "\n").count { !$0.hasPrefix("#") } == paths.count)

            let last = try #require(paths.last)
            let answer = try await fixture.client.get("/downloads/task/v0/0000\(paths.count).ts")
            #expect(answer.status == 200 && answer.body == origin.bytes(last))
            #expect(answer.headers["Content-Length"] == "\(answer.body.count)")
            #expect(try await fixture.state() == "downloading")
            origin.release()
            try await fixture.reached("completed")
            #expect(origin.requests(for: last).count == 1)
            for (index, path) in paths.enumerated() {
                let file = fixture.folder.path(of: "task/v0/0000\(index + 1).ts")
                #expect(try Array(Data(contentsOf: URL(filePath: file))) == origin.bytes(path))
                // What had to wait was continued where it stopped.
                #expect(
                    origin.requests(for: path).dropFirst().allSatisfy { $0.range != nil && $0.ifRange != nil }
                )
            }
        }
    }

    @Test("A segment is answered as it comes, with the length that its source says")
    func growing() async throws {
        try await PlayFixture.run { fixture in
            let origin = fixture.origin
            try await origin.serve(.transportStream)
            let path = origin.segments()[1]
            // Large enough to come in several pieces.
            origin.lengthen(path, byPackets: 5000)
            let whole = try #require(origin.bytes(path))
            origin.fail(path, [.held(after: 600_000)])
            try await fixture.add()
            try await eventually("the held segment") { !origin.requests(for: path).isEmpty }
            let connection = try RawConnection(port: fixture.port)
            connection.send(
                "GET /downloads/task/v0/00002.ts HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            try await connection.skip(100_000)
            #expect(try await fixture.state() == "downloading")
            origin.release()
            let rest = await connection.rest()
            #expect(rest.count > whole.count - 100_000)
            #expect(rest.suffix(200_000) == whole.suffix(200_000))
        }
    }

    @Test("A segment that turns out damaged ends with a cut connection, and is fetched again")
    func damaged() async throws {
        try await PlayFixture.run { fixture in
            let origin = fixture.origin
            try await origin.serve(.transportStream)
            let path = origin.segments()[5]
            let whole = try #require(origin.bytes(path))
            for other in origin.segments().prefix(4) { origin.fail(other, [.held(after: 1000)]) }
            origin.fail(path, [.garbled(after: whole.count - 400)])
            try await fixture.add()
            try await eventually("held segments") { origin.log.count > 4 }
            var answers: [[UInt8]?] = []
            while answers.count < 20, answers.last != .some(.some(whole)) {
                let answer = try? await fixture.client.get("/downloads/task/v0/00006.ts")
                answers.append(answer?.status == 200 ? answer?.body : nil)
            }
            #expect(answers.allSatisfy { $0 == nil || $0 == whole })
            #expect(answers.last == .some(.some(whole)))
            origin.release()
            try await fixture.reached("completed")
        }
    }

    @Test("While the playlists are read, the playlist and its segments are to be asked for later")
    func preparing() async throws {
        try await PlayFixture.run { fixture in
            try await fixture.origin.serve(.transportStream)
            fixture.origin.fail("/vod/index.m3u8", [.held(after: 10)])
            try await fixture.add()
            try await fixture.reached("preparing")
            for name in ["index.m3u8", "v0/00001.ts"] {
                let answer = try await fixture.client.get("/downloads/task/\(name)")
                #expect(answer.isProblem(503), "\(name): \(answer.status)")
                #expect(Int(answer.headers["Retry-After"] ?? "").map { $0 > 0 } ?? false)
            }
            fixture.origin.release()
            try await fixture.reached("completed")
            #expect(try await fixture.client.get("/downloads/task/index.m3u8").status == 200)
        }
    }

    @Test("What a task has that waits for its turn, or was paused before, is to be asked for later")
    func queued() async throws {
        try await PlayFixture.run(tasks: 1) { fixture in
            let origin = fixture.origin
            try await origin.serve(.transportStream)
            origin.serve("/film.mp4", SampleMovie.bytes(count: 50_000))
            origin.fail(origin.segments()[0], [.held(after: 1000)])
            try await fixture.add()
            try await fixture.reached("downloading")
            try await fixture.add("/vod/index.m3u8", ["id": "second"])
            try await fixture.add("/film.mp4", ["id": "film"])
            let names = ["second/index.m3u8", "second/v0.m3u8", "second/v0/00001.ts", "film/film.mp4"]
            for state in ["queued", "paused"] {
                for name in names {
                    let answer = try await fixture.client.get("/downloads/\(name)")
                    #expect(answer.isProblem(503), "\(state), \(name): \(answer.status)")
                    #expect(Int(answer.headers["Retry-After"] ?? "").map { $0 > 0 } ?? false)
                }
                for id in ["second", "film"] {
                    #expect(try await fixture.post("/downloads/\(id)/pause").status == 200)
                }
            }
            #expect(try await fixture.client.get("/downloads/second/task.json").status == 404)
            #expect(try await fixture.post("/downloads/film/resume").status == 200)
            origin.release()
            try await eventually("the film") { try await fixture.state("film") == "completed" }
            #expect(try await fixture.client.get("/downloads/film/film.mp4").status == 200)
            #expect(try await fixture.client.get("/downloads/film/v0/00001.ts").status == 404)
        }
    }

    @Test("A segment for which the source has only errors is answered with status 502")
    func nothingComes() async throws {
        try await PlayFixture.run { fixture in
            let origin = fixture.origin
            try await origin.serve(.transportStream)
            let path = origin.segments()[3]
            origin.fail(path, Array(repeating: .status(500), count: 8))
            for other in origin.segments().prefix(3) { origin.fail(other, [.held(after: 1000)]) }
            try await fixture.add()
            try await fixture.reached("downloading")
            let answer = try await fixture.client.get("/downloads/task/v0/00004.ts")
            #expect(answer.isProblem(502), "\(answer.status)")
            origin.release()
        }
    }

    @Test("What is there plays without the origin, and a plain file plays while it comes")
    func withoutOrigin() async throws {
        let folder = try TemporaryFolder("play")
        try await PlayFixture.run(folder) { fixture in
            try await fixture.origin.serve(.transportStream)
            let movie = Array(try #require(fixture.origin.bytes(fixture.origin.segments()[0])))
            fixture.origin.serve("/film.ts", movie)
            fixture.origin.fail("/film.ts", [.held(after: 1000), .held(after: movie.count / 2)])
            try await fixture.add()
            try await fixture.reached("completed")
            try await fixture.add("/film.ts", ["id": "film"])
            try await eventually("the film") { try await fixture.state("film") == "downloading" }
            let origin = fixture.origin
            async let answer = fixture.client.get("/downloads/film/film.ts")
            try await Task.sleep(for: .milliseconds(200))
            origin.release()
            let received = try await answer
            #expect(received.status == 200 && received.body == movie)
        }
        try await PlayFixture.run(folder) { fixture in
            for name in ["index.m3u8", "v0/00003.ts"] {
                let answer = try await fixture.client.get("/downloads/task/\(name)")
                #expect(answer.status == 200)
            }
        }
    }

    @Test("A live recording in which a player seeks ahead is paused with all that it has, and can continue")
    func soughtLive() async throws {
        try await PlayFixture.run(parallel: 1) { fixture in
            let origin = fixture.origin
            try await origin.serve(.transportStream)
            origin.reopen("/vod/index.m3u8")
            let paths = origin.segments()
            origin.fail(paths[1], Array(repeating: .held(after: 1000), count: 4))
            try await fixture.add()
            try await eventually("the held segment") { !origin.requests(for: paths[1]).isEmpty }
            let sought = try await fixture.client.get("/downloads/task/v0/00006.ts")
            #expect(sought.status == 200 && sought.body == origin.bytes(paths[5]))
            let paused = try await fixture.post("/downloads/task/pause")
            #expect(try paused.json["state"] as? String == "paused")
            let list = try String(contentsOfFile: fixture.folder.path(of: "task/index.m3u8"), encoding: .utf8)
            #expect(list.contains("00006.ts") && !list.contains("#EXT-X-ENDLIST"))
            origin.release()
            #expect(try await fixture.post("/downloads/task/resume").status == 200)
            try await eventually("all segments") {
                paths.indices.allSatisfy { index in
                    FileManager.default.fileExists(
                        atPath: fixture.folder.path(of: "task/v0/0000\(index + 1).ts"))
                }
            }
            #expect(origin.requests(for: paths[5]).count == 1)
            let stopped = try await fixture.post("/downloads/task/pause")
            #expect(try stopped.json["state"] as? String == "completed")
        }
    }
}
