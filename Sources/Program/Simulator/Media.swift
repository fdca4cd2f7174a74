import Timeline

/// The bytes of a segment, as their digest: it tells which segment of which encoder they are.
enum Media {
    static func digest(
        _ source: Int, _ rendition: RenditionID, _ index: Int, isPart: Bool = false,
    ) -> [UInt8] {
        let number = UInt64(index)
        return [UInt8(source), rendition.kind.letter.asciiValue ?? 0, UInt8(rendition.index)]
            + (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * UInt64($0))) } + (isPart ? [1] : [])
    }

    static func source(_ digest: [UInt8]) -> (source: Int, index: Int) {
        let index = digest.dropFirst(3).prefix(8).enumerated().reduce(UInt64(0)) {
            $0 | UInt64($1.element) << (8 * UInt64($1.offset))
        }
        return (Int(digest.first ?? 0), Int(index))
    }

    static func isPart(_ digest: [UInt8]) -> Bool { digest.count > 11 }
}
