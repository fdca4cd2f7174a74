/// A PostgreSQL type by its object identifier (`pg_type.dat`: identifiers below 10,000 never change).
package struct PostgresType: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }
}

extension PostgresType {
    static let bool = PostgresType(rawValue: 16)
    static let bytea = PostgresType(rawValue: 17)
    static let name = PostgresType(rawValue: 19)
    static let int8 = PostgresType(rawValue: 20)
    static let int2 = PostgresType(rawValue: 21)
    static let int4 = PostgresType(rawValue: 23)
    static let text = PostgresType(rawValue: 25)
    static let oid = PostgresType(rawValue: 26)
    static let json = PostgresType(rawValue: 114)
    static let float4 = PostgresType(rawValue: 700)
    static let float8 = PostgresType(rawValue: 701)
    static let unknown = PostgresType(rawValue: 705)
    static let bpchar = PostgresType(rawValue: 1042)
    static let varchar = PostgresType(rawValue: 1043)
    static let uuid = PostgresType(rawValue: 2950)
    static let jsonb = PostgresType(rawValue: 3802)

    static let boolArray = PostgresType(rawValue: 1000)
    static let byteaArray = PostgresType(rawValue: 1001)
    static let int2Array = PostgresType(rawValue: 1005)
    static let int4Array = PostgresType(rawValue: 1007)
    static let textArray = PostgresType(rawValue: 1009)
    static let int8Array = PostgresType(rawValue: 1016)
    static let float8Array = PostgresType(rawValue: 1022)

    /// Types made in the database (enumerations among them) have identifiers from here on.
    var isUserDefined: Bool { rawValue >= 16_384 }
}
