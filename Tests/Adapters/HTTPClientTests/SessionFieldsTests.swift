import HTTP
import Testing

@testable import HTTPClient

struct SessionFieldsTests {
    private func fields(
        _ headers: HTTPHeaders, hosts: [String] = [], source: String = "http://tv.example/",
    ) throws -> SessionFields {
        try SessionFields(
            SessionOptions(
                source: source, headers: headers, headerHosts: hosts.compactMap { HeaderHost($0) }),
            source: RequestURL.reading(source))
    }

    private func url(_ host: String) throws -> RequestURL { try RequestURL.reading("http://\(host)/") }

    @Test(
        "Secrets are sent to the source's own origin, or up to https, never down to http",
        arguments: [
            ("http://h/", "http://h/x", true), ("http://h/", "http://h:80/", true),
            ("http://h/", "https://h/", true), ("http://h/", "http://h:8080/", false),
            ("http://h/", "https://h:8443/", false), ("http://h:8080/", "https://h/", false),
            ("https://h/", "http://h/", false), ("https://h/", "https://h:8443/", false),
            ("https://h/", "http://cdn.example/", false), ("https://h/", "https://cdn.example:8443/", false),
            ("https://h/", "https://cdn.example/", true), ("http://h:81/", "http://cdn.example:81/", false),
            ("https://h/", "https://edge.example:8443/", true),
            ("https://h/", "https://edge.example/", false),
            ("http://h/", "https://[2001:db8::2]:81/", true), ("http://h/", "http://[2001:db8::2]/", false),
            ("http://[2001:DB8:0:0::1]:81/", "http://[2001:db8::1]:81/", true),
            ("http://134744072/", "http://8.8.8.8/", true),
        ])
    func origins(source: String, target: String, isGiven: Bool) throws {
        let fields = try fields(
            ["Authorization": "Bearer s", "User-Agent": "tv"],
            hosts: ["cdn.example", "edge.example:8443", "[2001:db8::2]:81"], source: source)
        let lines = fields.request(to: try RequestURL.reading(target), TransferOptions(byteLimit: 1)).lines
        #expect(lines == (isGiven ? ["Authorization: Bearer s"] : []) + ["User-Agent: tv"])
    }

    @Test(
        "A session's fields are sent to its own host and the listed ones, never to others",
        arguments: [
            ("tv.example", true), ("TV.EXAMPLE", true), ("cdn.example", true), ("a.edge.example", true),
            ("edge.example", false), ("x.tv.example", false), ("other.example", false),
        ])
    func hosts(host: String, isGiven: Bool) throws {
        let fields = try fields(["Authorization": "Bearer s"], hosts: ["cdn.example", "*.edge.example"])
        let lines = fields.request(to: try url(host), TransferOptions(byteLimit: 1)).lines
        #expect(lines == (isGiven ? ["Authorization: Bearer s"] : []))
    }

    @Test(
        "What is no host with a port that exists is not read",
        arguments: ["", ":80", "h:", "h:0", "h:65536", "h:+1", "h:x", "h/:80"])
    func noHost(text: String) {
        #expect(HeaderHost(text) == nil)
    }

    @Test("Configured cookies join those of the jar, and only where the fields go")
    func cookies() throws {
        let fields = try fields(["Cookie": "a=1", "X-A": "", "cookie": "b=2"])
        let own = fields.request(to: try url("tv.example"), TransferOptions(byteLimit: 1))
        #expect(own == SessionFields.Request(lines: ["X-A;"], cookies: "a=1; b=2"))
        let other = fields.request(to: try url("other.example"), TransferOptions(byteLimit: 1))
        #expect(other == SessionFields.Request(lines: [], cookies: nil))
    }

    @Test("A range and conditions are sent to every host, and override the session's")
    func transferFields() throws {
        let fields = try fields(["If-None-Match": "old", "Range": "bytes=0-"])
        let options = TransferOptions(byteLimit: 1, range: 5..<10, headers: ["If-None-Match": "new"])
        let lines = ["If-None-Match: new", "Range: bytes=5-9"]
        #expect(fields.request(to: try url("tv.example"), options).lines == lines)
        #expect(fields.request(to: try url("other.example"), options).lines == lines)
    }

    @Test(
        "A field that would split the request is refused by name",
        arguments: [
            ("X-A", "a\r\nHost: b"), ("X-A", "a\nb"), ("X-A", "a\0b"), ("X A", "b"), ("X-A:", "b"), ("", "b"),
            ("X-Ä", "b"),
        ])
    func splitting(name: String, value: String) {
        var headers = HTTPHeaders()
        headers.append(name, value)
        #expect(throws: HTTPClientError.badHeader(name: name)) { try fields(headers) }
    }

    @Test(
        "Fields that frame the message are left out",
        arguments: ["Accept-Encoding", "TRANSFER-ENCODING", "te"])
    func framing(name: String) throws {
        var headers: HTTPHeaders = ["X-Kept": "yes"]
        headers.append(name, "gzip")
        #expect(
            try fields(headers).request(to: url("tv.example"), TransferOptions(byteLimit: 1)).lines == [
                "X-Kept: yes"
            ])
    }

    @Test("Too many bytes of header fields are an error")
    func bound() {
        let value = String(repeating: "a", count: Limits.requestHeadByteCount)
        #expect(throws: HTTPClientError.headersTooLarge(limit: Limits.requestHeadByteCount)) {
            try fields(["X-A": value])
        }
    }
}
