import HTTP
import Testing

struct URLReferenceTests {
    @Test(
        "The examples of RFC 3986 §5.4 resolve as printed, without fragments",
        arguments: [
            // §5.4.1 normal examples
            ("g:h", "g:h"), ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"),
            ("/g", "http://a/g"),
            ("//g", "http://g"), ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"),
            ("#s", "http://a/b/c/d;p?q"),
            ("g#s", "http://a/b/c/g"), ("g?y#s", "http://a/b/c/g?y"), (";x", "http://a/b/c/;x"),
            ("g;x", "http://a/b/c/g;x"),
            ("g;x?y#s", "http://a/b/c/g;x?y"), ("", "http://a/b/c/d;p?q"), (".", "http://a/b/c/"),
            ("./", "http://a/b/c/"),
            ("..", "http://a/b/"), ("../", "http://a/b/"), ("../g", "http://a/b/g"), ("../..", "http://a/"),
            ("../../", "http://a/"), ("../../g", "http://a/g"),
            // §5.4.2 abnormal examples
            ("../../../g", "http://a/g"), ("../../../../g", "http://a/g"), ("/./g", "http://a/g"),
            ("/../g", "http://a/g"),
            ("g.", "http://a/b/c/g."), (".g", "http://a/b/c/.g"), ("g..", "http://a/b/c/g.."),
            ("..g", "http://a/b/c/..g"),
            ("./../g", "http://a/b/g"), ("./g/.", "http://a/b/c/g/"), ("g/./h", "http://a/b/c/g/h"),
            ("g/../h", "http://a/b/c/h"),
            ("g;x=1/./y", "http://a/b/c/g;x=1/y"), ("g;x=1/../y", "http://a/b/c/y"),
            ("g?y/./x", "http://a/b/c/g?y/./x"),
            ("g?y/../x", "http://a/b/c/g?y/../x"), ("g#s/./x", "http://a/b/c/g"),
            ("g#s/../x", "http://a/b/c/g"),
            ("http:g", "http:g"),
        ])
    func examples(reference: String, expected: String) throws {
        let base = try URLReference(reading: "http://a/b/c/d;p?q")
        #expect(try URLReference(reading: reference).resolved(against: base).absoluteString == expected)
    }

    @Test("A base without a path resolves from the root")
    func emptyBasePath() throws {
        let base = try URLReference(reading: "http://a")
        #expect(try URLReference(reading: "g").resolved(against: base).absoluteString == "http://a/g")
    }

    @Test(
        "Illegal bytes are escaped once",
        arguments: [
            ("a b.ts", "a%20b.ts"), ("a%20b.ts", "a%20b.ts"), ("ä.ts", "%C3%A4.ts"),
            ("a|b?c|d", "a%7Cb?c%7Cd"),
            ("100%.ts", "100%25.ts"), ("a%2", "a%252"), ("a%zz", "a%25zz"), ("%", "%25"),
            ("[1]\\^`{}<>\"", "%5B1%5D%5C%5E%60%7B%7D%3C%3E%22"),
            ("a?b?c", "a?b?c"), ("  a  ", "a"), ("a%20ä", "a%20%C3%A4"),
        ])
    func escaping(text: String, expected: String) throws {
        let once = try URLReference(reading: text).absoluteString
        #expect(once == expected)
        #expect(try URLReference(reading: once).absoluteString == expected)
    }

    @Test("Control characters and texts that are too long are refused")
    func refused() {
        for text in ["a\nb", "a\rb", "\0", "a\tb", "\u{7F}"] {
            #expect(throws: HTTPURLError.controlCharacter) { try URLReference(reading: text) }
        }
        let longest = String(repeating: "a", count: Limits.urlByteCount)
        #expect(throws: Never.self) { try URLReference(reading: longest) }
        #expect(throws: HTTPURLError.tooLong) { try URLReference(reading: longest + "a") }
        #expect(throws: HTTPURLError.tooLong) {
            try URLReference(reading: String(longest.dropLast(1)) + " ä")
        }
    }
}
