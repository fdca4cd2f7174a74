import Digest
import Testing

@Suite("Hexadecimal digits")
struct HexadecimalTests {
    @Test("Every byte comes back, from digits of either case")
    func inverse() {
        let bytes = Array(UInt8.min...UInt8.max)
        let text = Hexadecimal.encode(bytes)
        #expect(text.hasPrefix("000102") && text.hasSuffix("fdfeff"))
        #expect(Hexadecimal.decode(text) == bytes)
        #expect(Hexadecimal.decode(text.uppercased()) == bytes)
    }

    @Test("Anything else is refused", arguments: ["0", "0g", "0x", " 00", "é0", "000"])
    func refusal(text: String) {
        #expect(Hexadecimal.decode(text) == nil)
    }
}
