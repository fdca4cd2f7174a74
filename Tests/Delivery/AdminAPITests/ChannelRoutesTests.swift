import HTTP
import HTTPSupport
import Postgres
import Testing

@testable import AdminAPI

@Suite struct ChannelRoutesTests {
    @Test(
        "POST creates a channel: 201 with Location, ETag and every field", arguments: TransportKind.allCases)
    func create(transport: TransportKind) async throws {
        try await withAdmin(over: transport) { admin async throws in
            let answer = try await admin.send(
                .post, "/api/v1/channels",
                #"{"id":"cctv2","title":"CCTV-2","sources":[{"url":"http://o/i.m3u8","headers":{"Cookie":"s=1"}}]}"#
            )
            #expect(answer.status == 201)
            #expect(answer.headers["Location"] == "/api/v1/channels/cctv2")
            let tag = try #require(answer.headers["ETag"])
            let read = try await admin.send(.get, "/api/v1/channels/cctv2")
            #expect(read.status == 200 && read.text == answer.text && read.headers["ETag"] == tag)
            #expect(read.text.contains(#""headers":{"Cookie":"s=1"}"#))
            #expect(try Set(read.json.keys) == Set(["id", "sources"] + ChannelField.all.map(\.name)))
        }
    }

    @Test("POST of an id that exists is 409, and nothing changes")
    func conflict() async throws {
        try await withAdmin { admin async throws in
            let first = try await admin.create("a")
            let answer = try await admin.send(
                .post, "/api/v1/channels", #"{"id":"a","source_url":"http://other/"}"#)
            #expect(answer.isProblem(409))
            #expect(try await admin.send(.get, "/api/v1/channels/a").text == first.text)
        }
    }

    @Test(
        "Bad input is refused by name, and nothing is stored",
        arguments: [
            (#"{"id":"a/b","source_url":"http://h/"}"#, "#/id"),
            (#"{"id":"..","source_url":"http://h/"}"#, "#/id"),
            (#"{"id":"Upper","source_url":"http://h/"}"#, "#/id"),
            (#"{"id":"\#(String(repeating: "a", count: 64))","source_url":"http://h/"}"#, "#/id"),
            (#"{"id":"a","source_url":"file:///etc/passwd"}"#, "#/source_url"),
            (#"{"id":"a","source_url":"rtmp://h/x"}"#, "#/source_url"),
            (#"{"id":"a","source_url":"http://169.254.169.254/latest"}"#, "#/source_url"),
            (#"{"id":"a","source_url":"http://h/","colour":"red"}"#, "#/colour"),
            (#"{"id":"a","id":"b","source_url":"http://h/"}"#, "#/id"),
        ])
    func badInput(body: String, pointer: String) async throws {
        try await withAdmin { admin async throws in
            let answer = try await admin.send(.post, "/api/v1/channels", body)
            #expect(answer.isProblem(400))
            #expect(try answer.pointers == [pointer])
            #expect(
                try await admin.send(.get, "/api/v1/channels").text == #"{"items":[],"next_cursor":null}"#)
        }
    }

    @Test("JSON of 2 MB is 413, another type of body 415, no body 400", arguments: TransportKind.allCases)
    func bodies(transport: TransportKind) async throws {
        try await withAdmin(over: transport) { admin async throws in
            let large = #"{"id":"a","title":"\#(String(repeating: "x", count: 2_000_000))"}"#
            #expect(try await admin.send(.post, "/api/v1/channels", large).isProblem(413))
            #expect(
                try await admin.send(.post, "/api/v1/channels", "{}", fields: ["Content-Type": "text/plain"])
                    .isProblem(415))
            #expect(
                try await admin.send(.post, "/api/v1/channels", fields: ["Content-Type": "application/json"])
                    .isProblem(400))
            #expect(try await admin.send(.post, "/api/v1/channels").isProblem(415))
        }
    }

    @Test(
        "A path with an invalid id: 400 for PUT, 404 for reading methods",
        arguments: TransportKind.allCases, ["A", "a%2Fb", "..", "%2e%2e", "a.b"])
    func badPath(transport: TransportKind, id: String) async throws {
        try await withAdmin(over: transport) { admin async throws in
            let body = #"{"source_url":"http://h/"}"#
            #expect(try await admin.send(.put, "/api/v1/channels/\(id)", body).isProblem(400))
            #expect(try await admin.send(.get, "/api/v1/channels/\(id)").isProblem(404))
            #expect(try await admin.send(.get, "/api/v1/channels/\(id)/status").isProblem(404))
        }
    }

    @Test("PUT creates or replaces a channel, with the same result each time")
    func put() async throws {
        try await withAdmin { admin async throws in
            let body = #"{"title":"One","source_url":"http://h/"}"#
            let created = try await admin.send(.put, "/api/v1/channels/a", body)
            #expect(created.status == 201 && created.headers["Location"] == "/api/v1/channels/a")
            let again = try await admin.send(.put, "/api/v1/channels/a", body)
            #expect(again.status == 200 && again.text == created.text)
            let bare = try await admin.send(
                .put, "/api/v1/channels/a", #"{"id":"a","source_url":"http://h/"}"#)
            #expect(try bare.string("title") == "a")
            #expect(
                try await admin.send(.put, "/api/v1/channels/a", #"{"id":"b","source_url":"http://h/"}"#)
                    .pointers == ["#/id"])
        }
    }

    @Test("A source that is not allowed any more does not keep other fields from being changed")
    func patchBesideRefusedSource() async throws {
        try await withAdmin { admin async throws in
            try await admin.create("a")
            let refused = "http://169.254.169.254/latest"
            _ = try await admin.pool.query(
                """
                UPDATE channel SET settings =
                    jsonb_set(settings, '{sources,0,url}', to_jsonb(\(refused)::text))
                """)
            func patch(_ text: String) async throws -> ReceivedResponse {
                try await admin.send(
                    .patch, "/api/v1/channels/a", text,
                    fields: ["Content-Type": "application/merge-patch+json"])
            }
            let stopped = try await patch(#"{"recording":false}"#)
            #expect(stopped.status == 200 && stopped.text.contains(#""recording":false"#))
            #expect(try await patch(#"{"source_url":"http://169.254.169.254/other"}"#).isProblem(400))
            #expect(try await patch(#"{"sources":[{"url":"http://h/"}]}"#).status == 200)
            #expect(try await patch(#"{"sources":[{"url":"http://169.254.169.254/latest"}]}"#).isProblem(400))
        }
    }

    @Test("The answer of GET can be written back with PUT")
    func readAndWrite() async throws {
        try await withAdmin { admin async throws in
            let text = try await admin.create("a").text
            #expect(try await admin.send(.put, "/api/v1/channels/a", text).text == text)
        }
    }

    @Test(
        "A change of an older version is 412, a change of the current version is accepted",
        arguments: TransportKind.allCases)
    func conditions(transport: TransportKind) async throws {
        try await withAdmin(over: transport) { admin async throws in
            let old = try #require(await admin.create("a").headers["ETag"])
            let patch = #"{"title":"Two"}"#
            let guarded: HTTPHeaders = ["If-Match": old]
            let changed = try await admin.send(.patch, "/api/v1/channels/a", patch, fields: guarded)
            #expect(changed.status == 200 && changed.headers["ETag"] != old)
            let body = #"{"source_url":"http://h/"}"#
            #expect(try await admin.send(.patch, "/api/v1/channels/a", patch, fields: guarded).isProblem(412))
            #expect(try await admin.send(.put, "/api/v1/channels/a", body, fields: guarded).isProblem(412))
            #expect(try await admin.send(.delete, "/api/v1/channels/a", fields: guarded).isProblem(412))
            #expect(
                try await admin.send(.put, "/api/v1/channels/b", body, fields: ["If-Match": "*"]).isProblem(
                    412))
            #expect(
                try await admin.send(.put, "/api/v1/channels/a", body, fields: ["If-None-Match": "*"])
                    .isProblem(412))
            #expect(
                try await admin.send(.put, "/api/v1/channels/a", body, fields: ["If-Match": "*"]).status
                    == 200)
            let tag = try #require(await admin.send(.get, "/api/v1/channels/a").headers["ETag"])
            #expect(
                try await admin.send(.get, "/api/v1/channels/a", fields: ["If-None-Match": tag]).status == 304
            )
            #expect(
                try await admin.send(.delete, "/api/v1/channels/a", fields: ["If-Match": tag]).status == 204)
        }
    }

    @Test(
        "A malformed condition is refused by name and not ignored",
        arguments: ["", "0", "\"a", "a, b"])
    func malformedConditions(value: String) async throws {
        try await withAdmin { admin async throws in
            try await admin.create("a")
            for (method, name) in [(HTTPMethod.get, "If-None-Match"), (.delete, "If-Match")] {
                let answer = try await admin.send(
                    method, "/api/v1/channels/a", fields: HTTPHeaders(dictionaryLiteral: (name, value)))
                #expect(answer.isProblem(400))
                #expect(answer.text.contains("\"header\":\"\(name)\""))
            }
        }
    }

    @Test("A merge patch changes the fields it names; null restores the default")
    func patch() async throws {
        try await withAdmin { admin async throws in
            let path = "/api/v1/channels/a"
            _ = try await admin.send(
                .put, path,
                #"{"title":"One","source_url":"http://h/","max_bytes":5,"clock":"arrival","retention_seconds":60}"#
            )
            let type: HTTPHeaders = ["Content-Type": "application/merge-patch+json; charset=utf-8"]
            let answer = try await admin.send(
                .patch, path, #"{"max_bytes":null,"clock":null,"title":"Two","recording":false}"#,
                fields: type)
            #expect(answer.status == 200)
            #expect(try answer.string("title") == "Two" && answer.string("clock") == "auto")
            #expect(answer.text.contains(#""recording":false,"retention_seconds":60,"max_bytes":null"#))
            let source = try await admin.send(.patch, path, #"{"source_url":"https://other/x"}"#)
            #expect(source.text.contains(#""sources":[{"url":"https://other/x""#))
            #expect(try await admin.send(.patch, path, #"{"id":null}"#).status == 200)
            #expect(try await admin.send(.patch, path, #"{"id":"b"}"#).pointers == ["#/id"])
            #expect(try await admin.send(.patch, path, #"{"sources":null}"#).pointers == ["#/sources"])
            #expect(try await admin.send(.patch, path, #"{"nope":1}"#).pointers == ["#/nope"])
            #expect(try await admin.send(.patch, path, "[]").pointers == ["#"])
            #expect(
                try await admin.send(
                    .patch, path, "{}", fields: ["Content-Type": "application/json-patch+json"]
                ).isProblem(415))
            #expect(try await admin.send(.patch, "/api/v1/channels/none", "{}").isProblem(404))
            #expect(
                try await admin.send(.patch, path, #"{"retention_seconds":null}"#).text.contains(
                    #""retention_seconds":null"#))
        }
    }

    @Test(
        "A patch with an unknown field is refused, also with null and within a source",
        arguments: [
            (#"{"foo":null}"#, ["#/foo"]), (#"{"title":"Two","foo":null,"bar":1}"#, ["#/bar", "#/foo"]),
            (#"{"sources":[{"url":"http://h/","foo":null}]}"#, ["#/sources/0/foo"]),
            (#"{"sources":[{"url":"http://h/","headers":{"X":null}}]}"#, ["#/sources/0/headers/X"]),
            (#"{"title":{"foo":null}}"#, ["#/title"]), (#"{"renditions":{"foo":null}}"#, ["#/renditions"]),
            (#"{"sources":{"foo":null}}"#, ["#/sources"]), (#"{"max_bytes":{"foo":null}}"#, ["#/max_bytes"]),
        ])
    func unknownNulls(patch: String, pointers: [String]) async throws {
        try await withAdmin { admin async throws in
            let created = try await admin.create("a")
            let answer = try await admin.send(.patch, "/api/v1/channels/a", patch)
            #expect(answer.isProblem(400))
            #expect(try answer.pointers.sorted() == pointers)
            let read = try await admin.send(.get, "/api/v1/channels/a")
            #expect(read.text == created.text && read.headers["ETag"] == created.headers["ETag"])
        }
    }

    @Test(
        "A request that changes nothing leaves the version, so that it can be sent again under the same condition"
    )
    func unchanged() async throws {
        try await withAdmin { admin async throws in
            let created = try await admin.create("a")
            let guarded: HTTPHeaders = ["If-Match": try #require(created.headers["ETag"])]
            for (method, body) in [
                (HTTPMethod.put, created.text), (.put, #"{"source_url":"http://origin.example/a.m3u8"}"#),
                (.patch, "{}"), (.patch, #"{"title":"a","max_bytes":null,"source_url":null}"#),
            ] {
                for _ in 1...2 {
                    let answer = try await admin.send(method, "/api/v1/channels/a", body, fields: guarded)
                    #expect(answer.status == 200 && answer.text == created.text)
                    #expect(answer.headers["ETag"] == created.headers["ETag"])
                }
            }
        }
    }

    @Test("A list is paged in order of ids; the cursor continues after the previous page")
    func paging() async throws {
        try await withAdmin { admin async throws in
            for id in ["c", "a", "e", "b", "d"] { try await admin.create(id) }
            var ids: [[String]] = []
            var target: String? = "/api/v1/channels?limit=2"
            while let next = target {
                let page = try await admin.send(.get, next)
                let items = try page.json["items"] as? [[String: Any]] ?? []
                ids.append(items.compactMap { $0["id"] as? String })
                target = try page.string("next_cursor").map { "/api/v1/channels?limit=2&cursor=\($0)" }
                #expect((page.headers["Link"] == nil) == (target == nil))
            }
            #expect(ids == [["a", "b"], ["c", "d"], ["e"]])
        }
    }

    @Test(
        "A wrong parameter is named",
        arguments: TransportKind.allCases,
        [
            ("limit=0", "limit"), ("limit=1001", "limit"), ("limit=abc", "limit"), ("limit=", "limit"),
            ("cursor=%00", "cursor"), ("cursor=", "cursor"), ("page=2", "page"), ("limit=1&limit=2", "limit"),
        ])
    func parameters(transport: TransportKind, parameter: (query: String, name: String)) async throws {
        try await withAdmin(over: transport) { admin async throws in
            let answer = try await admin.send(.get, "/api/v1/channels?\(parameter.query)")
            #expect(answer.isProblem(400))
            #expect(try answer.pointers == [parameter.name])
        }
    }
}
