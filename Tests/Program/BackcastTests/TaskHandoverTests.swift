import Foundation
import HTTP
import HTTPServer
import HTTPSupport
import Synchronization
import TestSupport
import Testing

@Suite("Downloads that another process carries out", .timeLimit(.minutes(30)))
struct TaskHandoverTests {
    private typealias Run = DownloadCommandTests.Run

    /// Runs a body while the program plays a folder, and so holds it.
    private func holding(_ folder: TemporaryFolder, _ body: () async throws -> Void) async throws {
        let program = try Run(["play", folder.path])
        try program.start()
        try await eventually("the socket") {
            FileManager.default.fileExists(atPath: folder.path(of: ".backcast.sock"))
        }
        do {
            try await body()
        } catch {
            program.send(SIGKILL)
            throw error
        }
        program.send(SIGTERM)
        #expect(try await program.status() == 0)
    }

    private func states(_ folder: TemporaryFolder) async throws -> [String: String] {
        let listed = try await Run.run(["downloads", "list", "--json", "--to", folder.path])
        var states: [String: String] = [:]
        for line in try listed.1.lines {
            let task = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            if let id = task?["id"] as? String { states[id] = task?["state"] as? String }
        }
        return states
    }

    @Test("A signal pauses the tasks that were handed over, and no others", arguments: [SIGINT, SIGTERM])
    func signal(number: Int32) async throws {
        try await FaultyOrigin.run { origin in
            try await origin.serve(.transportStream)
            let held = origin.segments()[2]
            origin.fail(held, [.held(after: 1000), .held(after: 1000)])
            let folder = try TemporaryFolder("signal")
            try await holding(folder) {
                let place = ["--to", folder.path, "--json"]
                let programs = try ["a", "b"].map { id in
                    try Run(["download", origin.url("/vod/index.m3u8?\(id)"), "--id", id] + place)
                }
                for program in programs { try program.start() }
                try await eventually("both tasks") { origin.requests(for: held).count == 2 }
                programs[0].send(number)
                #expect(try await programs[0].status() == 130)
                #expect(try programs[0].lines.last?.contains(#""state":"paused""#) ?? false)
                #expect(try await states(folder) == ["a": "paused", "b": "downloading"])
                origin.release()
                #expect(try await programs[1].status() == 0)
            }
        }
    }

