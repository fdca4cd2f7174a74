import Digest
import Testing

@Suite("Base64 for URLs")
struct Base64URLTests {
    @Test(
        "The examples of RFC 4648, section 10, without padding",
        arguments: [
            ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE"),
            ("foobar", "Zm9vYmFy"),
        ])
    func examples(plain: String, text: String) {
        #expect(Base64URL.encode(plain.utf8) == text)
        #expect(Base64URL.decode(text) == Array(plain.utf8))
    }

    @Test("The last two letters need no escaping")
    func alphabet() {
        #expect(Base64URL.encode([0xfb, 0xff]) == "-_8")
        #expect(Base64URL.decode("-_8") == [0xfb, 0xff])
    }

    @Test(
        "Padding, other letters, extra letters and spare bits are refused",
        arguments: ["Zg==", "+/8", "Z", "Zm9vY", "Zh", "Zm9", "Z g"])
    func refusal(text: String) {
        #expect(Base64URL.decode(text) == nil)
    }
}
