import Concurrency
import Downloader
import Foundation
import HTTP
import HTTPClient
import HTTPServer
import HTTPSupport
import TestSupport
import Testing

@testable import DownloadAPI

@Suite("Tasks over HTTP", .timeLimit(.minutes(30)))
struct TaskRoutesTests {
    @Test("A task is added, listed, completed and removed; given again it is the task that is there")
    func life() async throws {
        try await PlayFixture.run { fixture in
            try await fixture.origin.serve(.transportStream)
            let added = try await fixture.add(
                "/vod/index.m3u8?token=secret", ["title": "A film", "headers": ["X-Key": "hidden"]])
            #expect(added.status == 201 && added.headers["Location"] == "/downloads/task")
            #expect(try added.json["title"] as? String == "A film")
            try await fixture.reached("completed")
            let list = try await fixture.client.get("/downloads")
            let items = try #require(try list.json["items"] as? [[String: Any]])
            #expect(items.map { $0["id"] as? String } == ["task"])
            #expect(items.first?["picture"] as? String == "picture.jpg")
            #expect(!list.text.contains("secret") && !list.text.contains("hidden"))
            #expect(
                try await fixture.client.get("/downloads/task/picture.jpg").body.starts(with: [0xFF, 0xD8]))

            let again = try await fixture.add()
            #expect(again.status == 200)
            #expect(try again.json["state"] as? String == "completed")
            #expect(try await fixture.add("/other/index.m3u8").isProblem(409))

            let removed = try await fixture.client.send(.delete, "/downloads/task", PlayFixture.mark)
            #expect(removed.status == 204 && removed.body.isEmpty)
            #expect(try await fixture.client.get("/downloads/task").isProblem(404))
            #expect(try FileManager.default.contentsOfDirectory(atPath: fixture.folder.path) == [".lock"])
            #expect(
                try await fixture.client.send(.delete, "/downloads/task", PlayFixture.mark).isProblem(404))
        }
    }

    @Test(
        "What cannot be read is refused by the name of its field",
        arguments: [
            (#"{}"#, "url"), (#"{"url":"file:///etc/passwd"}"#, "url"), (#"{"url":1}"#, "url"),
            (#"{"url":"http://a/","colour":1}"#, "colour"), (#"{"url":"http://a/","id":"A B"}"#, "id"),
            (#"{"url":"http://a/","id":"events"}"#, "id"), (#"{"url":"http://a/","format":"avi"}"#, "format"),
            (#"{"url":"http://a/","quality":"good"}"#, "quality"),
            (#"{"url":"http://a/","audio":""}"#, "audio"), (#"{"url":"http://a/","audio":"en,"}"#, "audio"),
            (#"{"url":"http://a/","subtitles":""}"#, "subtitles"),
            (#"{"url":"http://a/","quality":""}"#, "quality"),
            (#"{"url":"http://a/","format":""}"#, "format"),
            (#"{"url":"http://a/","begin":"1"}"#, "begin"),
            (#"{"url":"http://a/","begin":"yesterday","duration_seconds":5}"#, "begin"),
            (#"{"url":"http://a/","duration_seconds":-1}"#, "duration_seconds"),
            (#"{"url":"http://a/","duration_seconds":0}"#, "duration_seconds"),
            (#"{"url":"http://a/","duration_seconds":1e-7}"#, "duration_seconds"),
            (#"{"url":"http://a/","duration_seconds":9223372036855}"#, "duration_seconds"),
            (#"{"url":"http://a/","duration_seconds":1e16}"#, "duration_seconds"),
            (#"{"url":"http://a/","headers":{"a b":"c"}}"#, "headers"),
            (#"{"url":"http://a/","headers":{"a":"b\r\nc"}}"#, "headers"),
            (#"{"url":"http://a/","decrypt":"yes"}"#, "decrypt"),
            (#"{"url":"http://a/","labels":[]}"#, "labels"),
            (#"[]"#, "object"), (#"{"#, "JSON"),
        ])
    func unreadable(body: String, name: String) async throws {
        try await PlayFixture.run { fixture in
            let answer = try await fixture.post("/downloads", Array(body.utf8))
            #expect(answer.isProblem(400))
            #expect((answer.problem["detail"] as? String)?.contains(name) == true, "\(answer.text)")
            #expect(try await fixture.client.get("/downloads").text == #"{"items":[]}"#)
        }
    }

    @Test("Tasks are paused, resumed, canceled and retried where their state allows it")
    func actions() async throws {
        try await PlayFixture.run { fixture in
            try await fixture.origin.serve(.transportStream)
            for path in fixture.origin.segments() { fixture.origin.fail(path, [.held(after: 1000)]) }
            try await fixture.add()
            try await eventually("a segment is asked for") { fixture.origin.log.count > 3 }
            #expect(try await fixture.post("/downloads/task/retry").isProblem(409))
            #expect(try await fixture.post("/downloads/task/resume").status == 200)
            for _ in 0..<2 {
                let paused = try await fixture.post("/downloads/task/pause")
                #expect(try paused.status == 200 && paused.json["state"] as? String == "paused")
            }
            let canceled = try await fixture.post("/downloads/task/cancel")
            #expect(try canceled.json["state"] as? String == "canceled")
            #expect(try await fixture.post("/downloads/task/pause").isProblem(409))
            #expect(try await fixture.post("/downloads/task/resume").isProblem(409))
            fixture.origin.release()
            #expect(try await fixture.post("/downloads/task/retry").status == 200)
            try await fixture.reached("completed")
            let done = [
                "pause": "paused", "resume": "resumed", "cancel": "canceled", "retry": "retried",
            ]
            for (action, word) in done {
                let refused = try await fixture.post("/downloads/task/\(action)")
                #expect(refused.isProblem(409), "\(action)")
                let detail = refused.problem["detail"] as? String
                #expect(detail?.hasSuffix("is completed and cannot be \(word)") == true, "\(action)")
                #expect(try await fixture.post("/downloads/none/\(action)").isProblem(404), "\(action)")
            }
        }
    }

    @Test("A process that has ended its last task refuses others as something that is not their fault")
    func ending() async throws {
        let folder = try TemporaryFolder("ending")
        let transfers = try HTTPClient.open(ClientConfiguration(logger: silentLogger))
        let manager = try await DownloadManager.open(
            folder.path, DownloadOptions(), client: transfers, clock: .system, lifetime: .untilDone)
        await manager.run()
        let downloads = DownloadAPI(manager: manager, host: "localhost", hlsScript: nil, clock: .system)
        try await withHTTPServer(HolderAPI(downloads, page: nil, clock: .system)) { server in
            let client = APIClient(over: SocketTransport(port: server.port))
            let request = DownloadRequest(url: "http://127.0.0.1:1/a.ts")
            let answer = try await client.send(
                .post, HolderPath.tasks, PlayFixture.mark, body: Array(try JSONEncoder().encode(request)))
            #expect(answer.isProblem(503), "\(answer.text)")
        }
        await transfers.close()
    }

    @Test("A task that is added several times at once is there once, and no request is refused")
    func together() async throws {
        try await PlayFixture.run { fixture in
            try await fixture.origin.serve(.transportStream)
            for round in 0..<20 {
                let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                    for _ in 0..<4 {
                        group.addTask {
                            try await fixture.add("/vod/index.m3u8", ["id": "task\(round)"]).status
                        }
                    }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                #expect(statuses.sorted() == [200, 200, 200, 201])
            }
        }
    }

    @Test("A task that was running goes on when the folder is opened again; a paused one does not")
    func restart() async throws {
        let folder = try TemporaryFolder("play")
        try await PlayFixture.run(folder) { fixture in
            try await fixture.origin.serve(.transportStream)
            for path in fixture.origin.segments() { fixture.origin.fail(path, [.held(after: 1000)]) }
            try await fixture.add()
            try await eventually("a segment") { fixture.origin.log.count > 3 }
        }
        let text = try String(contentsOfFile: folder.path(of: "task/task.json"), encoding: .utf8)
        #expect(text.contains(#""state" : "queued""#))
        try await PlayFixture.run(folder) { fixture in
            let states = ["queued", "preparing", "waiting_for_network"]
            #expect(states.contains(try await fixture.state() ?? ""))
            let paused = try await fixture.post("/downloads/task/pause")
            #expect(try paused.json["state"] as? String == "paused")
        }
        try await PlayFixture.run(folder) { fixture in
            let state = try await fixture.state()
            #expect(state == "paused")
        }
    }

    @Test("Events tell all tasks, then each change, and that a task was removed")
    func events() async throws {
        try await PlayFixture.run { fixture in
            try await fixture.origin.serve(.transportStream)
            try await fixture.add()
            try await fixture.reached("completed")
            let connection = try RawConnection(port: fixture.port)
            connection.send("GET /downloads/events HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            #expect(try await fixture.add("/vod/index.m3u8", ["id": "second"]).status == 201)
            try await eventually("the second task") { try await fixture.state("second") == "completed" }
            for id in ["task", "second"] {
                _ = try await fixture.client.send(.delete, "/downloads/\(id)", PlayFixture.mark)
            }
            let last = "event: removed\ndata: {\"id\":\"second\"}\n\n"
            let text = try await connection.text(through: last)
            #expect(text.contains("text/event-stream"))
            #expect(text.contains("event: task\ndata: {\"id\":\"task\""))
            #expect(text.contains("event: task\ndata: {\"id\":\"second\""))
            #expect(text.contains(last))
        }
    }
}
