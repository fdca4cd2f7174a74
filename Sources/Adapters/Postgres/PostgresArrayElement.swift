/// A value of which arrays can be bound; an array of bytes is one `bytea`, any other an array of one
/// dimension.
package protocol PostgresArrayElement: Sendable {
    /// The type of the whole array.
    static var postgresArrayType: PostgresType { get }

    /// Appends the binary form of the whole array.
    static func encode(array: [Self], into bytes: inout [UInt8])
}

extension PostgresArrayElement where Self: PostgresEncodable {
    /// The layout of `array_send` in PostgreSQL: dimensions, whether it contains NULL, element type, length
    /// and lower bound of the dimension, then each element after its length, −1 for NULL.
    package static func encode(array: [Self], into bytes: inout [UInt8]) {
        bytes.append(bigEndian: Int32(array.isEmpty ? 0 : 1))
        bytes.append(bigEndian: Int32(array.contains { $0.isNull } ? 1 : 0))
        bytes.append(bigEndian: postgresType.rawValue)
        guard !array.isEmpty else { return }
        bytes.append(bigEndian: Int32(clamping: array.count))
        bytes.append(bigEndian: Int32(1))
        for element in array { bytes.append(element: element) }
    }
}

extension [UInt8] {
    fileprivate mutating func append(element: some PostgresEncodable) {
        guard !element.isNull else { return append(bigEndian: Int32(-1)) }
        let start = count
        append(bigEndian: Int32(0))
        element.encode(into: &self)
        let length = UInt32(clamping: count - start - 4)
        for index in 0..<4 { self[start + index] = UInt8(truncatingIfNeeded: length >> (24 - 8 * index)) }
    }
}

extension Array: PostgresEncodable where Element: PostgresArrayElement {
    package static var postgresType: PostgresType { Element.postgresArrayType }

    package func encode(into bytes: inout [UInt8]) {
        Element.encode(array: self, into: &bytes)
    }
}

extension UInt8: PostgresArrayElement {
    package static var postgresArrayType: PostgresType { .bytea }

    package static func encode(array: [UInt8], into bytes: inout [UInt8]) {
        bytes.append(contentsOf: array)
    }
}

extension Array: PostgresArrayElement where Element == UInt8 {
    package static var postgresArrayType: PostgresType { .byteaArray }
}

extension Int16: PostgresArrayElement {
    package static var postgresArrayType: PostgresType { .int2Array }
}

extension Int32: PostgresArrayElement {
    package static var postgresArrayType: PostgresType { .int4Array }
}

extension Int64: PostgresArrayElement {
    package static var postgresArrayType: PostgresType { .int8Array }
}

extension Int: PostgresArrayElement {
    package static var postgresArrayType: PostgresType { .int8Array }
}

extension Bool: PostgresArrayElement {
    package static var postgresArrayType: PostgresType { .boolArray }
}

extension Double: PostgresArrayElement {
    package static var postgresArrayType: PostgresType { .float8Array }
}

extension String: PostgresArrayElement {
    package static var postgresArrayType: PostgresType { .textArray }
}

extension Optional: PostgresArrayElement where Wrapped: PostgresArrayElement & PostgresEncodable {
    package static var postgresArrayType: PostgresType { Wrapped.postgresArrayType }
}
