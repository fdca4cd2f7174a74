/// A value that a statement can bind, in the binary form of the protocol.
package protocol PostgresEncodable: Sendable {
    /// The type that is declared to the server.
    static var postgresType: PostgresType { get }

    /// Whether the value is NULL, which is not encoded.
    var isNull: Bool { get }

    /// Appends the binary form.
    func encode(into bytes: inout [UInt8])
}

extension PostgresEncodable {
    package var isNull: Bool { false }
}

extension PostgresEncodable where Self: FixedWidthInteger {
    package func encode(into bytes: inout [UInt8]) {
        bytes.append(bigEndian: self)
    }
}

extension Int16: PostgresEncodable {
    package static var postgresType: PostgresType { .int2 }
}

extension Int32: PostgresEncodable {
    package static var postgresType: PostgresType { .int4 }
}

extension Int64: PostgresEncodable {
    package static var postgresType: PostgresType { .int8 }
}

extension Int: PostgresEncodable {
    package static var postgresType: PostgresType { .int8 }
}

extension Bool: PostgresEncodable {
    package static var postgresType: PostgresType { .bool }

    package func encode(into bytes: inout [UInt8]) {
        bytes.append(self ? 1 : 0)
    }
}

extension Double: PostgresEncodable {
    package static var postgresType: PostgresType { .float8 }

    package func encode(into bytes: inout [UInt8]) {
        bytes.append(bigEndian: bitPattern)
    }
}

extension String: PostgresEncodable {
    package static var postgresType: PostgresType { .text }

    package func encode(into bytes: inout [UInt8]) {
        bytes.append(contentsOf: utf8)
    }
}

extension Optional: PostgresEncodable where Wrapped: PostgresEncodable {
    package static var postgresType: PostgresType { Wrapped.postgresType }

    package var isNull: Bool { self?.isNull ?? true }

    package func encode(into bytes: inout [UInt8]) {
        self?.encode(into: &bytes)
    }
}

extension [UInt8] {
    /// Appends an integer, most significant byte first.
    mutating func append(bigEndian value: some FixedWidthInteger) {
        for shift in stride(from: value.bitWidth - 8, through: 0, by: -8) {
            append(UInt8(truncatingIfNeeded: value >> shift))
        }
    }
}
