/// A value of which arrays can be read.
package protocol PostgresDecodableElement {
    /// Reads a whole array; nil when the column has another type.
    static func decode(array bytes: Span<UInt8>, of type: PostgresType) -> [Self]?
}

extension Array: PostgresDecodable where Element: PostgresDecodableElement {
    package static func decode(_ bytes: Span<UInt8>, of type: PostgresType) -> [Element]? {
        Element.decode(array: bytes, of: type)
    }
}

extension UInt8: PostgresDecodableElement {
    package static func decode(array bytes: Span<UInt8>, of type: PostgresType) -> [UInt8]? {
        guard type == .bytea else { return nil }
        return unsafe bytes.withUnsafeBufferPointer { unsafe [UInt8]($0) }
    }
}

extension PostgresDecodableElement where Self: PostgresDecodable {
    /// The layout of `array_send`, one dimension only; the header is 12 bytes, each dimension 8.
    package static func decode(array bytes: Span<UInt8>, of type: PostgresType) -> [Self]? {
        guard bytes.count >= 12 else { return nil }
        let dimensions = bytes.extracting(0..<4).bigEndianInteger
        let element = PostgresType(
            rawValue: UInt32(truncatingIfNeeded: bytes.extracting(8..<12).bigEndianInteger))
        if dimensions == 0 { return [] }
        guard dimensions == 1, bytes.count >= 20 else { return nil }
        return decode(elements: bytes.extracting(20..<bytes.count), of: element)
    }

    private static func decode(elements bytes: Span<UInt8>, of type: PostgresType) -> [Self]? {
        var result: [Self] = []
        var offset = 0
        while bytes.count - offset >= 4 {
            let length = Int(bytes.extracting(offset..<offset + 4).bigEndianInteger)
            offset += 4
            guard length <= bytes.count - offset else { return nil }
            let value = length < 0 ? null : decode(bytes.extracting(offset..<offset + length), of: type)
            guard let value else { return nil }
            result.append(value)
            offset += max(0, length)
        }
        return offset == bytes.count ? result : nil
    }
}

extension Int16: PostgresDecodableElement {}
extension Int32: PostgresDecodableElement {}
extension Int64: PostgresDecodableElement {}
extension Int: PostgresDecodableElement {}
extension Bool: PostgresDecodableElement {}
extension Double: PostgresDecodableElement {}
extension String: PostgresDecodableElement {}
extension Array: PostgresDecodableElement where Element == UInt8 {}
extension Optional: PostgresDecodableElement where Wrapped: PostgresDecodableElement & PostgresDecodable {}
