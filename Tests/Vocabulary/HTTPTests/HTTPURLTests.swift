import Testing

@testable import HTTP

struct HTTPURLTests {
    @Test("A URL is parsed and normalised")
    func components() throws {
        let url = try HTTPURL("HTTPS://User:p%40ss@Example.COM:8443/a/../b c.m3u8?token=1#there")
        #expect(url.scheme == .https)
        #expect(url.userInfo == "User:p%40ss")
        #expect(url.host == "example.com")
        #expect(url.port == 8443)
        #expect(url.path == "/b%20c.m3u8")
        #expect(url.query == "token=1")
        #expect(url.origin == "https://example.com:8443")
        #expect(url.absoluteString == "https://User:p%40ss@example.com:8443/b%20c.m3u8?token=1")
        #expect(url.identity == "https://example.com:8443/b%20c.m3u8?…")
    }

    @Test(
        "Equal URLs have equal texts",
        arguments: [
            ("http://a", "http://a/"), ("http://A:80/x", "http://a/x"), ("https://a:443", "https://a/"),
            ("http://a:/x", "http://a/x"),
            ("http://a?q", "http://a/?q"), ("http://[2001:DB8::1]:80/x", "http://[2001:db8::1]/x"),
            ("https://a:80/", "https://a:80/"),
            ("http://127.0.0.1:8080/x", "http://127.0.0.1:8080/x"), ("http://a_b.c-d/x", "http://a_b.c-d/x"),
        ])
    func normalised(text: String, expected: String) throws {
        #expect(try HTTPURL(text).absoluteString == expected)
    }

    @Test("Texts for logs do not show user information or query")
    func secrets() throws {
        let url = try HTTPURL("http://me:secret@a/b.m3u8?token=secret")
        var dumped = ""
        dump(url, to: &dumped)
        for text in ["\(url)", String(reflecting: url), dumped, "\([url])"] {
            #expect(!text.contains("secret"))
            #expect(text.contains("http://a/b.m3u8?…"))
        }
    }

    @Test(
        "Texts for logs do not show what may be secret in a path",
        arguments: [
            ("http://a/live/me/secret/17.m3u8", "http://a/live/…/…/17.m3u8"),
            ("http://a/me/secret/17", "http://a/…/…/17"), ("http://a/me/secret/17.ts", "http://a/…/…/17.ts"),
            (
                "http://a/timeshift/me/secret/60/2026-11-22:20-15/17.ts",
                "http://a/timeshift/…/…/60/2026-11-22:20-15/17.ts"
            ),
            ("http://a/t/secretsecretsecretsecret/live/news/index.m3u8", "http://a/t/…/live/news/index.m3u8"),
            ("http://a/live/news/index.m3u8", "http://a/live/news/index.m3u8"),
            ("http://a/hls/17.ts", "http://a/hls/17.ts"), ("http://a/17", "http://a/17"),
            ("http://a/", "http://a/"), ("http://a/live/news/v0/", "http://a/live/news/v0/"),
        ])
    func secretPaths(text: String, shown: String) throws {
        #expect(try "\(HTTPURL(text))" == shown)
    }

    @Test(
        "A URL that cannot be fetched is refused with a reason",
        arguments: [
            ("ftp://a/b", .notHTTP(scheme: "ftp")), ("a/b", .notHTTP(scheme: nil)),
            ("//a/b", .notHTTP(scheme: nil)),
            ("file:///etc/passwd", .notHTTP(scheme: "file")), ("http:g", .missingHost),
            ("http:///x", .missingHost),
            ("http://:80/x", .missingHost), ("http://user@/x", .missingHost), ("http://a b/", .invalidHost),
            ("http://ä/", .invalidHost), ("http://a%2eb/", .invalidHost), ("http://a\\b/", .invalidHost),
            ("http://[::1/", .invalidHost), ("http://[fe80::1%25eth0]/", .invalidHost),
            ("http://[x]/", .invalidHost),
            ("http://[::1]x/", .invalidHost), ("http://a:0/", .invalidPort),
            ("http://a:65536/", .invalidPort),
            ("http://a:8o/", .invalidPort), ("http://a:99999999999999999999999/", .invalidPort),
            ("http://a@b@c/", .ambiguousUserInfo), ("http://a/\n", .controlCharacter),
        ] as [(String, HTTPURLError)])
    func refused(text: String, reason: HTTPURLError) {
        #expect(throws: reason) { try HTTPURL(text) }
    }

    @Test(
        "References of a playlist resolve against its URL",
        arguments: [
            ("seg 1.ts", "https://cdn.example/live/seg%201.ts"),
            ("//other.example/x.ts", "https://other.example/x.ts"),
            ("/root.ts?a=b", "https://cdn.example/root.ts?a=b"),
            ("http://Else.example", "http://else.example/"),
            ("../../x.ts", "https://cdn.example/x.ts"), ("?y=z", "https://cdn.example/live/list.m3u8?y=z"),
            ("a:80/b", nil), ("data:text/plain,x", nil),
        ])
    func resolving(reference: String, expected: String?) throws {
        let base = try HTTPURL("https://cdn.example/live/list.m3u8?session=1")
        #expect((try? base.resolving(reference))?.absoluteString == expected)
    }

    @Test("User information stays with its authority")
    func userInfo() throws {
        let base = try HTTPURL("https://me:pw@a/x/y")
        #expect(try base.resolving("z").absoluteString == "https://me:pw@a/x/z")
        #expect(try base.resolving("//a/z").userInfo == nil)
    }

    @Test("A query is inherited only on request and where the reference has none")
    func inheritedQuery() throws {
        let base = try HTTPURL("https://a/x?session=1")
        #expect(try base.resolving("y").query == nil)
        #expect(try base.resolving("y", inheritingQuery: true).query == "session=1")
        #expect(try base.resolving("y?z", inheritingQuery: true).query == "z")
    }

    @Test("An error does not repeat the URL")
    func errorText() {
        for text in ["http://secret:secret@/x", "secret", "http://a:secret/"] {
            do {
                _ = try HTTPURL(text)
                Issue.record("\(text) was taken")
            } catch { #expect(!"\(error)".contains("secret")) }
        }
    }
}
