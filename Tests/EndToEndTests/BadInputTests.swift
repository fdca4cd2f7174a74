import Foundation
import HTTP
import HTTPSupport
import TestSupport
import Testing

@Suite("Bad input over a socket", .limitedStacks)
struct BadInputTests {
    /// A request body, the status it gets, and the word that its answer must have.
    private static let bodies: [(body: String, status: Int, word: String)] = [
        (#"{"id":"good","source_url":"ftp://host/x.m3u8"}"#, 400, "source_url"),
        (#"{"id":"a/b","source_url":"http://127.0.0.1:9/x.m3u8"}"#, 400, "id"),
        (#"{"id":"..","source_url":"http://127.0.0.1:9/x.m3u8"}"#, 400, "id"),
        (#"{"id":"CCTV","source_url":"http://127.0.0.1:9/x.m3u8"}"#, 400, "id"),
        (#"{"id":"\#(String(repeating: "a", count: 64))","source_url":"http://127.0.0.1:9/x"}"#, 400, "id"),
        (#"{"id":"good","source_url":"http://127.0.0.1:9/x.m3u8","sauce":1}"#, 400, "sauce"),
        (#"{"id":"good","title":"\#(String(repeating: "x", count: 2_000_000))"}"#, 413, ""),
    ]

    @Test("gets a clear error that names what is wrong, and stores nothing", .timeLimit(.minutes(30)))
    func refused() async throws {
        try await Stack.run(origin: ["--segment-seconds", "1"]) { stack in
            for (body, status, word) in Self.bodies {
                let answer = try await stack.admin("/channels", method: .post, body: body)
                expectProblem(answer, status, word, "\(body.prefix(100))")
            }
            #expect(try await stack.rows("SELECT count(*) FROM channel") == ["0"])
            try await checkSources(stack)
            #expect(try await stack.rows("SELECT count(*) FROM segment") == ["0"])
            try await checkWindows(stack)
        }
    }

    private func checkSources(_ stack: Stack) async throws {
        let paths = ["page": "webpage.html", "list": "iptv.m3u", "nothing": "absent", "empty": "empty"]
        for (id, path) in paths { try await stack.addChannel(id, path: "/static/" + path) }
        for id in paths.keys {
            try await eventually("words about \(id)") {
                let status = try await stack.admin("/channels/\(id)/status").json
                return status["state"] as? String == "waiting"
                    && (status["detail"] as? String)?.isEmpty == false
            }
        }
    }

    private func checkWindows(_ stack: Stack) async throws {
        try await stack.addChannel()
        try await eventually("a first segment") { try await stack.liveEdge() != nil }
        let now = Instant.now
        let queries: [(query: String, status: Int, word: String)] = [
            ("begintime=abc", 400, "begintime"),
            ("begintime=\(now)&endtime=\(now - 5_000)", 400, "endtime"),
            ("begintime=\(now - 864_000_000)&duration=864000", 400, "max_window"),
            ("begintime=\(now - 7_200_000)&duration=60", 404, "available"),
        ]
        for (query, status, word) in queries {
            let answer = try await stack.service.get("/live/ch1/index.m3u8?\(query)")
            expectProblem(answer, status, word, query)
        }
    }

    /// RFC 9457.
    private func expectProblem(_ answer: ReceivedResponse, _ status: Int, _ word: String, _ what: String) {
        #expect(answer.status == status, "\(what): \(answer.text)")
        #expect(answer.headers["Content-Type"]?.hasPrefix("application/problem+json") == true, "\(what)")
        #expect(word.isEmpty || answer.text.contains(word), "\(what): \(answer.text)")
    }
}
