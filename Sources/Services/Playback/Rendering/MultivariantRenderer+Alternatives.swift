import Catalogue
import HLS
import Timeline

/// Alternative renditions: EXT-X-MEDIA.
extension MultivariantRenderer {
    /// Those whose media is part of a variant, and the recorded ones, in each of their groups.
    func alternatives(besides variants: [MeasuredRendition]) -> [Rendition] {
        var names: [String: Set<String>] = [:]
        var defaults: Set<String> = []
        var found: [Rendition] = []
        func add(_ rendition: Rendition, _ id: RenditionID?) {
            let place = "\(rendition.type.rawValue) \(rendition.groupID)"
            var rendition = rendition
            if !names[place, default: []].insert(rendition.name).inserted {
                // Several variants name what is part of each of them.
                guard let id else { return }
                rendition.name += " (\(id))"
                names[place, default: []].insert(rendition.name)
            }
            // DEFAULT=YES requires AUTOSELECT=YES (RFC 8216 §4.3.4.1). FORCED is for subtitles only.
            rendition.isAutoselect = rendition.isAutoselect || rendition.isDefault
            rendition.isForced = rendition.isForced && rendition.type == .subtitles
            if rendition.isDefault { rendition.isDefault = defaults.insert(place).inserted }
            found.append(rendition)
        }
        for variant in variants { for rendition in embedded(in: variant) { add(rendition, nil) } }
        for listed in renditions where !variants.contains(where: { $0.id == listed.id }) {
            for rendition in memberships(of: listed) { add(rendition, listed.id) }
        }
        return found
    }

    /// Alternatives that are part of a variant's own media, as the source stated them.
    func embedded(in variant: MeasuredRendition) -> [Rendition] {
        guard variant.id.kind == .video else { return [] }
        return variant.description.statedAlternatives
    }

    /// Whether a group has an alternative that is part of a variant's own media.
    func isEmbedded(
        _ type: Rendition.MediaType, _ group: String?, in variant: MeasuredRendition,
    ) -> Bool {
        embedded(in: variant).contains { $0.type == type && $0.groupID == group }
    }

    /// A tag for each group that a rendition is in.
    private func memberships(of listed: MeasuredRendition) -> [Rendition] {
        guard let type = Self.type(of: listed), let group = listed.description.groupID else { return [] }
        let others = listed.description.statedAlternatives.filter { $0.type == type }.map { stated in
            var rendition = stated
            rendition.uri = uri(of: listed.id)
            return rendition
        }
        return [alternative(listed, type, group)] + others
    }

    private func alternative(
        _ listed: MeasuredRendition, _ type: Rendition.MediaType, _ group: String,
    ) -> Rendition {
        let description = listed.description
        var attributes = AttributeList(description.attributes ?? [])
        attributes.append("TYPE", type.rawValue)
        var rendition = Rendition(attributes) ?? Rendition(type: type, groupID: group, name: "")
        (rendition.groupID, rendition.name) = (group, description.name ?? "\(listed.id)")
        rendition.uri = uri(of: listed.id)
        rendition.language = description.language
        rendition.isDefault = description.isDefault
        rendition.isAutoselect = description.autoselect
        rendition.isForced = description.forced
        if type == .audio { rendition.channels = description.channels }
        return rendition
    }

    private static func type(of rendition: MeasuredRendition) -> Rendition.MediaType? {
        switch rendition.id.kind {
        case .video: nil
        case .audio: .audio
        case .subtitles: .subtitles
        }
    }

    static func groups(of rendition: MeasuredRendition) -> [String] {
        let others = (rendition.description.media ?? []).compactMap { attributes in
            attributes.first { $0.name == "GROUP-ID" }?.value
        }
        return (rendition.description.groupID.map { [$0] } ?? []) + others
    }
}
