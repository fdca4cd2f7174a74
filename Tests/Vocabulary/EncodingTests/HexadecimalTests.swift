import Encoding
import Testing

@Suite("Hexadecimal digits")
struct HexadecimalTests {
    @Test("Every byte has two digits, whose values are its halves")
    func everyByte() {
        for byte in UInt8.min...UInt8.max {
            for uppercase in [false, true] {
                let values = Hexadecimal.digits(of: byte, uppercase: uppercase).map(Hexadecimal.value)
                #expect(values == [byte >> 4, byte & 15])
            }
        }
    }

    @Test("Digits are in lower case unless asked for otherwise")
    func letters() {
        #expect(Hexadecimal.encode([0x00, 0x01, 0xAB, 0xFF]) == "0001abff")
        #expect(Hexadecimal.digits(of: 0xAB, uppercase: true) == Array("AB".utf8))
    }

    @Test("No other character has a value")
    func others() {
        let digits = Set("0123456789abcdefABCDEF".utf8)
        for byte in UInt8.min...UInt8.max where !digits.contains(byte) {
            #expect(Hexadecimal.value(of: byte) == nil)
        }
    }
}
