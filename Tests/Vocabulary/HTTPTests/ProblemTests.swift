import HTTP
import JSON
import Testing

@Suite("A problem (RFC 9457)")
struct ProblemTests {
    private func text(_ response: HTTPResponse) -> String {
        guard case .bytes(let bytes) = response.body else { return "" }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test("has the standard's members in their order, the title being the phrase of the status")
    func standard() {
        let response = Problem(.badRequest, "the Host field is missing").response()
        #expect(response.status == .badRequest)
        #expect(
            text(response)
                == #"{"type":"about:blank","title":"Bad Request","status":400,"detail":"the Host field is missing"}"#
        )
        #expect(response.headers["Content-Type"] == "application/problem+json")
        #expect(response.headers["Cache-Control"] == "no-store")
    }

    @Test(
        "escapes what a client has sent",
        arguments: [
            ("a\"b", #"a\"b"#), ("a\\b", #"a\\b"#), ("line\nline", #"line\u000aline"#),
            ("\u{0}\u{1f}\u{7f}", #"\u0000\u001f\u007f"#), ("é😀", "é😀"),
        ])
    func escaped(detail: String, written: String) {
        #expect(text(Problem(.notFound, detail).response()).hasSuffix(#""detail":"\#(written)"}"#))
    }

    @Test("has further members after those of the standard")
    func members() {
        let problem = Problem(.badRequest, "too long").with("parameter", "duration").with("max_window", 60)
        #expect(
            text(problem.response()).hasSuffix(
                #""detail":"too long","parameter":"duration","max_window":60}"#))
    }

    @Test("has the fields that its sender gives to every answer, and its own before them")
    func fields() {
        let response = Problem(.serviceUnavailable, "away").retryable(afterSeconds: 5)
            .response(["Access-Control-Allow-Origin": "*", "Retry-After": "1", "Cache-Control": "public"])
        #expect(response.headers["Access-Control-Allow-Origin"] == "*")
        #expect(response.headers.values(of: "Retry-After") == ["5"])
        #expect(response.headers.values(of: "Cache-Control") == ["no-store"])
    }
}