    @Test("A task that runs is not asked for otherwise: status 2, and it goes on as it was asked for")
    func underWay() async throws {
        try await FaultyOrigin.run(serving: .transportStream) { origin in
            let held = origin.segments()[2]
            origin.fail(held, [.held(after: 1000)])
            let folder = try TemporaryFolder("under-way")
            try await holding(folder) {
                func program(_ query: String, _ more: [String] = []) throws -> Run {
                    let url = origin.url("/vod/index.m3u8?\(query)")
                    return try Run(["download", url, "--quiet", "--to", folder.path] + more)
                }
                let programs = try [program("first"), program("first")]
                try programs[0].start()
                try await eventually("the task") { origin.requests(for: held).count == 1 }
                for other in try [
                    program("second"), program("first", ["--format", "ts"]),
                    program("first", ["--quality", "worst"]),
                ] {
                    try other.start()
                    #expect(try await other.status() == 2)
                    #expect(try other.errors.contains("--id"))
                }
                try programs[1].start()
                origin.release()
                for program in programs { #expect(try await program.status() == 0) }
            }
            #expect(!origin.log.contains { $0.query == "second" })
        }
    }

    @Test("A signal completes a live recording that was handed over")
    func live() async throws {
        try await FaultyOrigin.run { origin in
            try await origin.serve(.transportStream)
            origin.reopen("/vod/index.m3u8")
            let folder = try TemporaryFolder("live")
            try await holding(folder) {
                let program = try Run(
                    ["download", origin.url("/vod/index.m3u8"), "--id", "a", "--json", "--to", folder.path])
                try program.start()
                try await eventually("the last segment") {
                    FileManager.default.fileExists(atPath: folder.path(of: "a/v0/00006.ts"))
                }
                program.send(SIGINT)
                // Nothing is left to do, as after a signal to the process that records.
                #expect(try await program.status() == 0)
                #expect(try program.lines.last?.contains(#""state":"completed""#) ?? false)
            }
            let list = try String(contentsOfFile: folder.path(of: "a/index.m3u8"), encoding: .utf8)
            #expect(list.contains("#EXT-X-ENDLIST"))
        }
    }

    @Test("What a state does not allow is said in the same way, with and without a holder")
    func states() async throws {
        try await FaultyOrigin.run { origin in
            try await origin.serve(.transportStream)
            let folder = try TemporaryFolder("states")
            let place = ["--to", folder.path]
            for (id, path) in [("done", "/vod/index.m3u8"), ("wrong", "/vod/none.m3u8")] {
                try await Run.run(["download", origin.url(path), "--id", id, "--quiet"] + place)
            }
            let actions = [
                (["resume", "done"], "done is completed and cannot be resumed"),
                (["retry", "done"], "done is completed and cannot be retried"),
                (["pause", "done"], "done is completed and cannot be paused"),
                (["cancel", "done"], "done is completed and cannot be canceled"),
                (["resume", "wrong"], "wrong is failed and cannot be resumed"),
                (["resume", "none"], "there is no task none"),
            ]
            func check() async throws {
                for (action, words) in actions {
                    let (status, program) = try await Run.run(["downloads"] + action + place)
                    #expect(status == 1, "\(action)")
                    #expect(try program.errors.contains(words), "\(action)")
                }
                for action in ["pause", "resume"] {
                    #expect(try await Run.run(["downloads", action] + place).status == 0, "\(action)")
                }
            }
            try await check()
            try await holding(folder) { try await check() }
            // What is possible is done all the same.
            origin.serve("/vod/none.m3u8", try #require(origin.bytes("/vod/index.m3u8")))
            let (status, program) = try await Run.run(["downloads", "retry", "done", "wrong"] + place)
            #expect(status == 1)
            #expect(try program.errors.contains("done is completed"))
            #expect(try await states(folder) == ["done": "completed", "wrong": "completed"])
        }
    }

    @Test(
        "What a killed process has left goes on in the process that holds the folder now",
        arguments: [["left"], []])
    func left(ids: [String]) async throws {
        try await FaultyOrigin.run(serving: .transportStream) { origin in
            let held = origin.segments()[2]
            origin.fail(held, [.held(after: 1000), .held(after: 1000)])
            let folder = try TemporaryFolder("left")
            let place = ["--to", folder.path]
            let programs = try ["left", "other"].map { id in
                try Run(["download", origin.url("/vod/index.m3u8?\(id)"), "--id", id, "--quiet"] + place)
            }
            try programs[0].start()
            try await eventually("the first task") { origin.requests(for: held).count == 1 }
            programs[0].send(SIGKILL)
            _ = try await programs[0].status()
            try programs[1].start()
            try await eventually("the second task") { origin.requests(for: held).count == 2 }
            let (status, program) = try await Run.run(["downloads", "resume"] + ids + place)
            let errors = try program.errors
            #expect(status == 0, "\(errors)")
            try await eventually("the first task again") { try await states(folder)["left"] == "completed" }
            origin.release()
            #expect(try await programs[1].status() == 0)
            #expect(try await states(folder) == ["left": "completed", "other": "completed"])
        }
    }

    @Test("What a process does not take because it is ending is carried out when the folder is free")
    func ending() async throws {
        try await FaultyOrigin.run(serving: .transportStream) { origin in
            let folder = try TemporaryFolder("ending")
            let lock = open(folder.path(of: ".lock"), O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            try #require(lock >= 0)
            defer { close(lock) }
            try #require(flock(lock, LOCK_EX) == 0)
            let holder = SlowHolder(.serviceUnavailable)
            let server = try HTTPServer.open(
                configuration: HTTPServer.Configuration(
                    address: ListenAddress(file: folder.path(of: ".backcast.sock"))),
                handler: holder, logger: silentLogger)
            let program = try Run(
                ["download", origin.url("/vod/index.m3u8"), "--id", "a", "--json", "--to", folder.path])
            try program.start()
            do {
                try await eventually("a task that is not taken") { holder.taskCount > 1 }
            } catch {
                program.send(SIGKILL)
                await server.stop(drain: .zero)
                throw error
            }
            await server.stop(drain: .zero)
            try? FileManager.default.removeItem(atPath: folder.path(of: ".backcast.sock"))
            #expect(origin.log.isEmpty)
            #expect(flock(lock, LOCK_UN) == 0)
            let status = try await program.status()
            let errors = try program.errors
            #expect(status == 0, "\(errors)")
            #expect(try program.lines.last?.contains(#""state":"completed""#) ?? false)
        }
    }

    @Test("What a process has taken and not done when it is killed is carried out by the one that asked")
    func killed() async throws {
        try await FaultyOrigin.run(serving: .transportStream) { origin in
            let held = origin.segments()[2]
            origin.fail(held, [.held(after: 1000), .held(after: 1000)])
            let folder = try TemporaryFolder("killed")
            let holder = try Run(["play", folder.path])
            try holder.start()
            try await eventually("the socket") {
                FileManager.default.fileExists(atPath: folder.path(of: ".backcast.sock"))
            }
            let program = try Run(
                ["download", origin.url("/vod/index.m3u8"), "--id", "a", "--json", "--to", folder.path])
            try program.start()
            do {
                try await eventually("the task") { origin.requests(for: held).count == 1 }
                holder.send(SIGKILL)
                try await eventually("the task again") { origin.requests(for: held).count == 2 }
            } catch {
                for process in [holder, program] { process.send(SIGKILL) }
                throw error
            }
            _ = try await holder.status()
            origin.release()
            let (status, errors) = (try await program.status(), try program.errors)
            #expect(status == 0 && errors.isEmpty, "\(status) \(errors)")
            #expect(try program.lines.last?.contains(#""state":"completed""#) ?? false)
            #expect(try await states(folder) == ["a": "completed"])
        }
    }

    @Test("A signal ends the waiting for a process that is ending")
    func endingStopped() async throws {
        let folder = try TemporaryFolder("ending")
        let lock = open(folder.path(of: ".lock"), O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        try #require(lock >= 0)
        defer { close(lock) }
        try #require(flock(lock, LOCK_EX) == 0)
        _ = try await signalled(["http://127.0.0.1:1/a.ts"], in: folder, .serviceUnavailable)
    }

    @Test("A signal that comes before all URLs are handed over leaves status 130")
    func notHandedOver() async throws {
        let urls = (0..<400).map { "http://127.0.0.1:1/\($0).ts" }
        let count = try await signalled(urls, in: try TemporaryFolder("slow"), .badRequest)
        #expect(count < urls.count)
    }

    /// Hands URLs over to a process that answers with a status, and sends a signal at the first one.
    ///
    /// The program has to end with 130; gives the count of tasks that were handed over.
    private func signalled(
        _ urls: [String], in folder: TemporaryFolder, _ status: HTTPStatus
    ) async throws -> Int {
        let program = try Run(["download", "--quiet", "--to", folder.path] + urls)
        let holder = SlowHolder(status) { program.send(SIGINT) }
        let server = try HTTPServer.open(
            configuration: HTTPServer.Configuration(
                address: ListenAddress(file: folder.path(of: ".backcast.sock"))),
            handler: holder, logger: silentLogger)
        try program.start()
        do {
            #expect(try await program.status() == 130)
        } catch {
            program.send(SIGKILL)
            await server.stop(drain: .zero)
            throw error
        }
        await server.stop(drain: .zero)
        return holder.taskCount
    }
}

/// A process that takes its time before it refuses a task.
private final class SlowHolder: HTTPHandler {
    private let count = Mutex(0)
    private let status: HTTPStatus
    private let first: @Sendable () -> Void

    /// `first` is called when the first task comes.
    init(_ status: HTTPStatus, first: @escaping @Sendable () -> Void = {}) {
        (self.status, self.first) = (status, first)
    }

    var taskCount: Int { count.withLock { $0 } }

    func admitBody(of request: HTTPRequest) -> HTTPBodyAdmission { .upTo(1 << 20) }

    func answer(_ request: HTTPRequest) -> HTTPAnswer {
        guard request.method == .post else { return .now(HTTPResponse(status: .ok)) }
        let isFirst = count.withLock { count in
            count += 1
            return count == 1
        }
        if isFirst { first() }
        return .later { [status] in
            try? await Task.sleep(for: .milliseconds(20))
            return HTTPResponse(status: status)
        }
    }
}
