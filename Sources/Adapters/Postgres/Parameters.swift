/// The values of a statement in binary form, in sequence.
struct Parameters: Sendable {
    /// The position of each value in `bytes`; nil for NULL.
    private(set) var ranges: [Range<Int>?] = []
    private(set) var types: [PostgresType] = []
    /// The first byte is unused, so that even an empty value has an address.
    private(set) var bytes: [UInt8] = [0]

    var count: Int { types.count }

    mutating func append(_ value: some PostgresEncodable) {
        types.append(type(of: value).postgresType)
        guard !value.isNull else { return ranges.append(nil) }
        let start = bytes.count
        value.encode(into: &bytes)
        ranges.append(start..<bytes.count)
    }
}
