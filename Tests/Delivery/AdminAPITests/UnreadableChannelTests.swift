import HTTP
import HTTPSupport
import Postgres
import Testing
import Timeline

@testable import AdminAPI

/// Channels whose stored settings this program cannot read.
@Suite struct UnreadableChannelTests {
    private static let path = "/api/v1/channels/a"

    /// Runs a body with a channel whose settings have no sources.
    private func withUnreadable(_ body: (TestAdmin) async throws -> Void) async throws {
        try await withAdmin { admin async throws in
            try await admin.create("a")
            _ = try await admin.pool.query("UPDATE channel SET settings = settings - 'sources'")
            try await body(admin)
        }
    }

    @Test(
        "The problem names the field and says how to repair the channel",
        arguments: [("GET", ""), ("GET", "/status"), ("GET", "/timeline"), ("PATCH", "")])
    func named(method: String, part: String) async throws {
        try await withUnreadable { admin async throws in
            let body = method == "PATCH" ? #"{"title":"A"}"# : nil
            let answer = try await admin.send(HTTPMethod(rawValue: method), Self.path + part, body)
            #expect(answer.isProblem(500))
            #expect(
                try answer.string("detail") == """
                    the stored settings of channel a cannot be read: the field sources is missing; \
                    a PUT of settings repairs the channel, a DELETE removes it
                    """)
        }
    }

    @Test("PUT repairs the channel, also under a condition")
    func repaired() async throws {
        try await withUnreadable { admin async throws in
            let body = #"{"title":"New","source_url":"http://h/"}"#
            let stale: HTTPHeaders = ["If-Match": "\"1-99\""]
            #expect(try await admin.send(.put, Self.path, body, fields: stale).isProblem(412))
            let answer = try await admin.send(.put, Self.path, body, fields: ["If-Match": "*"])
            #expect(answer.status == 200)
            let read = try await admin.send(.get, Self.path)
            #expect(read.status == 200 && read.text == answer.text)
            #expect(try read.string("title") == "New")
        }
    }

    @Test("DELETE removes the channel, with its recordings or without", arguments: ["", "?purge=true"])
    func removed(query: String) async throws {
        try await withUnreadable { admin async throws in
            #expect(try await admin.send(.delete, Self.path + query).status == 204)
            #expect(try await admin.send(.get, Self.path).isProblem(404))
            #expect(try await admin.send(.put, Self.path, #"{"source_url":"http://h/"}"#).status == 201)
            #expect(try await admin.send(.get, Self.path).status == 200)
        }
    }

    @Test("A purge deletes what was recorded")
    func purged() async throws {
        try await withAdmin { admin async throws in
            try await admin.create("a")
            let channel = try await admin.record("a", minutes: 2)
            _ = try await admin.pool.query("UPDATE channel SET settings = '7'")
            #expect(try await admin.send(.delete, Self.path + "?purge=true").status == 204)
            try await admin.expectNothingHeld(of: channel)
        }
    }
}
