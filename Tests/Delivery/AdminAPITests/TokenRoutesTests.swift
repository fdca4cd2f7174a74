import Catalogue
import Digest
import Foundation
import HTTP
import HTTPSupport
import JSON
import TestSupport
import Testing
import Timeline

@testable import AdminAPI
@testable import Access

@Suite struct TokenRoutesTests {
    private static let path = "/api/v1/tokens"
    private static let day = "2026-07-27T05:05:16.000Z"

    private func post(_ admin: TestAdmin, _ body: String) async throws -> ReceivedResponse {
        try await admin.send(.post, Self.path, body)
    }

    /// What the token of an answer permits.
    private func grant(_ answer: ReceivedResponse) throws -> PlaybackGrant? {
        let token = try #require(try answer.string("token"))
        #expect(try answer.string("path_prefix") == "/t/\(token)")
        return TokenSigner(secrets: [TestAdmin.secret])?.grant(of: token)
    }

    @Test("A token permits what was asked for, and the answer says it")
    func created() async throws {
        try await withAdmin { admin async throws in
            try await admin.create("a")
            try await admin.create("b")
            let one = try await post(admin, #"{"channel":"a","expires_at":"\#(Self.day)"}"#)
            #expect(one.status == 201)
            let id = try #require(try one.string("id"))
            #expect(one.headers["Location"] == "\(Self.path)/\(id)")
            #expect(one.headers["Cache-Control"] == "no-store")
            let expires = TestAdmin.now + 86_400 * Microseconds.perSecond
            let a = try #require(ChannelID("a"))
            var expected = PlaybackGrant(
                id: try #require(TokenID(id)), expires: expires, channels: [a])
            #expect(try grant(one) == expected)
            #expect(
                one.text.hasSuffix(
                    #""channel":"a","created_at":"2026-07-26T05:05:16.000Z","expires_at":"\#(Self.day)","begin":null,"end":null}"#
                ))
            let all = try await post(
                admin, #"{"channel":"*","expires_at":"1785128716","begin":"20260726000000","end":null}"#)
            let whole = try #require(try grant(all))
            expected = PlaybackGrant(
                id: whole.id, expires: expires, begin: InstantReading.reading("20260726000000"))
            #expect(whole == expected && all.text.contains(#""channel":"*","#))
            let list = try await post(
                admin,
                #"{"channel":["b","a","b"],"expires_at":"\#(Self.day)","begin":"2026-07-26T06:00:00Z","end":"2026-07-26T07:00:00Z"}"#
            )
            #expect(try grant(list)?.channels.map(\.text) == ["b", "a"])
            #expect(try grant(list)?.end == InstantReading.reading("2026-07-26T07:00:00Z"))
            #expect(list.text.contains(#""channel":["b","a"],"#))
        }
    }

    @Test(
        "Everything that is wrong is named with its limit",
        arguments: [
            (#"{}"#, ["#/channel", "#/expires_at"], "is missing"),
            (#"{"channel":"A","expires_at":"E"}"#, ["#/channel"], "a channel id, an array of ids, or"),
            (#"{"channel":[],"expires_at":"E"}"#, ["#/channel"], "an array of ids"),
            (#"{"channel":["a",7],"expires_at":"E"}"#, ["#/channel"], "an array of ids"),
            (#"{"channel":["a","*"],"expires_at":"E"}"#, ["#/channel"], "an array of ids"),
            (#"{"channel":LONG,"expires_at":"E"}"#, ["#/channel"], "672"),
            (#"{"channel":"a","expires_at":"tomorrow"}"#, ["#/expires_at"], "RFC 3339"),
            (#"{"channel":"a","expires_at":1785128716}"#, ["#/expires_at"], "a string with a time"),
            (#"{"channel":"a","expires_at":null}"#, ["#/expires_at"], "a string with a time"),
            (#"{"channel":"a","expires_at":"2026-07-26T05:05:16Z"}"#, ["#/expires_at"], "later than now"),
            (#"{"channel":"a","expires_at":"2036-07-24T05:05:16Z"}"#, ["#/expires_at"], "3650 days"),
            (#"{"channel":"a","expires_at":"E","begin":"x","end":"y"}"#, ["#/begin", "#/end"], "a time"),
            (
                #"{"channel":"a","expires_at":"E","begin":"1785042316","end":"1785042316"}"#, ["#/end"],
                "later than begin"
            ),
            (#"{"channel":"a","expires_at":"E","channels":"a"}"#, ["#/channels"], "is unknown"),
            (#"[]"#, ["#"], "must be an object"),
        ])
    func faults(body: String, pointers: [String], detail: String) async throws {
        try await withAdmin { admin async throws in
            try await admin.create("a")
            let long = (0..<11).map { "\"c\($0)\(String(repeating: "x", count: 60))\"" }.joined(
                separator: ",")
            let text = body.replacing("\"E\"", with: "\"\(Self.day)\"").replacing("LONG", with: "[\(long)]")
            let answer = try await post(admin, text)
            #expect(answer.isProblem(400))
            #expect(try answer.pointers == pointers)
            #expect(try answer.string("detail")?.contains(detail) == true, "\(answer.text)")
            #expect(try await admin.send(.get, Self.path).text == #"{"items":[],"next_cursor":null}"#)
        }
    }

    @Test("An unknown channel is 404, and a deleted one still plays")
    func channels() async throws {
        try await withAdmin { admin async throws in
            try await admin.create("a")
            let answer = try await post(admin, #"{"channel":["a","none"],"expires_at":"\#(Self.day)"}"#)
            #expect(answer.isProblem(404))
            #expect(try answer.string("detail")?.contains("none") == true)
            _ = try await admin.send(.delete, "/api/v1/channels/a")
            #expect(try await post(admin, #"{"channel":"a","expires_at":"\#(Self.day)"}"#).status == 201)
        }
    }

    @Test(
        "Times without a zone are in that of the channels if all have the same, else UTC",
        arguments: [
            (#""berlin""#, "2026-07-26T05:00:00Z", "2026-10-25T00:10:00Z"),
            (#"["berlin","berlin2"]"#, "2026-07-26T05:00:00Z", "2026-10-25T00:10:00Z"),
            (#"["berlin","a"]"#, "2026-07-26T07:00:00Z", "2026-10-25T02:10:00Z"),
            (#""a""#, "2026-07-26T07:00:00Z", "2026-10-25T02:10:00Z"),
            (#""*""#, "2026-07-26T07:00:00Z", "2026-10-25T02:10:00Z"),
        ])
    func zones(channel: String, begin: String, end: String) async throws {
        try await withAdmin { admin async throws in
            try await admin.create("a")
            for id in ["berlin", "berlin2"] {
                try await admin.create(id)
                let zone = #"{"time_zone":"Europe/Berlin"}"#
                #expect(try await admin.send(.patch, "/api/v1/channels/\(id)", zone).status == 200)
            }
            let answer = try await post(
                admin,
                #"{"channel":\#(channel),"expires_at":"20270101000000Z","begin":"20260726070000","end":"20261025021000"}"#
            )
            #expect(try grant(answer)?.begin == InstantReading.reading(begin))
            #expect(try grant(answer)?.end == InstantReading.reading(end))
        }
    }

    @Test("The end of a token is after its begin, also in the hour that occurs twice")
    func repeatedHour() async throws {
        try await withAdmin { admin async throws in
            try await admin.create("berlin")
            _ = try await admin.send(
                .patch, "/api/v1/channels/berlin", #"{"time_zone":"Europe/Berlin"}"#)
            let answer = try await post(
                admin,
                #"{"channel":"berlin","expires_at":"20270101010000","begin":"20261025023000","end":"20261025021000"}"#
            )
            let made = try #require(try grant(answer))
            #expect(made.expires == InstantReading.reading("2027-01-01T00:00:00Z"))
            #expect(made.begin == InstantReading.reading("2026-10-25T00:30:00Z"))
            #expect(made.end == InstantReading.reading("2026-10-25T01:10:00Z"))
        }
    }

    @Test("A hundred thousand ids are read in time that grows with their number, equal ones count once")
    func manyIDs() throws {
        let reader = TokenReader(now: TestAdmin.now, zone: { time, _ in time.instant })
        func document(_ ids: [JSONValue]) -> JSONValue {
            ["channel": .array(ids), "expires_at": .string(Self.day)]
        }
        let begun = ContinuousClock.now
        let different = document((0..<100_000).map { .string("c\($0)") })
        #expect(throws: Problem.self) { try reader.grant(from: different, id: TokenID(number: 7)) }
        let same = document(Array(repeating: "a", count: 100_000))
        #expect(try reader.grant(from: same, id: TokenID(number: 7)).channels.map(\.text) == ["a"])
        #expect(ContinuousClock.now - begun < .seconds(30))
    }

    @Test("Without a secret no token is made, and those of before are listed and revoked")
    func openPlayback() async throws {
        try await withAdmin(secrets: []) { admin async throws in
            let id = TokenID(number: 7)
            let grant = PlaybackGrant(id: id, expires: TestAdmin.now + 1)
            _ = try await admin.catalogue.enter(IssuedToken(grant: grant, created: TestAdmin.now))
            let answer = try await post(admin, #"{"channel":"*","expires_at":"\#(Self.day)"}"#)
            #expect(answer.isProblem(409))
            #expect(try answer.string("detail")?.contains("BACKCAST_PLAYBACK_SECRET") == true)
            #expect(try await admin.send(.get, Self.path).text.contains("\(id)"))
            #expect(try await admin.send(.delete, "\(Self.path)/\(id)").status == 204)
        }
    }

    @Test("Tokens are listed in pages without their text, and are gone when they are revoked")
    func listed() async throws {
        try await withAdmin { admin async throws in
            var (ids, tokens): ([String], [String]) = ([], [])
            for _ in 0..<3 {
                let answer = try await post(admin, #"{"channel":"*","expires_at":"\#(Self.day)"}"#)
                ids.append(try #require(try answer.string("id")))
                tokens.append(try #require(try answer.string("token")))
            }
            ids.sort()
            let first = try await admin.send(.get, "\(Self.path)?limit=2")
            #expect(try first.string("next_cursor") == ids[1])
            #expect(first.headers["Link"]?.contains("cursor=\(ids[1])") == true)
            let second = try await admin.send(.get, "\(Self.path)?limit=2&cursor=\(ids[1])")
            #expect(try second.json["next_cursor"] is NSNull)
            let found = try [first, second].flatMap { page in
                try (page.json["items"] as? [[String: Any]] ?? []).compactMap { $0["id"] as? String }
            }
            #expect(found == ids)
            for token in tokens { #expect(!(first.text + second.text).contains(token)) }
            let one = "\(Self.path)/\(ids[1])"
            let read = try await admin.send(.get, one)
            #expect(read.status == 200 && read.text.contains(#""channel":"*""#))
            #expect(try await admin.send(.delete, one).status == 204)
            #expect(try await admin.send(.delete, one).isProblem(404))
            #expect(try await admin.send(.get, one).isProblem(404))
            let left = try await admin.send(.get, Self.path)
            #expect(!left.text.contains(ids[1]) && left.text.contains(ids[0]))
        }
    }

    @Test("Wrong cursors, ids, parameters, types and methods have their statuses, and nothing is open")
    func wrong() async throws {
        try await withAdmin { admin async throws in
            for query in ["cursor=x", "cursor=", "limit=0", "limit=1001", "sort=id"] {
                #expect(try await admin.send(.get, "\(Self.path)?\(query)").isProblem(400), "\(query)")
            }
            let body = #"{"channel":"*","expires_at":"\#(Self.day)"}"#
            #expect(try await admin.send(.post, "\(Self.path)?x=1", body).isProblem(400))
            #expect(
                try await admin.send(.post, Self.path, body, fields: ["Content-Type": "text/plain"])
                    .isProblem(415))
            for path in ["\(Self.path)/7", "\(Self.path)/000000000000000A"] {
                #expect(try await admin.send(.get, path).isProblem(404))
                #expect(try await admin.send(.delete, path).isProblem(404))
            }
            #expect(try await admin.send(.put, Self.path, body).isProblem(405))
            #expect(try await admin.send(.post, "\(Self.path)/0000000000000007", body).isProblem(405))
            for method in [HTTPMethod.get, .post, .delete] {
                #expect(try await admin.send(method, Self.path, hasToken: false).isProblem(401))
                let one = "\(Self.path)/0000000000000007"
                #expect(try await admin.send(method, one, hasToken: false).isProblem(401))
            }
        }
    }

    @Test("The answers have the schemas of the document, and so has a request")
    func schemas() async throws {
        let validator = SchemaValidator(
            document: try JSONReader.value(of: try OpenAPIDocument.text(version: "1.2.3")))
        try await withAdmin { admin async throws in
            try await admin.create("a")
            for channel in [#""*""#, #""a""#, #"["a"]"#] {
                let body =
                    #"{"channel":\#(channel),"expires_at":"\#(Self.day)","begin":null,"end":"1785042316"}"#
                #expect(
                    validator.findings(try JSONReader.value(of: Array(body.utf8)), as: "NewToken").isEmpty)
                let answer = try await post(admin, body)
                let made = try JSONReader.value(of: Array(answer.text.utf8))
                #expect(validator.findings(made, as: "MadeToken").isEmpty, "\(answer.text)")
            }
            let list = try await admin.send(.get, Self.path)
            let page = try JSONReader.value(of: Array(list.text.utf8))
            #expect(validator.findings(page, as: "TokenList").isEmpty)
        }
    }
}
