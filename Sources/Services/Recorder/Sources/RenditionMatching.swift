import Catalogue
import Timeline

/// Finds the renditions of a channel again in a playlist of another source, or of a changed encoder.
///
/// Renditions with the same attributes are the same. Others are matched by language and role or by
/// resolution, and last by their rank in bandwidth. URIs are never compared, because they carry session
/// tokens.
struct RenditionMatching {
    private let wanted: [RenditionDescription]
    /// Known ones that none of the wanted ones is yet.
    private var unused: [RenditionDescription]
    /// The renditions recorded last; only these may continue with completely different attributes.
    private let recorded: Set<RenditionID>
    private(set) var ids: [RenditionID?]
    /// Whether the playlist says the stable ids that are known: others name other renditions then.
    private let sharesStableIDs: Bool
    /// Kinds for which both playlists name roles.
    private let kindsWithRoles: Set<RenditionKind>

    init(_ wanted: [RenditionDescription], known: [RenditionDescription], recorded: Set<RenditionID>) {
        self.wanted = wanted
        self.recorded = recorded
        unused = known.sorted { ($0.position, $0.id) < ($1.position, $1.id) }
        ids = wanted.map { _ in nil }
        kindsWithRoles = Self.kindsWithRoles(wanted).intersection(Self.kindsWithRoles(known))
        let stable = Set(known.compactMap(\.stableID))
        sharesStableIDs = wanted.contains { $0.stableID.map(stable.contains) ?? false }
        matchByStableID()
        matchExactly()
        matchVideoByResolution()
        matchAlternatives()
        matchByRank()
    }

    private func unnamed(_ kind: RenditionKind) -> [Int] {
        wanted.indices.filter { ids[$0] == nil && wanted[$0].id.kind == kind }
    }

    private mutating func take(_ index: Int, _ id: RenditionID) {
        ids[index] = id
        unused.removeAll { $0.id == id }
    }

    private func mayBeSame(_ one: RenditionDescription, _ other: RenditionDescription) -> Bool {
        one.id.kind == other.id.kind
            && (!sharesStableIDs || one.stableID == nil || other.stableID == nil)
    }
}

/// The same attributes.
extension RenditionMatching {
    private typealias Likeness = @Sendable (RenditionDescription, [RenditionDescription]) -> RenditionID?

    /// Among renditions with the same attributes: the same bandwidth, else the same position.
    ///
    /// If both have changed, the only one with these attributes.
    private static let likenesses: [Likeness] = [
        { wanted, known in alike(wanted, known).first { $0.bandwidth == wanted.bandwidth }?.id },
        { wanted, known in alike(wanted, known).first { $0.position == wanted.position }?.id },
        { wanted, known in alike(wanted, known).count == 1 ? alike(wanted, known).first?.id : nil },
    ]

    private mutating func matchByStableID() {
        for index in wanted.indices {
            guard let stable = wanted[index].stableID else { continue }
            let found = unused.first { $0.id.kind == wanted[index].id.kind && $0.stableID == stable }
            if let found { take(index, found.id) }
        }
    }

    private mutating func matchExactly() {
        for likeness in Self.likenesses {
            for index in wanted.indices where ids[index] == nil {
                let known = unused.filter { mayHaveRole(of: wanted[index], $0) }
                if let id = likeness(wanted[index], known) { take(index, id) }
            }
        }
    }

    /// Known ones with the same attributes, of which none has another stable id.
    private static func alike(
        _ wanted: RenditionDescription, _ known: [RenditionDescription],
    ) -> [RenditionDescription] {
        known.filter { other in
            other.id.kind == wanted.id.kind
                && (wanted.stableID == nil || other.stableID == nil) && other.resolution == wanted.resolution
                && other.codecs == wanted.codecs && other.frameRate == wanted.frameRate
                && other.groupID == wanted.groupID && other.name == wanted.name
                && other.language == wanted.language
                && other.audioGroup == wanted.audioGroup && other.subtitlesGroup == wanted.subtitlesGroup
        }
    }
}

/// Audio and subtitles.
extension RenditionMatching {
    /// How alike two of them are, the surest first; each asks for the same role.
    private static let alternativeLikenesses:
        [@Sendable (RenditionDescription, RenditionDescription) -> Bool] = [
            { $0.isOfLanguage($1) && $0.name == $1.name && $0.channels == $1.channels },
            { $0.isOfLanguage($1) && $0.name == $1.name },
            { $0.isOfLanguage($1) && $0.channels == $1.channels },
            { $0.isOfLanguage($1) },
            { $0.mayBeOfLanguage($1) && $0.name == $1.name },
        ]

    private mutating func matchAlternatives() {
        for isAlike in Self.alternativeLikenesses {
            matchAlternatives { $0.role == $1.role && isAlike($0, $1) }
        }
        // A source that does not say roles at all: the name tells them.
        let kindsWithRoles = kindsWithRoles
        matchAlternatives {
            !kindsWithRoles.contains($0.id.kind) && $0.isOfLanguage($1) && $0.name == $1.name
        }
        for kind in [RenditionKind.audio, .subtitles] { matchLone(kind) }
    }

    private mutating func matchAlternatives(
        by isAlike: (RenditionDescription, RenditionDescription) -> Bool,
    ) {
        for index in unnamed(.audio) + unnamed(.subtitles) {
            let found = unused.first {
                mayBeSame(wanted[index], $0) && $0.forced == wanted[index].forced
                    && isAlike(wanted[index], $0)
            }
            if let found { take(index, found.id) }
        }
    }

