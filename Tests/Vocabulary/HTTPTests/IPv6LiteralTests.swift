import Testing

@testable import HTTP

@Suite("IPv6 literals")
struct IPv6LiteralTests {
    @Test(
        "The forms of RFC 4291 are addresses",
        arguments: [
            "::", "::1", "1::", "2001:db8::1", "1:2:3:4:5:6:7:8", "::ffff:127.0.0.1", "1:2:3:4:5:6:10.0.0.1",
            "fe80::ABCD",
        ])
    func valid(_ text: String) {
        #expect(IPv6Literal.isValid(text.utf8))
    }

    @Test(
        "Other combinations of colons, dots and digits are not addresses",
        arguments: [
            "", ":", ":::", "1", "1:2", "1a5:7:.", "1::2::3", "12345::", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9",
            "1:2:3:4:5:6:7::8", "::127.0.0", "127.0.0.1::", "::1.2.3.256", "g::1", ":1:2:3:4:5:6:7",
        ])
    func invalid(_ text: String) {
        #expect(!IPv6Literal.isValid(text.utf8))
    }
}
