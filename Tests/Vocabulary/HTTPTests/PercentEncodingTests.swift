import HTTP
import Testing

struct PercentEncodingTests {
    @Test(
        "Escapes become their bytes as UTF-8",
        arguments: [
            ("a%20b", "a b"), ("%C3%A4", "ä"), ("%c3%a4", "ä"), ("a+b", "a+b"), ("", ""), ("%2F", "/"),
            ("%25%32%35", "%25"),
        ])
    func decoding(text: String, expected: String) {
        #expect(PercentEncoding.decoded(text) == expected)
    }

    @Test("In a form a plus is a space, an escaped plus is a plus")
    func plus() {
        #expect(PercentEncoding.decoded("a+b%2Bc", plusIsSpace: true) == "a b+c")
    }

    @Test(
        "A broken escape or broken UTF-8 is refused",
        arguments: [
            "%", "%2", "%G0", "%0G", "a%", "%C3", "%C0%AF", "%ED%A0%80", "%FF", "%%20",
        ])
    func malformed(text: String) {
        #expect(PercentEncoding.decoded(text) == nil)
    }

    @Test(
        "A normalized path keeps the escapes of all but unreserved characters",
        arguments: [
            ("/a%2Db%2E%5f%7E%30%5A", "/a-b._~0Z"), ("/%2F%00%25%3a%C3%A4", "/%2F%00%25%3a%C3%A4"),
            ("/%2541", "/%2541"), ("/%41%4", "/%41%4"), ("/%%341", "/%%341"), ("", ""),
        ])
    func normalizing(path: String, expected: String) {
        #expect(PercentEncoding.normalized(path) == expected)
    }

    @Test(
        "Encoding keeps only unreserved characters",
        arguments: [
            ("AZaz09-._~", "AZaz09-._~"), ("a b/c?d", "a%20b%2Fc%3Fd"), ("ä+&=%", "%C3%A4%2B%26%3D%25"),
            ("\n", "%0A"),
        ])
    func encoding(text: String, expected: String) {
        #expect(PercentEncoding.encoded(text) == expected)
        #expect(PercentEncoding.decoded(expected) == text)
    }
}
