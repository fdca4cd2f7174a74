/// The values of a statement in binary form, one behind the other.
struct Parameters: Sendable {
    /// Where a value lies in `bytes`; nil for NULL.
    private(set) var places: [Range<Int>?] = []
    private(set) var types: [PostgresType] = []
    /// The first byte belongs to no value: so a value always has an address, also an empty one.
    private(set) var bytes: [UInt8] = [0]

    var count: Int { types.count }

    mutating func append(_ value: some PostgresEncodable) {
        types.append(type(of: value).postgresType)
        guard !value.isNull else { return places.append(nil) }
        let start = bytes.count
        value.encode(into: &bytes)
        places.append(start..<bytes.count)
    }
}
