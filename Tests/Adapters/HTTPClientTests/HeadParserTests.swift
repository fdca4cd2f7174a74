import HTTP
import Testing

@testable import HTTPClient

struct HeadParserTests {
    private func answers(_ lines: [String]) -> [HeadParser.Answer] {
        var parser = HeadParser()
        return lines.map { parser.read(Array(($0 + "\r\n").utf8)) }
    }

    private func head(_ lines: [String]) throws -> ResponseHead {
        guard case .complete(let head) = answers(lines + [""]).last else {
            throw TransferError.protocolError("none")
        }
        return head
    }

    @Test(
        "A status line gives its code, with or without a reason",
        arguments: [
            ("HTTP/1.1 200 OK", 200), ("HTTP/1.0 404 Not Found", 404), ("HTTP/2 206 ", 206),
            ("HTTP/2 503", 503), ("HTTP/1.1 200\tOK", 200), ("HTTP/1.1 404Gone", 404),
        ])
    func status(line: String, code: Int) throws {
        #expect(try head([line]).status.rawValue == code)
    }

    @Test("Fields keep their order, lose the white space around their values, and may hold colons")
    func fields() throws {
        let headers = try head(["HTTP/1.1 200 OK", "A:  1 ", "b: http://x:1/", "a: 2", "Empty:"]).headers
        #expect(headers.values(of: "A") == ["1", "2"])
        #expect(headers["B"] == "http://x:1/")
        #expect(headers["empty"] == "")
    }

    @Test("An interim response is not the answer (RFC 9110 §15.2)")
    func interim() throws {
        let lines = ["HTTP/1.1 103 Early Hints", "Link: a", "", "HTTP/1.1 200 OK", "B: 2"]
        let head = try head(lines)
        #expect(head.status == .ok)
        #expect(head.headers == ["B": "2"])
    }

    @Test("Trailers are not a second head")
    func trailers() {
        #expect(answers(["HTTP/1.1 200 OK", "", "Digest: x", ""]).suffix(2) == [.more, .more])
    }

    @Test("A head without end is cut at the limit")
    func bound() {
        let line = "X: " + String(repeating: "a", count: 1019)
        let answers = answers(["HTTP/1.1 200 OK"] + Array(repeating: line, count: 64))
        #expect(answers.last == .tooLarge)
        #expect(answers.prefix(60).allSatisfy { $0 == .more })
    }

    @Test(
        "Only a redirect with a Location is followed",
        arguments: [
            (301, "/b", "/b"), (302, "/b", "/b"), (303, "/b", "/b"), (307, "/b", "/b"), (308, "/b", "/b"),
            (300, "/b", nil), (304, "/b", nil), (200, "/b", nil), (201, "/b", nil), (302, "", nil),
            (302, nil, nil),
        ])
    func redirects(code: Int, location: String?, expected: String?) {
        var head = ResponseHead(status: HTTPStatus(rawValue: code))
        head.headers["Location"] = location
        #expect(head.redirectLocation == expected)
    }
}
