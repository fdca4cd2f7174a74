import Testing

@testable import HTTPClient

struct RequestURLTests {
    @Test(
        "A Location is resolved against the URL that sent it (RFC 3986 §5)",
        arguments: [
            ("http://a/b/c?q", "d", "http://a/b/d"), ("http://a/b/c", "/d?x=1", "http://a/d?x=1"),
            ("http://a/b/c", "../d", "http://a/d"), ("http://a/b/c", "//e/f", "http://e/f"),
            ("http://a/b/c", "https://e/f", "https://e/f"), ("http://a/b/c?q", "?r", "http://a/b/c?r"),
            ("http://a/b", "http://e/f#part", "http://e/f"), ("http://a/b", "/c d", "http://a/c%20d"),
        ])
    func resolved(base: String, location: String, expected: String) throws {
        #expect(try RequestURL.reading(base).following(location).text == expected)
    }

    @Test(
        "User info stays within its scheme, host and port",
        arguments: [
            ("/d", "http://u:p%40@a/d"), ("http://a/d", "http://u:p%40@a/d"),
            ("http://a:80/d", "http://u:p%40@a:80/d"),
            ("http://b/d", "http://b/d"), ("http://a:81/d", "http://a:81/d"), ("https://a/d", "https://a/d"),
            ("http://v@a/d", "http://v@a/d"),
        ])
    func userInfo(location: String, expected: String) throws {
        #expect(try RequestURL.reading("http://u:p%40@a/b").following(location).text == expected)
    }

    @Test(
        "Only http and https are fetched, or redirected to",
        arguments: [
            "file:///etc/passwd", "ftp://a/b", "gopher://a/", "dict://a:11211/",
            "foo://a/b",
        ])
    func schemes(text: String) throws {
        let scheme = String(text.prefix { $0 != ":" })
        let base = try RequestURL.reading("http://a/b")
        #expect(throws: TransferError.schemeRefused(scheme)) { try base.following(text) }
    }

    @Test(
        "Text that is not an absolute URL is refused and not repeated",
        arguments: [
            "", "data:text/plain,x", "a/b", "/b", "//a/b", "http://", "http://a:99999/", "http://a:x/",
            "http://a/\0b",
            "http://[::1",
        ])
    func malformed(text: String) {
        let error = #expect(throws: TransferError.self) { try RequestURL.reading(text) }
        guard case .badRequest = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test("A URL beyond the limit is refused")
    func bound() {
        let text = "http://a/" + String(repeating: "b", count: Limits.urlByteCount)
        #expect(throws: TransferError.self) { try RequestURL.reading(text) }
    }

    @Test(
        "Other notations of an IPv4 address give the same address",
        arguments: ["http://2130706433/", "http://0x7f.1/", "http://017700000001/"])
    func numericHosts(text: String) throws {
        #expect(try RequestURL.reading(text).host == "127.0.0.1")
    }
}
