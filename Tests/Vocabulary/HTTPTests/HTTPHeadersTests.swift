import HTTP
import Testing

struct HTTPHeadersTests {
    @Test("Names compare without case, values keep their order")
    func values() {
        var headers: HTTPHeaders = ["Accept": "a"]
        headers.append("ACCEPT", "b")
        #expect(headers["accept"] == "a")
        #expect(headers.values(of: "Accept") == ["a", "b"])
    }

    @Test("Setting replaces every value, nil removes them")
    func setting() {
        var headers: HTTPHeaders = ["A": "1", "a": "2", "B": "3"]
        headers["a"] = "4"
        #expect(headers.values(of: "A") == ["4"])
        headers["A"] = nil
        #expect(headers.fields.map(\.name) == ["B"])
    }

    @Test("Only letters have case")
    func caseOfMarks() {
        let headers: HTTPHeaders = ["x@y": "1"]
        #expect(headers["x`y"] == nil)
    }

    @Test(
        "A request without condition and range wants its resource as it is",
        arguments: [
            ("If-None-Match", false), ("if-range", false), ("RANGE", false), ("IF-Modified-Since", false),
            ("Host", true), ("Referer", true), ("I", true), ("Rang", true), ("Ranges", true),
        ])
    func unconditional(name: String, isUnconditional: Bool) {
        let headers: HTTPHeaders = ["Accept": "a", name: "b"]
        #expect(headers.isUnconditional == isUnconditional)
    }

    @Test("A change of a response gives up its prepared form")
    func kept() {
        var answer = HTTPResponse(status: .ok)
        for change: (inout HTTPResponse) -> Void in [
            { $0.status = .notFound }, { $0.headers["A"] = "b" }, { $0.body = .bytes([1]) },
        ] {
            answer.kept = PreparedResponseSlot()
            change(&answer)
            #expect(answer.kept == nil)
        }
    }
}
