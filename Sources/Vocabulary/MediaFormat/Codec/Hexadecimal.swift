/// Bytes as two hexadecimal digits in lower case.
enum Hexadecimal {
    static func text(_ byte: UInt8) -> String {
        (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
}
