import Timeline

/// The bytes of a segment, as their digest: it tells which segment of which encoder they are, and in what
/// condition.
enum Media {
    enum Condition: UInt8, Sendable {
        case whole = 0
        /// The beginning of it.
        case part = 1
        /// As it came, with the key unknown.
        case encrypted = 2
        case damaged = 3
        /// What another initialization vector makes of it.
        case garbled = 4
        /// What came of it before the transfer was cut.
        case cut = 5
    }

    /// What a segment is made of.
    static let packets: Int64 = 10

    static func digest(
        _ source: Int, _ rendition: RenditionID, _ index: Int, _ condition: Condition = .whole,
    ) -> [UInt8] {
        var digest: [UInt8] = []
        digest.reserveCapacity(24)
        digest.append(UInt8(source))
        digest.append(rendition.kind.letter.asciiValue ?? 0)
        digest.append(UInt8(rendition.index))
        append(index, to: &digest)
        if condition != .whole { digest.append(condition.rawValue) }
        return digest
    }

    static func append(_ index: Int, to digest: inout [UInt8]) {
        for place in 0..<8 { digest.append(UInt8(truncatingIfNeeded: index >> (8 * place))) }
    }

    static func source(_ digest: [UInt8]) -> (source: Int, index: Int) {
        guard digest.count >= 11 else { return (0, 0) }
        let index = (0..<8).reduce(0) { $0 | Int(digest[3 + $1]) << (8 * $1) }
        return (Int(digest[0]), index)
    }

    /// How many packets of a segment a part has.
    static func packetCount(_ digest: [UInt8]) -> Int64 { digest.count > 12 ? Int64(digest[12]) : 0 }

    /// Whether bytes are all of a segment, or its beginning.
    static func begins(_ digest: [UInt8], _ source: Int, _ rendition: RenditionID, _ index: Int) -> Bool {
        digest.starts(with: Self.digest(source, rendition, index))
    }

    static func condition(_ digest: [UInt8]) -> Condition {
        digest.count > 11 ? Condition(rawValue: digest[11]) ?? .garbled : .whole
    }
}
