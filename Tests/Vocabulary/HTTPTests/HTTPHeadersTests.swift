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
}
