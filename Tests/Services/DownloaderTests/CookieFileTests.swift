import Testing

@testable import Downloader

@Suite("Files of cookies")
struct CookieFileTests {
    private static let text = """
        # Netscape HTTP Cookie File
        .example.test\tTRUE\t/\tFALSE\t0\tsession\tabc
        #HttpOnly_www.example.test\tFALSE\t/live\tFALSE\t2000\ttoken\tdef
        .example.test\tTRUE\t/\tTRUE\t0\tsecure\tghi
        .example.test\tTRUE\t/\tFALSE\t999\told\tjkl
        broken line
        """

    @Test(
        "A cookie goes to its host, path and scheme until it has expired",
        arguments: [
            ("http://www.example.test/live/a.m3u8", "session=abc; token=def"),
            ("http://www.example.test/lively/a.m3u8", "session=abc"),
            ("https://example.test/", "session=abc; secure=ghi"), ("http://badexample.test/live", nil),
            ("http://example.test.other/live", nil),
        ])
    func field(url: String, expected: String?) throws {
        #expect(try CookieFile.field(in: Self.text, for: url, now: 1000) == expected)
    }
}
