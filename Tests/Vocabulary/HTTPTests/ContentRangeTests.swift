import HTTP
import Testing

struct ContentRangeTests {
    @Test(
        "Reading and writing are inverse",
        arguments: [
            ("bytes 0-499/1234", ContentRange.part(offset: 0, length: 500, total: 1234)),
            ("bytes 734-1233/1234", .part(offset: 734, length: 500, total: 1234)),
            ("bytes 42-1233/*", .part(offset: 42, length: 1192, total: nil)),
            ("bytes */1234", .unsatisfied(total: 1234)),
            ("bytes */0", .unsatisfied(total: 0)),
        ])
    func bothWays(text: String, value: ContentRange) {
        #expect(ContentRange(reading: text) == value)
        #expect(value.fieldValue == text)
    }

    @Test(
        "An inconsistent value is refused (RFC 9110 §14.4)",
        arguments: [
            "", "bytes", "bytes ", "bytes 5-4/10", "bytes 0-10/10", "bytes */*", "bytes 0-9", "bytes 0-9/",
            "items 0-9/10",
            "bytes=0-9/10", "bytes -9/10", "bytes 0-9/1/2", "bytes 0-18446744073709551615/*",
        ])
    func malformed(text: String) {
        #expect(ContentRange(reading: text) == nil)
    }
}
