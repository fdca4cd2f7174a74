/// The tags that both kinds of playlist may hold (RFC 8216bis §4.4.2).
struct CommonTagsReader: CommonTags {
    var version: Int?
    var isIndependentSegments = false
    var start: StartPoint?
    var definitions: [Definition] = []
    var allowsCache: Bool?
    var unknownLines: [String] = []

    /// Reads a tag and returns whether it was understood.
    mutating func read(
        _ tag: PlaylistTag, _ value: ArraySlice<UInt8>, _ context: inout ReadingContext
    ) throws(PlaylistError) -> Bool {
        switch tag {
        case .version:
            guard let number = ByteCursor.unsigned(value), let own = Int(exactly: number) else {
                return false
            }
            version = own
        case .independentSegments: isIndependentSegments = true
        case .start:
            guard let point = StartPoint(try context.attributes(value)) else { return false }
            start = point
        case .define: definitions.append(try context.define(try context.attributes(value)))
        case .allowCache: allowsCache = value.elementsEqual("YES".utf8)
        default: break
        }
        return true
    }
}