    private static func kindsWithRoles(_ list: [RenditionDescription]) -> Set<RenditionKind> {
        Set(list.filter { !$0.role.isEmpty }.map(\.id.kind))
    }

    /// Whether two have the same role, as far as both sides say roles.
    private func mayHaveRole(of one: RenditionDescription, _ other: RenditionDescription) -> Bool {
        one.role == other.role || !kindsWithRoles.contains(one.id.kind)
    }

    /// Matches the only one left with the only recorded one left, unless language, role or FORCED differ.
    ///
    /// A missing language matches any.
    private mutating func matchLone(_ kind: RenditionKind) {
        let left = unnamed(kind)
        let known = unused.filter { $0.id.kind == kind && recorded.contains($0.id) }
        guard let index = left.first, left.count == 1, let other = known.first, known.count == 1,
            other.forced == wanted[index].forced, mayBeSame(wanted[index], other),
            other.role == wanted[index].role, wanted[index].mayBeOfLanguage(other)
        else { return }
        take(index, other.id)
    }
}

/// Variants.
extension RenditionMatching {
    private mutating func matchVideoByResolution() {
        for resolution in Set(wanted.compactMap(\.resolution)).sorted() {
            for isRecorded in [true, false] {
                pair(
                    unnamed(.video).filter { wanted[$0].resolution == resolution },
                    unused.filter {
                        $0.resolution == resolution && recorded.contains($0.id) == isRecorded
                    })
            }
        }
    }

    private mutating func matchByRank() {
        for isAudioOnly in [false, true] {
            pair(
                unnamed(.video).filter { wanted[$0].isAudioOnly == isAudioOnly },
                unused.filter {
                    $0.id.kind == .video && $0.isAudioOnly == isAudioOnly && recorded.contains($0.id)
                })
        }
    }

    /// Pairs variants in order of bandwidth, the highest first.
    ///
    /// Each variant of the shorter list gets a partner; of the pairings that keep the order, the nearest one
    /// is chosen.
    private mutating func pair(_ indices: [Int], _ known: [RenditionDescription]) {
        let known = known.sorted { ($0.bandwidth ?? 0) > ($1.bandwidth ?? 0) }
        let indices = indices.filter { !sharesStableIDs || wanted[$0].stableID == nil }
            .sorted { (wanted[$0].bandwidth ?? 0) > (wanted[$1].bandwidth ?? 0) }
        let (ours, theirs) = (indices.map { wanted[$0].bandwidth }, known.map(\.bandwidth))
        if ours.count <= theirs.count {
            for (place, other) in Self.nearest(ours, in: theirs).enumerated() {
                take(indices[place], known[other].id)
            }
        } else {
            for (place, index) in Self.nearest(theirs, in: ours).enumerated() {
                take(indices[index], known[place].id)
            }
        }
    }

    /// The index of the partner of each bandwidth of the shorter list, in order.
    private static func nearest(_ fewer: [Int64?], in more: [Int64?]) -> [Int] {
        var next = 0
        return fewer.indices.map { place in
            let last = more.count - (fewer.count - place)
            let found = (next...last).min { ratio(fewer[place], more[$0]) < ratio(fewer[place], more[$1]) }
            next = (found ?? next) + 1
            return next - 1
        }
    }

    private static func ratio(_ one: Int64?, _ other: Int64?) -> Double {
        guard let one, let other, one > 0, other > 0 else { return 1 }
        return Double(max(one, other)) / Double(min(one, other))
    }
}

/// The people for whom an alternative is made.
private struct Role: OptionSet {
    let rawValue: Int

    /// People who do not see.
    static let describesVideo = Role(rawValue: 1)
    /// People who do not hear.
    static let describesSound = Role(rawValue: 2)

    /// Reads CHARACTERISTICS (RFC 8216bis §4.4.6.1).
    init(characteristics: String) {
        self = []
        for tag in characteristics.split(separator: ",") {
            switch tag.drop(while: { $0 == " " }) {
            case "public.accessibility.describes-video": insert(.describesVideo)
            case "public.accessibility.transcribes-spoken-dialog",
                "public.accessibility.describes-music-and-sound":
                insert(.describesSound)
            default: break
            }
        }
    }

    init(rawValue: Int) {
        self.rawValue = rawValue
    }
}

extension RenditionDescription {
    /// What CHARACTERISTICS says.
    fileprivate var role: Role {
        let said = attributes?.first { $0.name == "CHARACTERISTICS" }?.value
        return said.map(Role.init(characteristics:)) ?? []
    }

    /// Languages are compared by their first part: `en` is `en-US`.
    fileprivate func isOfLanguage(_ other: RenditionDescription) -> Bool {
        Self.primary(language) == Self.primary(other.language)
    }

    fileprivate func mayBeOfLanguage(_ other: RenditionDescription) -> Bool {
        language == nil || other.language == nil || isOfLanguage(other)
    }

    private static func primary(_ tag: String?) -> String? {
        tag.flatMap { $0.split(separator: "-").first?.lowercased() }
    }

    /// A variant for slow connections that has no picture.
    fileprivate var isAudioOnly: Bool {
        guard resolution == nil, let codecs else { return false }
        let audio = ["mp4a", "ac-3", "ec-3", "ac-4", "opus", "flac", "mp3"]
        return codecs.split(separator: ",").allSatisfy { codec in
            audio.contains { codec.lowercased().drop { $0 == " " }.hasPrefix($0) }
        }
    }
}
