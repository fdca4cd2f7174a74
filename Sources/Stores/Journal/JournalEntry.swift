package import Timeline

/// A fact on its way to the catalogue.
package enum JournalEntry: Sendable, Equatable {
    case segment(SegmentFact)
    case keyPending(KeyPendingSegment)
    case sourceRun(SourceRun)
    case loss(Loss)
    /// A marker, or what its source has added to it.
    case marker(Marker)
    /// A rendition got its id, or other attributes: its segments must find it under the same id again.
    case rendition(RenditionDescription)
}

/// The JSON of a line: its format version, and one member that says the kind of entry and holds it.
///
/// A line without a version is of version 0, which differs in nothing else. The version goes up when an older
/// program would misread a line or lose a part that matters; fields that it may skip are just added.
extension JournalEntry: Codable {
    /// The newest version that this program reads, and the one that it writes.
    static let version = 1

    private enum CodingKeys: String, CodingKey {
        case version = "v"
        case segment, loss, marker, rendition
        case sourceRun = "feed"
        case keyPending = "key_pending"
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let version = try container.decodeIfPresent(Int.self, forKey: .version) ?? 0
        guard (0...Self.version).contains(version) else {
            throw DecodingError.dataCorruptedError(
                forKey: .version, in: container,
                debugDescription: "format version \(version); this program reads up to \(Self.version)")
        }
        if let fact = try container.decodeIfPresent(SegmentFact.self, forKey: .segment) {
            self = .segment(fact)
        } else if let fact = try container.decodeIfPresent(KeyPendingSegment.self, forKey: .keyPending) {
            self = .keyPending(fact)
        } else if let fact = try container.decodeIfPresent(SourceRun.self, forKey: .sourceRun) {
            self = .sourceRun(fact)
        } else if let description = try container.decodeIfPresent(
            RenditionDescription.self, forKey: .rendition)
        {
            self = .rendition(description)
        } else if let marker = try container.decodeIfPresent(Marker.self, forKey: .marker) {
            self = .marker(marker)
        } else {
            self = .loss(try container.decode(Loss.self, forKey: .loss))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(Self.version, forKey: .version)
        switch self {
        case .segment(let fact): try container.encode(fact, forKey: .segment)
        case .keyPending(let fact): try container.encode(fact, forKey: .keyPending)
        case .sourceRun(let fact): try container.encode(fact, forKey: .sourceRun)
        case .loss(let loss): try container.encode(loss, forKey: .loss)
        case .marker(let marker): try container.encode(marker, forKey: .marker)
        case .rendition(let description): try container.encode(description, forKey: .rendition)
        }
    }
}
