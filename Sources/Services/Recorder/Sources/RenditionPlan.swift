import Catalogue
import HLS
import Timeline

/// Which media playlists of a multivariant playlist are recorded, under which ids.
struct RenditionPlan: Sendable {
    struct Item: Sendable {
        var description: RenditionDescription
        /// As written in the playlist; to be resolved against its URL.
        var uri: String
        /// Redundant streams of the same media, which are tried when that one fails.
        var fallbacks: [String] = []
    }

    private(set) var items: [Item] = []
    /// How many are not recorded because there are too many.
    private(set) var leftOutCount = 0
    /// What a status says of them; nil if there are none.
    var leftOut: String? {
        leftOutCount > 0
            ? "renditions: more than \(Limits.renditions), the others are not recorded" : nil
    }

    /// Finds known renditions again by their attributes; new ones get ids that were not used before.
    ///
    /// Those of `recorded` were recorded last, nil stands for all: they go on also where their attributes
    /// have changed.
    init(
        _ playlist: MultivariantPlaylist, choice: RenditionChoice, known: [RenditionDescription],
        recorded: Set<RenditionID>? = nil,
    ) {
        items = Array(Self.candidates(of: playlist, choice: choice).prefix(Limits.namedRenditions))
        name(known, recorded: recorded ?? Set(known.map(\.id)))
        if case .named(let names) = choice { items.removeAll { !names.contains($0.description.id) } }
        leaveOut(known)
        items.sort { $0.description.id < $1.description.id }
    }

    // MARK: Names

    private mutating func name(_ known: [RenditionDescription], recorded: Set<RenditionID>) {
        let matching = RenditionMatching(items.map(\.description), known: known, recorded: recorded)
        for (index, id) in matching.ids.enumerated() {
            if let id { items[index].description.id = id }
        }
        nameNew(
            matching.ids.indices.filter { matching.ids[$0] == nil }, taken: Set(known.map(\.id)))
    }

    /// Items for which no name is left are not recorded.
    private mutating func nameNew(_ unnamed: [Int], taken: Set<RenditionID>) {
        var taken = taken
        var nameless: Set<Int> = []
        for index in unnamed {
            let id = Self.free(items[index].description.id.kind, taken)
            items[index].description.id = id
            if !taken.insert(id).inserted { nameless.insert(index) }
        }
        items = items.indices.filter { !nameless.contains($0) }.map { items[$0] }
    }

    /// Leaves out what exceeds the limit: what is known already stays, and the first one of another kind.
    private mutating func leaveOut(_ known: [RenditionDescription]) {
        guard items.count > Limits.renditions else { return }
        leftOutCount = items.count - Limits.renditions
        let known = Set(known.map(\.id))
        var kinds = Set(items.map(\.description.id).filter(known.contains).map(\.kind))
        var ranked: [[Item]] = [[], [], []]
        for item in items {
            let isFirst = kinds.insert(item.description.id.kind).inserted
            ranked[isFirst ? 0 : known.contains(item.description.id) ? 1 : 2].append(item)
        }
        items = Array(ranked.joined().prefix(Limits.renditions))
    }

    // MARK: Candidates

    private static func candidates(of playlist: MultivariantPlaylist, choice: RenditionChoice) -> [Item] {
        let streams = RedundantStreams.of(playlist.variants)
        let variants = chosen(streams.map(\.variant), choice)
        let uris = Set(variants.map(\.uri))
        let pathway = playlist.variants.first?.pathwayID
        let all = playlist.variants.filter { uris.contains($0.uri) && $0.pathwayID == pathway }
        let backups = streams.filter { uris.contains($0.variant.uri) }.flatMap(\.backups)
        let ofVariants = variants.enumerated().map { position, variant in
            Item(
                description: describe(variant, position, in: playlist), uri: variant.uri,
                fallbacks: streams.first { $0.variant.uri == variant.uri }?.backups.map(\.uri) ?? [])
        }
        return ofVariants
            + alternatives(
                playlist, .audio, groups: Set(all.compactMap(\.audioGroup)),
                backup: Set(backups.compactMap(\.audioGroup)))
            + alternatives(
                playlist, .subtitles, groups: Set(all.compactMap(\.subtitlesGroup)),
                backup: Set(backups.compactMap(\.subtitlesGroup)))
    }

    private static func chosen(_ variants: [VariantStream], _ choice: RenditionChoice) -> [VariantStream] {
        switch choice {
        case .all, .named: variants
        case .highest: variants.max { $0.bandwidth < $1.bandwidth }.map { [$0] } ?? []
        case .lowest: variants.min { $0.bandwidth < $1.bandwidth }.map { [$0] } ?? []
        }
    }

    /// Those of the groups in use; what only redundant variants use is redundant, too.
    private static func alternatives(
        _ playlist: MultivariantPlaylist, _ type: Rendition.MediaType, groups: Set<String>,
        backup: Set<String>,
    ) -> [Item] {
        var uris: Set<String> = []
        let all = playlist.renditions.filter { $0.type == type }
        let redundant = all.filter { backup.subtracting(groups).contains($0.groupID) }
        return all.filter { groups.contains($0.groupID) }.compactMap { rendition -> Item? in
            guard let uri = rendition.uri, uris.insert(uri).inserted else { return nil }
            let same = redundant.filter {
                $0.name == rendition.name && $0.language == rendition.language
                    && $0.channels == rendition.channels
            }
            return Item(
                description: describe(
                    rendition, uris.count - 1,
                    others: all.filter {
                        $0.uri == uri && $0.groupID != rendition.groupID && groups.contains($0.groupID)
                    }), uri: uri,
                fallbacks: same.compactMap(\.uri).filter { $0 != uri })
        }
    }

    private static func describe(
        _ variant: VariantStream, _ position: Int, in playlist: MultivariantPlaylist,
    ) -> RenditionDescription {
        var description = RenditionDescription(id: RenditionID(kind: .video, index: 0), position: position)
        description.stableID = variant.stableVariantID
        description.resolution = variant.resolution.map { "\($0.width)x\($0.height)" }
        description.codecs = variant.codecs
        description.frameRate = variant.frameRate.map { "\($0)" }
        description.bandwidth = Int64(variant.bandwidth)
        description.audioGroup = variant.audioGroup
        description.subtitlesGroup = variant.subtitlesGroup
        description.keepAttributes(of: variant, in: playlist)
        return description
    }

    /// An alternative that is in `others`, too.
    private static func describe(
        _ rendition: Rendition, _ position: Int, others: [Rendition],
    ) -> RenditionDescription {
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
        description.keepAttributes(of: rendition, others: others)
        return description
    }

    private static func free(_ kind: RenditionKind, _ taken: Set<RenditionID>) -> RenditionID {
        let next = (taken.filter { $0.kind == kind }.map(\.index).max() ?? -1) + 1
        return RenditionID(kind: kind, index: next)
    }
}
