/// Bytes as hexadecimal digits, two for each (RFC 4648 §8).
package enum Hexadecimal {
    /// The digits of bytes, in lower case.
    package static func encode(_ bytes: [UInt8]) -> String {
        encode(bytes[...])
    }

    /// The digits of bytes, in lower case.
    package static func encode(_ bytes: ArraySlice<UInt8>) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(2 * bytes.count)
        for byte in bytes {
            text.append(digit(byte >> 4))
            text.append(digit(byte & 15))
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The two digits of a byte, in ASCII.
    package static func digits(of byte: UInt8, uppercase: Bool = false) -> [UInt8] {
        [digit(byte >> 4, uppercase: uppercase), digit(byte & 15, uppercase: uppercase)]
    }

    /// The digit of a value below 16, in ASCII.
    package static func digit(_ value: UInt8, uppercase: Bool = false) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: uppercase ? "A" : "a") + value - 10
    }

    /// The value of a digit of either case; nil for any other character.
    package static func value(of character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): character - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
