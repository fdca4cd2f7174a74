/// A value that can be read from a column in the binary form of the protocol.
package protocol PostgresDecodable {
    /// Reads a value; nil when the type does not fit.
    static func decode(_ bytes: Span<UInt8>, of type: PostgresType) -> Self?

    /// The value for NULL; nil when there is none.
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
    /// Any integer column is read if its value fits, whatever its width.
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
    /// A signed integer of at most 8 bytes, most significant first, that fills the span.
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
