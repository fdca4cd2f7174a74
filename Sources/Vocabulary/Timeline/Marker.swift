/// A range of a channel's time with a meaning, such as a break for advertising, as its source states it
/// (EXT-X-DATERANGE).
///
/// A journal line holds all of it. It says what is known so far: the source may add attributes later, and
/// never changes one.
package struct Marker: Sendable, Equatable, Codable {
    /// The source's ID, which together with `sourceStart` identifies the marker.
    package var id: String
    /// START-DATE as the source says it, uncorrected.
    package var sourceStart: Instant
    /// The same on the timeline of the recording.
    package var begin: Instant
    /// CLASS.
    package var classID: String?
    /// Microseconds, of END-DATE or DURATION; nil if neither is known.
    package var length: Int64?
    /// Microseconds, of PLANNED-DURATION.
    package var plannedLength: Int64?
    /// Whether it lasts until the next marker of its class begins (END-ON-NEXT).
    package var endsOnNext: Bool
    /// All other attributes, in their order; END-DATE is among them with the source's date.
    package var attributes: [PlaylistAttribute]

    package init(
        id: String, sourceStart: Instant, begin: Instant, classID: String? = nil, length: Int64? = nil,
        plannedLength: Int64? = nil, endsOnNext: Bool = false, attributes: [PlaylistAttribute] = [],
    ) {
        self.id = id
        self.sourceStart = sourceStart
        self.begin = begin
        self.classID = classID
        self.length = length
        self.plannedLength = plannedLength
        self.endsOnNext = endsOnNext
        self.attributes = attributes
    }

    /// Two markers of one id are the same if their dates at the source differ by at most so much,
    /// microseconds: renditions may state the dates of their own segments.
    package static let sourceTolerance: Int64 = 1_000_000

    private enum CodingKeys: String, CodingKey {
        case id, begin, length, attributes
        case sourceStart = "source_start"
        case classID = "class"
        case plannedLength = "planned_length"
        case endsOnNext = "ends_on_next"
    }

    package init(from decoder: any Decoder) throws {
        let stored = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            id: try stored.read(.id), sourceStart: try stored.read(.sourceStart),
            begin: try stored.read(.begin), classID: try stored.readIfPresent(.classID),
            length: try stored.readIfPresent(.length),
            plannedLength: try stored.readIfPresent(.plannedLength),
            endsOnNext: try stored.read(.endsOnNext, default: false),
            attributes: try stored.read(.attributes, default: []))
    }
}
