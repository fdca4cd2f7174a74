import HLS

/// Which alternative renditions of a group are taken.
package enum TrackChoice: Sendable, Equatable, Codable {
    case none
    /// The default one, else the first.
    case standard
    case all
    /// Languages in the order in which they were asked for.
    case languages([String])

    /// Reads `none`, `default`, `all`, or languages separated by commas; nil where one of these is empty.
    package init?(words: String) {
        switch words {
        case "default": self = .standard
        case "all": self = .all
        case "none": self = .none
        default:
            let languages = words.split(separator: ",", omittingEmptySubsequences: false)
            guard languages.allSatisfy({ $0.contains { !$0.isWhitespace } }) else { return nil }
            self = .languages(languages.map(String.init))
        }
    }

    /// The chosen ones of a group, in its order.
    func chosen(from group: [Rendition], what: String) throws(DownloadError) -> [Rendition] {
        switch self {
        case .none: return []
        case .standard: return Array((group.first(where: \.isDefault) ?? group.first).map { [$0] } ?? [])
        case .all: return group
        case .languages(let wanted):
            for language in wanted where !group.contains(where: { $0.hasLanguage(language) }) {
                let there = group.map { $0.language ?? $0.name }
                throw .notAvailable("\(what) in \(language)", available: there.isEmpty ? ["none"] : there)
            }
            return group.filter { rendition in wanted.contains { rendition.hasLanguage($0) } }
        }
    }
}

extension Rendition {
    /// Whether the rendition is in a language: the first parts of the tags are compared.
    fileprivate func hasLanguage(_ wanted: String) -> Bool {
        guard let language else { return false }
        return LanguageCodes.primary(language) == LanguageCodes.primary(wanted)
    }
}
