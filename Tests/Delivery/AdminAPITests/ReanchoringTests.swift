import Catalogue
import HTTP
import HTTPSupport
import Testing
import Timeline

@testable import AdminAPI

@Suite struct ReanchoringTests {
    private static let path = "/api/v1/channels/a/reanchor"
    private static let hour = 3_600 * Microseconds.perSecond

    @Test("A channel goes on at now once: the answer says where it ends and what left the timeline")
    func reanchored() async throws {
        try await withAdmin { admin async throws in
            try await admin.create("a")
            let end = try await admin.catalogue.databaseTime() + 8 * Self.hour
            _ = try await admin.record("a", minutes: 2, until: end)
            let answer = try await admin.send(.post, Self.path)
            #expect(answer.status == 200)
            #expect(answer.text == #"{"channel":"a","live_edge":null,"set_aside":20}"#)
            let status = try await admin.send(.get, "/api/v1/channels/a/status")
            #expect(status.text.contains(#""live_edge":null"#))
            #expect(try await admin.send(.post, Self.path).isProblem(409))
        }
    }

    @Test("What began before now stays, and is where the channel ends")
    func across() async throws {
        try await withAdmin { admin async throws in
            try await admin.create("a")
            let end = try await admin.catalogue.databaseTime() + 90 * Microseconds.perSecond
            _ = try await admin.record("a", minutes: 4, until: end)
            let answer = try await admin.send(.post, Self.path)
            #expect(answer.status == 200)
            let edge = try await admin.catalogue.publishedHead(of: admin.channel("a").row).watermark
            #expect(try answer.string("live_edge") == edge.rfc3339)
            let aside = try #require(answer.json["set_aside"] as? Int)
            #expect((13...15).contains(aside), "\(aside)")
            #expect(edge == end - Int64(aside) * 6 * Microseconds.perSecond)
        }
    }

    @Test(
        "A body has no fields: what one has is refused by name, and the timeline stays",
        arguments: [
            (#"{"x":1,"y":null}"#, "application/json", 400, ["#/x", "#/y"]),
            ("[]", "application/json", 400, ["#"]), ("garbage", "application/json", 400, nil),
            ("x=1", "application/x-www-form-urlencoded", 415, nil), ("{}", "application/json", 200, nil),
            ("", "application/json", 200, nil),
        ] as [(String, String, Int, [String]?)])
    func body(text: String, type: String, status: Int, pointers: [String]?) async throws {
        try await withAdmin { admin async throws in
            try await admin.create("a")
            let end = try await admin.catalogue.databaseTime() + 8 * Self.hour
            _ = try await admin.record("a", minutes: 2, until: end)
            let answer = try await admin.send(.post, Self.path, text, fields: ["Content-Type": type])
            #expect(answer.status == status)
            guard status != 200 else { return }
            #expect(answer.isProblem(status))
            let errors = try answer.json["errors"] as? [[String: Any]]
            #expect(errors?.compactMap { $0["pointer"] as? String } == pointers)
            #expect(try await admin.send(.post, Self.path).status == 200)
        }
    }

    @Test("409 when nothing lies ahead, 404 without a channel, 400 with a parameter")
    func refused() async throws {
        try await withAdmin { admin async throws in
            #expect(try await admin.send(.post, Self.path).isProblem(404))
            try await admin.create("a")
            #expect(try await admin.send(.post, Self.path).isProblem(409))
            _ = try await admin.record("a", minutes: 2)
            let conflict = try await admin.send(.post, Self.path)
            #expect(conflict.isProblem(409))
            #expect(try conflict.string("detail") == "the timeline of channel a does not lie ahead of now")
            #expect(try await admin.send(.post, Self.path + "?x=1").isProblem(400))
            _ = try await admin.send(.delete, "/api/v1/channels/a")
            #expect(try await admin.send(.post, Self.path).isProblem(404))
        }
    }
}
