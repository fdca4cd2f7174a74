import HTTP
import HTTPSupport
import Testing

@testable import DownloadAPI

@Suite("Requests of other sites", .timeLimit(.minutes(30)))
struct RequestAccessTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var method = HTTPMethod.get
        var path = "/downloads"
        var headers: HTTPHeaders = [:]
        var status: Int

        var testDescription: String { "\(method.rawValue) \(path) \(headers.fields.map(\.value)): \(status)" }
    }

    @Test(
        "Requests that a page of another site could make are refused with a problem",
        arguments: [
            Case(headers: ["Host": "evil.example"], status: 421),
            Case(path: "/", headers: ["Host": "evil.example:80"], status: 421),
            Case(
                path: "/downloads/task/index.m3u8", headers: ["Host": "127.0.0.1.evil.example"], status: 421),
            Case(headers: ["Host": "127.1"], status: 421),
            Case(headers: ["Host": "0.0.0.0"], status: 421),
            Case(headers: ["Host": "192.168.1.2"], status: 421),
            Case(headers: ["Host": "localhost.evil.example"], status: 421),
            Case(headers: ["Host": "127.0.0.1:abc"], status: 421),
            Case(headers: ["Host": "127.0.0.1:80:80"], status: 421),
            Case(headers: ["Host": "localhost:+80"], status: 421),
            Case(headers: ["Host": "localhost:65536"], status: 421),
            Case(headers: ["Host": "[::1]evil.example"], status: 421),
            Case(headers: ["Host": "[::1]:x"], status: 421),
            Case(headers: ["Host": "[127.0.0.1]"], status: 421),
            Case(path: "/", headers: ["Host": "127.0.0.1:abc"], status: 421),
            Case(headers: ["Origin": "http://evil.example"], status: 403),
            Case(headers: ["Origin": "null"], status: 403),
            Case(headers: ["Host": "localhost", "Origin": "http://localhost:1"], status: 403),
            Case(headers: ["Host": "localhost", "Origin": "https://localhost"], status: 403),
            Case(path: "/downloads/events", headers: ["Origin": "http://evil.example"], status: 403),
            Case(path: "/", headers: ["Origin": "http://evil.example"], status: 403),
            Case(method: .options, headers: ["Origin": "http://evil.example"], status: 403),
            Case(method: .post, status: 403),
            Case(method: .post, headers: ["X-Backcast": "0"], status: 403),
            Case(method: .post, headers: ["X-Backcast": "1", "Origin": "http://a.example"], status: 403),
            Case(method: .post, path: "/downloads/task/pause", status: 403),
            Case(method: .post, path: "/downloads/task/resume", status: 403),
            Case(method: .post, path: "/downloads/task/cancel", status: 403),
            Case(method: .post, path: "/downloads/task/retry", status: 403),
            Case(method: .delete, path: "/downloads/task", status: 403),
            Case(method: .put, path: "/downloads/task", headers: ["X-Backcast": "1"], status: 405),
            Case(method: .options, status: 405),
            Case(path: "/downloads/task/pause", status: 405),
            Case(path: "/nothing", status: 404),
        ])
    func refused(wrong: Case) async throws {
        try await PlayFixture.run { fixture in
            let answer = try await fixture.client.send(wrong.method, wrong.path, wrong.headers)
            #expect(answer.isProblem(wrong.status), "\(answer.status) \(answer.text)")
            #expect(answer.headers["Access-Control-Allow-Origin"] == nil)
        }
    }

    @Test(
        "The own names are answered",
        arguments: [
            "localhost", "localhost:80", "127.0.0.1", "127.8.9.10:1", "[::1]", "[::1]:80", "LOCALHOST",
            "localhost:", "127.0.0.1:65535",
        ])
    func ownNames(host: String) async throws {
        try await PlayFixture.run { fixture in
            let headers: HTTPHeaders = ["Host": host, "Origin": "http://\(host)"]
            let answer = try await fixture.client.get("/downloads", headers)
            #expect(answer.status == 200)
            #expect(answer.headers["Access-Control-Allow-Origin"] == nil)
        }
    }

    @Test("The page allows no script but its own, and says what is missing without hls.js")
    func page() async throws {
        try await PlayFixture.run { fixture in
            for (path, type) in [
                ("/", "text/html"), ("/page.css", "text/css"), ("/page.js", "text/javascript"),
            ] {
                let answer = try await fixture.client.get(path)
                #expect(answer.status == 200 && answer.headers["Content-Type"]?.hasPrefix(type) == true)
                let policy = try #require(answer.headers["Content-Security-Policy"])
                #expect(policy.contains("script-src 'self'") && !policy.contains("unsafe"))
                #expect(answer.headers["X-Content-Type-Options"] == "nosniff")
                #expect(!answer.text.contains("<script>") && !answer.text.contains("onclick"))
            }
            #expect(try await fixture.client.get("/hls.js").isProblem(404))
        }
        try await PlayFixture.run(hlsScript: Array("export default 1".utf8)) { fixture in
            let script = try await fixture.client.get("/hls.js")
            #expect(script.text == "export default 1")
        }
    }
}
