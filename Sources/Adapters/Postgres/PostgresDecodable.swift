/// A value that can be read from a column in the binary form of the protocol.
package protocol PostgresDecodable {
    /// Reads a value, or answers nil when a value of that type cannot be one of these.
    static func decode(_ bytes: Span<UInt8>, of type: PostgresType) -> Self?

    /// What NULL is read as; nil where there is no such thing.
    static var null: Self? { get }
}

extension PostgresDecodable {
    package static var null: Self? { nil }
}

extension Optional: PostgresDecodable where Wrapped: PostgresDecodable {
    package static func decode(_ bytes: Span<UInt8>, of type: PostgresType) -> Wrapped?? {
        guard let value = Wrapped.decode(bytes, of: type) else { return nil }
        return .some(.some(value))
    }

    package static var null: Wrapped?? { .some(.none) }
}

extension PostgresDecodable where Self: FixedWidthInteger {
    /// Any integer column is read if its value fits: the width of a column is no trap for the reader.
    package static func decode(_ bytes: Span<UInt8>, of type: PostgresType) -> Self? {
        bytes.integer(of: type).flatMap { Self(exactly: $0) }
    }
}

extension Int16: PostgresDecodable {}
extension Int32: PostgresDecodable {}
extension Int64: PostgresDecodable {}
extension Int: PostgresDecodable {}

extension Bool: PostgresDecodable {
    package static func decode(_ bytes: Span<UInt8>, of type: PostgresType) -> Bool? {
        guard type == .bool, bytes.count == 1 else { return nil }
        return bytes[0] != 0
    }
}

extension Double: PostgresDecodable {
    package static func decode(_ bytes: Span<UInt8>, of type: PostgresType) -> Double? {
        switch (type, bytes.count) {
        case (.float8, 8): Double(bitPattern: UInt64(truncatingIfNeeded: bytes.bigEndianInteger))
        case (.float4, 4): Double(Float(bitPattern: UInt32(truncatingIfNeeded: bytes.bigEndianInteger)))
        default: nil
        }
    }
}

extension Span<UInt8> {
    /// The signed integer, highest byte first, that fills the whole span of at most 8 bytes.
    var bigEndianInteger: Int64 {
        guard !isEmpty else { return 0 }
        var value = Int64(Int8(bitPattern: self[0]))
        for index in 1..<count { value = value << 8 | Int64(self[index]) }
        return value
    }

    func integer(of type: PostgresType) -> Int64? {
        switch (type, count) {
        case (.int2, 2), (.int4, 4), (.int8, 8): bigEndianInteger
        case (.oid, 4): Int64(UInt32(truncatingIfNeeded: bigEndianInteger))
        default: nil
        }
    }
}
