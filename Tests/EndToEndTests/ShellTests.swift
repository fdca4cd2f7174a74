import Foundation
import HTTPSupport
import TestSupport
import Testing

@Suite("Channels from a shell", .limitedStacks)
struct ShellTests {
    /// The program with arguments, and what it printed.
    private func backcast(
        _ arguments: [String], in stack: Stack, token: String? = Stack.token
    ) async throws -> (status: Int32, lines: [String]) {
        let log = stack.folder.path(of: "shell-\(UUID().uuidString).log")
        let program = Program(
            Programs.path("backcast"), arguments, log: log,
            environment: ["BACKCAST_ADMIN_TOKEN": token ?? ""])
        let status = try await waitFor("the end of \(arguments)") { try program.exitStatus }
        return (status, program.output.split(separator: "\n").map(String.init))
    }

    private func json(_ line: String?) throws -> [String: Any] {
        let text = try #require(line)
        let object = try JSONSerialization.jsonObject(with: Data(text.utf8))
        return try #require(object as? [String: Any])
    }

    @Test("A channel is added, listed, shown, changed, watched and removed", .timeLimit(.minutes(30)))
    func channel() async throws {
        try await Stack.run(origin: ["--segment-seconds", "1"]) { stack in
            let server = ["--server", await stack.service.base]
            let source = await stack.origin.base + "/ch1/index.m3u8"
            let added = try await backcast(
                ["channel", "add", "ch1", "title=1984", "retention_seconds=7200", "--source", source]
                    + ["--header", "X-A: b: c", "--json"] + server, in: stack)
            #expect(added.status == 0)
            let document = try json(added.lines.first)
            #expect(document["title"] as? String == "1984")
            #expect(document["retention_seconds"] as? Int == 7200)
            let sources = try #require(document["sources"] as? [[String: Any]])
            #expect(sources.first?["url"] as? String == source)
            #expect(sources.first?["headers"] as? [String: String] == ["X-A": "b: c"])

            let list = try await backcast(["channel", "list"] + server, in: stack)
            #expect(list.status == 0 && list.lines.count == 2)
            #expect(list.lines.last?.split(separator: " ") == ["ch1", "yes", "2", "h", "1", "1984"])

            let changed = try await backcast(
                ["channel", "set", "ch1", "retention_seconds=null", "title=A \u{202E}b"] + server, in: stack)
            #expect(changed.status == 0)
            let shown = try await backcast(["channel", "show", "ch1"] + server, in: stack)
            #expect(shown.lines == changed.lines)
            #expect(shown.lines.contains { $0.hasPrefix("title ") && $0.hasSuffix(" A ?b") })
            #expect(shown.lines.contains { $0.split(separator: " ") == ["sources/0/url", source[...]] })

            _ = try await stack.published(3)
            try await eventually("the channel's state") {
                let status = try await backcast(["status", "--json"] + server, in: stack)
                return try json(status.lines.first)["state"] as? String == "recording"
            }
            let table = try await backcast(["status", "ch1"] + server, in: stack)
            #expect(table.lines.first?.hasPrefix("CHANNEL  STATE") == true)
            #expect(table.lines.last?.hasPrefix("ch1      recording") == true)

            let removed = try await backcast(["channel", "remove", "ch1", "--purge"] + server, in: stack)
            #expect(removed.status == 0 && removed.lines.isEmpty)
            #expect(try await backcast(["channel", "list", "--json"] + server, in: stack).lines.isEmpty)
        }
    }

    @Test("A token is made, opens playback, is listed and revoked", .timeLimit(.minutes(30)))
    func token() async throws {
        let settings = ["BACKCAST_PLAYBACK_SECRET": "a-secret-of-the-end-to-end-tests"]
        try await Stack.run(origin: ["--segment-seconds", "1"], settings: settings) { stack in
            let server = ["--server", await stack.service.base]
            try await stack.addChannel()
            _ = try await stack.published(3)
            let made = try await backcast(
                ["token", "add", "ch1", "--valid-for", "PT1H", "--json"] + server, in: stack)
            #expect(made.status == 0)
            let document = try json(made.lines.first)
            let prefix = try #require(document["path_prefix"] as? String)
            let id = try #require(document["id"] as? String)
            #expect(try await stack.service.get("/live/ch1/index.m3u8").status == 403)
            try await eventually("the live playlist") {
                try await stack.service.get(prefix + "/live/ch1/index.m3u8").status == 200
            }

            let list = try await backcast(["token", "list"] + server, in: stack)
            #expect(list.status == 0 && list.lines.count == 2)
            #expect(list.lines.last?.hasPrefix("\(id)  ch1 ") == true)
            #expect(!list.lines.joined().contains(prefix.dropFirst(3)))
            #expect(try await backcast(["token", "revoke", id] + server, in: stack).status == 0)
            try await eventually("the end of the token") {
                try await stack.service.get(prefix + "/live/ch1/index.m3u8").status == 403
            }
            let wrong: [[String]] = [
                ["token", "add", "ch1"], ["token", "add", "ch1", "--valid-for", "a while"],
                ["token", "add", "ch1", "--expires-at", "noon"],
                ["token", "add", "ch1", "--valid-for", "60", "--expires-at", "2026-12-01T00:00:00Z"],
            ]
            for arguments in wrong {
                #expect(try await backcast(arguments + server, in: stack).status == 2, "\(arguments)")
            }
            #expect(try await backcast(["token", "revoke", id] + server, in: stack).status == 1)
        }
    }

    @Test("Each kind of failure has an exit status of its own and a reason", .timeLimit(.minutes(30)))
    func failures() async throws {
        try await Stack.run(origin: ["--segment-seconds", "1"]) { stack in
            let server = ["--server", await stack.service.base]
            let cases: [(arguments: [String], status: Int32, words: String)] = [
                (["channel", "show", "none"] + server, 1, "there is no channel none"),
                (["channel", "add", "a", "titel=x", "--source", "http://h/"] + server, 1, "titel"),
                (["channel", "add", "A"] + server, 2, "A is not a channel id"),
                (["channel", "add", "a", "title"] + server, 2, "title is not of the form field=value"),
                (["channel", "add", "a", "--header", "X: y"] + server, 2, "--header needs --source"),
                (["channel", "set", "a"] + server, 2, "a field is missing"),
                (["channel", "rename"], 2, "rename"),
                (["status", "--all"], 2, "--all"),
                (["status", "--server", "ftp://h/"], 2, "--server ftp://h/"),
                (["status", "--token-file", "/nowhere"] + server, 2, "/nowhere cannot be read"),
                (["status", "--server", "http://127.0.0.1:1"], 3, "no connection"),
                (["status", "--server", await stack.origin.base], 1, "status 404"),
            ]
            for (arguments, status, words) in cases {
                let result = try await backcast(arguments, in: stack)
                #expect(result.status == status, "\(arguments): \(result.lines)")
                #expect(result.lines.joined(separator: "\n").contains(words), "\(arguments): \(result.lines)")
            }
            let wrong = try await backcast(["status"] + server, in: stack, token: "wrong")
            #expect(wrong.status == 1)
            let missing = try await backcast(["status"] + server, in: stack, token: nil)
            #expect(missing.status == 2 && missing.lines.first?.contains("admin token is missing") == true)
            try stack.folder.write(Stack.token + "\n", to: "token")
            let file = ["--token-file", stack.folder.path(of: "token")]
            let status = try await backcast(["status"] + file + server, in: stack, token: nil)
            #expect(status.status == 0 && status.lines.count == 1)
        }
    }
}
