import ArgumentParser
import Foundation
import HTTP
import HTTPServer
import HTTPSupport
import JSON
import Synchronization
import Testing

@testable import Backcast

@Suite("Commands of the admin interface", .timeLimit(.minutes(30)))
struct AdminCommandTests {
    @Test(
        "Fields are JSON where they can be; titles and groups are texts",
        arguments: [
            ("group=24", JSONValue.string("24")), ("group=null", .null), ("title=1984", .string("1984")),
            ("title=null", .string("null")), ("max_bytes=5", .integer(5)), ("recording=false", .bool(false)),
            ("clock=source", .string("source")), ("logo=null", .null),
        ])
    func fields(text: String, value: JSONValue) throws {
        let command = try BackcastMain.parseAsRoot(["channel", "set", "news", text])
        let members = try #require(command as? ChannelCommand.Set).fields.members()
        #expect(members.map(\.value) == [value])
    }

    @Test(
        "Without --server it is the address that the environment gives the admin interface",
        arguments: [
            ([:], "http://127.0.0.1:8080"), (["BACKCAST_ADMIN_LISTEN": ""], "http://127.0.0.1:8080"),
            (["BACKCAST_LISTEN": "127.0.0.1:9000"], "http://127.0.0.1:9000"),
            (["BACKCAST_LISTEN": ":80", "BACKCAST_ADMIN_LISTEN": "10.0.0.1:8081"], "http://10.0.0.1:8081"),
            (["BACKCAST_ADMIN_LISTEN": "0.0.0.0:8081"], "http://127.0.0.1:8081"),
            (["BACKCAST_ADMIN_LISTEN": "[::]:8081"], "http://[::1]:8081"),
        ] as [([String: String], String)])
    func ownServer(environment: [String: String], address: String) throws {
        #expect(try AdminFlags.parse([]).address(environment: environment) == address)
        let flags = try AdminFlags.parse(["--server", "http://tv.example:81/"])
        #expect(try flags.address(environment: environment) == "http://tv.example:81")
    }

