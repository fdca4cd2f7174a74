import HLS
import Timeline

/// What a multivariant playlist says of a rendition and is written again as it was read.
extension RenditionDescription {
    private static let ofVariants: Set<String> = [
        "VIDEO", "CLOSED-CAPTIONS", "VIDEO-RANGE", "SUPPLEMENTAL-CODECS", "REQ-VIDEO-LAYOUT",
    ]
    private static let ofAlternatives: Set<String> = [
        "ASSOC-LANGUAGE", "CHARACTERISTICS", "BIT-DEPTH", "SAMPLE-RATE",
    ]
    private static let ofMedia: Set<String> = ofAlternatives.union([
        "TYPE", "GROUP-ID", "LANGUAGE", "NAME", "DEFAULT", "AUTOSELECT", "FORCED", "INSTREAM-ID", "CHANNELS",
    ])

    /// Keeps the attributes of a variant, the alternatives in its media, and the tags that list it again.
    mutating func keepAttributes(of variant: VariantStream, in playlist: MultivariantPlaylist) {
        attributes = Self.kept(variant.attributes, Self.ofVariants)
        let again = playlist.variants.filter {
            $0.uri == variant.uri && $0.pathwayID == variant.pathwayID && !$0.hasGroups(of: variant)
        }
        let listed = [variant] + again
        let embedded = playlist.renditions.filter { rendition in
            rendition.uri == nil && listed.contains { $0.names(rendition) }
        }
        media = Self.kept(embedded.map(\.attributes), Self.ofMedia)
        repeats = Self.kept(
            again.map(\.attributes), Self.ofVariants.union(["AUDIO", "SUBTITLES"]))
    }

    /// Keeps the attributes of an alternative, and the tags by which it is in other groups.
    mutating func keepAttributes(of rendition: Rendition, others: [Rendition]) {
        attributes = Self.kept(rendition.attributes, Self.ofAlternatives)
        media = Self.kept(others.map(\.attributes), Self.ofMedia)
    }

    private static func kept(_ lists: [AttributeList], _ names: Set<String>) -> [[PlaylistAttribute]]? {
        let kept = lists.prefix(Limits.renditions).compactMap { Self.kept($0, names) }
        return kept.isEmpty ? nil : kept
    }

    private static func kept(_ list: AttributeList, _ names: Set<String>) -> [PlaylistAttribute]? {
        let kept = list.attributes.filter {
            names.contains($0.name) && $0.value.utf8.count <= Limits.attributeBytes
        }
        return kept.isEmpty ? nil : kept
    }
}

extension VariantStream {
    fileprivate func hasGroups(of other: VariantStream) -> Bool {
        audioGroup == other.audioGroup && subtitlesGroup == other.subtitlesGroup
            && closedCaptions == other.closedCaptions
    }

    /// Whether an alternative is in a group of the variant.
    fileprivate func names(_ rendition: Rendition) -> Bool {
        switch rendition.type {
        case .audio: audioGroup == rendition.groupID
        case .video: videoGroup == rendition.groupID
        case .closedCaptions: closedCaptions == .group(rendition.groupID)
        case .subtitles: false
        }
    }
}
