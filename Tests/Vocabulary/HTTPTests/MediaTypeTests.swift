import Testing

@testable import HTTP

struct MediaTypeTests {
    @Test(
        "Type and subtype compare without case, parameters may be quoted",
        arguments: [
            "text/html;charset=utf-8", "Text/HTML;Charset=\"utf-8\"", "text/html; charset=\"utf-8\"",
            "text/html ;; charset=utf-8",
        ])
    func reading(text: String) {
        #expect(MediaType(reading: text) == .html)
    }

    @Test("A quoted parameter keeps separators and is unescaped")
    func quoted() throws {
        let type = try #require(MediaType(reading: "video/mp4; codecs=\"a;b, \\\"c\\\"\""))
        #expect(type["codecs"] == "a;b, \"c\"")
        #expect(type.essence == "video/mp4")
        #expect(MediaType(reading: type.fieldValue) == type)
    }

    @Test(
        "Text that is not a media type is refused",
        arguments: ["", "text", "/html", "text/", "te xt/html", "text/html/x", ";a=b"])
    func malformed(text: String) {
        #expect(MediaType(reading: text) == nil)
    }

    @Test("A malformed parameter is left out")
    func malformedParameter() {
        #expect(MediaType(reading: "text/plain; charset; =x; a=\"b; c=d")?.parameters == [])
    }

    @Test(
        "The types we send",
        arguments: [
            (MediaType.json, "application/json"), (.problemJSON, "application/problem+json"),
            (.html, "text/html; charset=utf-8"),
        ])
    func constants(type: MediaType, text: String) {
        #expect(type.fieldValue == text)
    }
}
