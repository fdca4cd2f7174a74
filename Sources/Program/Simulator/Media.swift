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
    }

    static func digest(
        _ source: Int, _ rendition: RenditionID, _ index: Int, _ condition: Condition = .whole,
    ) -> [UInt8] {
        let number = UInt64(index)
        return [UInt8(source), rendition.kind.letter.asciiValue ?? 0, UInt8(rendition.index)]
            + (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * UInt64($0))) }
            + (condition == .whole ? [] : [condition.rawValue])
    }

    static func source(_ digest: [UInt8]) -> (source: Int, index: Int) {
        let index = digest.dropFirst(3).prefix(8).enumerated().reduce(UInt64(0)) {
            $0 | UInt64($1.element) << (8 * UInt64($1.offset))
        }
        return (Int(digest.first ?? 0), Int(index))
    }

    static func condition(_ digest: [UInt8]) -> Condition {
        digest.count > 11 ? Condition(rawValue: digest[11]) ?? .garbled : .whole
    }
}