    @Test("An unreadable address of the admin interface is a wrong argument, unless --server is given")
    func unreadableServer() throws {
        let environment = ["BACKCAST_ADMIN_LISTEN": "8081"]
        #expect {
            try AdminFlags.parse([]).address(environment: environment)
        } throws: { error in
            guard case .arguments(let reason) = error as? AdminFailure else { return false }
            return reason.hasPrefix("BACKCAST_ADMIN_LISTEN: ")
        }
        let flags = try AdminFlags.parse(["--server", "http://[::1]:8081"])
        #expect(try flags.address(environment: environment) == "http://[::1]:8081")
    }

    @Test("The status of all channels leaves out one that is removed meanwhile")
    func removed() async throws {
        let handler = FunctionHandler { request in
            let text: String
            switch request.path {
            case "/api/v1/channels": text = #"{"items":[{"id":"gone"},{"id":"news"}],"next_cursor":null}"#
            case "/api/v1/channels/news/status": text = #"{"channel":"news","state":"recording"}"#
            default: return nil
            }
            return .now(HTTPResponse(status: .ok, body: .bytes(Array(text.utf8))))
        }
        try await withHTTPServer(handler) { server in
            let flags = ["--json", "--server", "http://127.0.0.1:\(server.port)"]
            let environment = ["BACKCAST_ADMIN_TOKEN": "a-token-of-this-test-0001"]
            let cases: [([String], Int32, [String])] = [
                ([], 0, ["news"]), (["gone"], 1, []), (["gone", "news", "gone"], 1, ["news"]),
            ]
            for (ids, status, channels) in cases {
                let run = try DownloadCommandTests.Run(["status"] + ids + flags, environment: environment)
                try run.start()
                #expect(try await run.status() == status)
                let shown = try run.lines.map { try JSONReader.value(of: Array($0.utf8))["channel"]?.text }
                #expect(shown == channels)
            }
        }
    }

    @Test("A count that no node reports is a dash, and one of any size is shown")
    func counts() async throws {
        let statuses = [
            "null": #"{"channel":"null","renditions":[{"id":"v0","stored":null,"lost":null}]}"#,
            "some": #"{"channel":"some","renditions":[{"stored":7,"lost":{"x":2}},{"stored":1,"lost":{}}]}"#,
            "huge": #"{"channel":"huge","renditions":[{"id":"v0","stored":1e300,"lost":{"x":-1e300}}]}"#,
        ]
        let handler = FunctionHandler { request in
            statuses[request.path.split(separator: "/").dropLast().last.map(String.init) ?? ""].map {
                .now(HTTPResponse(status: .ok, body: .bytes(Array($0.utf8))))
            }
        }
        try await withHTTPServer(handler) { server in
            let run = try DownloadCommandTests.Run(
                ["status", "null", "some", "huge", "--server", "http://127.0.0.1:\(server.port)"],
                environment: ["BACKCAST_ADMIN_TOKEN": "a-token-of-this-test-0001"])
            try run.start()
            #expect(try await run.status() == 0)
            let rows = try run.lines.map { $0.split(separator: " ").map(String.init) }
            let heading = try #require(rows.first)
            #expect(heading.contains("STORED") && rows.count == 4)
            let counts = rows.dropFirst().map { Array($0.suffix(4).prefix(2)) }
            #expect(counts == [["-", "-"], ["8", "2"], ["1e+300", "-1e+300"]])
        }
    }

    @Test("A list that is longer than a command shows is refused, and one that goes on without items ends")
    func longLists() async throws {
        let page = String(repeating: "{},", count: 24_999) + "{}"
        let handler = FunctionHandler { request in
            let items = request.path.hasPrefix("/long") ? page : (request.query ?? "").isEmpty ? "{}" : ""
            let text = #"{"items":[\#(items)],"next_cursor":"more"}"#
            return .now(HTTPResponse(status: .ok, body: .bytes(Array(text.utf8))))
        }
        try await withHTTPServer(handler) { server in
            for (path, status, lines) in [("/long", 1, 0), ("", 0, 1)] as [(String, Int32, Int)] {
                let run = try DownloadCommandTests.Run(
                    ["token", "list", "--json", "--server", "http://127.0.0.1:\(server.port)\(path)"],
                    environment: ["BACKCAST_ADMIN_TOKEN": "a-token-of-this-test-0001"])
                try run.start()
                #expect(try await run.status() == status)
                #expect(try run.lines.count == lines)
                let errors = try run.errors
                #expect(errors.contains("the list has more than 100000 items") == (status == 1))
            }
        }
    }

    @Test("The times of a token are sent as they are given; what is none is a wrong argument")
    func tokenTimes() throws {
        func members(_ begin: String) throws -> [JSONValue] {
            let command = try BackcastMain.parseAsRoot(
                ["token", "add", "news", "--expires-at", "20270101000000", "--begin", begin])
            return try #require(command as? TokenCommand.Add).members().map(\.value)
        }
        #expect(try members("20260726070000") == ["news", "20270101000000", "20260726070000"])
        #expect(throws: AdminFailure.self) { try members("tomorrow") }
    }

    @Test("Tokens are revoked also behind one that is not there, and each refusal names its token")
    func revoke() async throws {
        let revoked = Mutex<[String]>([])
        let handler = FunctionHandler { request in
            let id = request.path.split(separator: "/").last.map(String.init) ?? ""
            revoked.withLock { $0.append(id) }
            return .now(HTTPResponse(status: id.hasPrefix("gone") ? .notFound : .noContent))
        }
        try await withHTTPServer(handler) { server in
            let flags = ["--server", "http://127.0.0.1:\(server.port)"]
            let ids = ["gone1", "a", "gone2", "b"]
            let run = try DownloadCommandTests.Run(
                ["token", "revoke"] + ids + flags,
                environment: ["BACKCAST_ADMIN_TOKEN": "a-token-of-this-test-0001"])
            try run.start()
            #expect(try await run.status() == 1)
            #expect(revoked.withLock { $0 } == ids)
            let errors = try run.errors
            #expect(errors.contains("gone1") && errors.contains("gone2"))
        }
    }

    @Test(
        "A server that cannot be reached ends the command at the first id",
        arguments: [["status"], ["token", "revoke"]])
    func unreachable(command: [String]) async throws {
        let run = try DownloadCommandTests.Run(
            command + ["a", "b", "c", "--server", "http://127.0.0.1:1"],
            environment: ["BACKCAST_ADMIN_TOKEN": "a-token-of-this-test-0001"])
        try run.start()
        #expect(try await run.status() == 3)
        let errors = try run.errors.split(separator: "\n")
        #expect(errors.count == 1 && errors.first?.hasPrefix("Error: a: ") ?? false, "\(errors)")
    }

    @Test("An output that cannot be written is a failure", arguments: [["--json"], []])
    func unwritable(form: [String]) async throws {
        let handler = FunctionHandler { _ in
            .now(HTTPResponse(status: .ok, body: .bytes(Array(#"{"items":[{"id":"1"}]}"#.utf8))))
        }
        try await withHTTPServer(handler) { server in
            let run = try DownloadCommandTests.Run(
                ["token", "list", "--server", "http://127.0.0.1:\(server.port)"] + form,
                environment: ["BACKCAST_ADMIN_TOKEN": "a-token-of-this-test-0001"],
                output: FileHandle(forWritingAtPath: "/dev/full"))
            try run.start()
            #expect(try await run.status() == 1)
            let errors = try run.errors
            #expect(errors.contains("the output cannot be written"))
        }
    }
}
