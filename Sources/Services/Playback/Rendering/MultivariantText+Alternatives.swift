import Catalogue
import HLS
import Timeline

/// Alternative renditions: EXT-X-MEDIA.
extension MultivariantText {
    func alternatives(besides variants: [ListedRendition]) -> [Rendition] {
        var names: [String: Set<String>] = [:]
        var defaults: Set<String> = []
        return contents.renditions.compactMap { listed in
            guard !variants.contains(where: { $0.id == listed.id }),
                let type = Self.type(of: listed), let group = Self.group(of: listed)
            else { return nil }
            let place = "\(type.rawValue) \(group)"
            var rendition = alternative(listed, type, group)
            if !names[place, default: []].insert(rendition.name).inserted {
                rendition.name += " (\(listed.id))"
                names[place, default: []].insert(rendition.name)
            }
            if rendition.isDefault { rendition.isDefault = defaults.insert(place).inserted }
            return rendition
        }
    }

    private func alternative(
        _ listed: ListedRendition, _ type: Rendition.MediaType, _ group: String,
    ) -> Rendition {
        let description = listed.description
        var rendition = Rendition(
            type: type, groupID: group, name: description.name ?? "\(listed.id)", uri: uri(of: listed.id))
        rendition.language = description.language
        rendition.isDefault = description.isDefault
        // DEFAULT=YES requires AUTOSELECT=YES (RFC 8216 §4.3.4.1). FORCED is for subtitles only.
        rendition.isAutoselect = description.autoselect || description.isDefault
        rendition.isForced = description.forced && type == .subtitles
        if type == .audio { rendition.channels = description.channels }
        return rendition
    }

    private static func type(of rendition: ListedRendition) -> Rendition.MediaType? {
        switch rendition.id.kind {
        case .video: nil
        case .audio: .audio
        case .subtitles: .subtitles
        }
    }

    static func group(of rendition: ListedRendition) -> String? {
        rendition.description.groupID
    }
}
