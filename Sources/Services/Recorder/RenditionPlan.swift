import Catalogue
import HLS
import Timeline

/// Which media playlists of a multivariant playlist are recorded, under which ids.
struct RenditionPlan: Sendable {
    struct Item: Sendable {
        var description: RenditionDescription
        /// As written in the playlist; to be resolved against its URL.
        var uri: String
    }

    private(set) var items: [Item] = []

    /// Finds known renditions again by their attributes, never by URI or place alone: URIs carry session tokens, and
    /// new ones get ids that were not used before.
    init(_ playlist: MultivariantPlaylist, choice: RenditionChoice, known: [RenditionDescription]) {
        var unused = known
        var taken = Set(known.map(\.id))
        for candidate in Self.candidates(of: playlist, choice: choice).prefix(Limits.renditions) {
            var item = candidate
            if let match = Self.match(candidate.description, in: unused) {
                item.description.id = match.id
                unused.removeAll { $0.id == match.id }
            } else {
                item.description.id = Self.free(candidate.description.id.kind, taken)
                taken.insert(item.description.id)
            }
            items.append(item)
        }
        if case .named(let names) = choice { items.removeAll { !names.contains($0.description.id) } }
        items.sort { $0.description.id < $1.description.id }
    }

    // MARK: Candidates

    private static func candidates(of playlist: MultivariantPlaylist, choice: RenditionChoice) -> [Item] {
        let variants = chosen(distinct(playlist.variants), choice)
        let audio = Set(variants.compactMap(\.audioGroup))
        let subtitles = Set(variants.compactMap(\.subtitlesGroup))
        let ofVariants = variants.enumerated().map { Item(description: describe($1, $0), uri: $1.uri) }
        return ofVariants + alternatives(playlist, .audio, groups: audio)
            + alternatives(playlist, .subtitles, groups: subtitles)
    }

    /// Variants with another media playlist; equal attributes name redundant streams, of which the first is recorded.
    private static func distinct(_ variants: [VariantStream]) -> [VariantStream] {
        var uris: Set<String> = []
        var kept: [VariantStream] = []
        for variant in variants where uris.insert(variant.uri).inserted {
            let isRedundant = kept.contains {
                $0.bandwidth == variant.bandwidth && $0.resolution == variant.resolution
                    && $0.codecs == variant.codecs && $0.frameRate == variant.frameRate
                    && $0.audioGroup == variant.audioGroup && $0.stableVariantID == variant.stableVariantID
            }
            if !isRedundant { kept.append(variant) }
        }
        return kept
    }

    private static func chosen(_ variants: [VariantStream], _ choice: RenditionChoice) -> [VariantStream] {
        switch choice {
        case .all, .named: variants
        case .highest: variants.max { $0.bandwidth < $1.bandwidth }.map { [$0] } ?? []
        case .lowest: variants.min { $0.bandwidth < $1.bandwidth }.map { [$0] } ?? []
        }
    }

    private static func alternatives(
        _ playlist: MultivariantPlaylist, _ type: Rendition.MediaType, groups: Set<String>,
    ) -> [Item] {
        var uris: Set<String> = []
        let wanted = playlist.renditions.filter { $0.type == type && groups.contains($0.groupID) }
        return wanted.compactMap { rendition -> Item? in
            guard let uri = rendition.uri, uris.insert(uri).inserted else { return nil }
            return Item(description: describe(rendition, uris.count - 1), uri: uri)
        }
    }

    private static func describe(_ variant: VariantStream, _ position: Int) -> RenditionDescription {
        var description = RenditionDescription(id: RenditionID(kind: .video, index: 0), position: position)
        description.stableID = variant.stableVariantID
        description.resolution = variant.resolution.map { "\($0.width)x\($0.height)" }
        description.codecs = variant.codecs
        description.frameRate = variant.frameRate.map { "\($0)" }
        description.bandwidth = Int64(variant.bandwidth)
        description.audioGroup = variant.audioGroup
        description.subtitlesGroup = variant.subtitlesGroup
        return description
    }

    private static func describe(_ rendition: Rendition, _ position: Int) -> RenditionDescription {
        let kind: RenditionKind = rendition.type == .subtitles ? .subtitles : .audio
        var description = RenditionDescription(id: RenditionID(kind: kind, index: 0), position: position)
        description.stableID = rendition.stableRenditionID
        description.groupID = rendition.groupID
        description.name = rendition.name
        description.language = rendition.language
        description.channels = rendition.channels
        description.isDefault = rendition.isDefault
        description.autoselect = rendition.isAutoselect
        description.forced = rendition.isForced
        return description
    }

    // MARK: Matching

    private static func match(
        _ wanted: RenditionDescription, in known: [RenditionDescription],
    ) -> RenditionDescription? {
        let like = known.filter { $0.id.kind == wanted.id.kind }
        if let stable = wanted.stableID { return like.first { $0.stableID == stable } }
        let same = like.filter { alike($0, wanted) }
        return same.first { $0.bandwidth == wanted.bandwidth } ?? same.first {
            $0.position == wanted.position
        }
            ?? (same.count == 1 ? same.first : nil)
    }

    private static func alike(_ a: RenditionDescription, _ b: RenditionDescription) -> Bool {
        a.resolution == b.resolution && a.codecs == b.codecs && a.frameRate == b.frameRate
            && a.groupID == b.groupID && a.name == b.name && a.language == b.language
    }

    private static func free(_ kind: RenditionKind, _ taken: Set<RenditionID>) -> RenditionID {
        let next = (taken.filter { $0.kind == kind }.map(\.index).max() ?? -1) + 1
        return RenditionID(kind: kind, index: next)
    }
}
