import HLS
import HTTP

/// A segment of a playlist, with its current URL and its identity.
struct ListedPart: Sendable {
    var url: HTTPURL
    var identity: PartIdentity
}

/// Segments that a live playlist lists under other paths than before.
///
/// Some sources have the session of a reader in the path, and a reader that comes again gets a new one. The
/// segments keep their numbers, durations and dates, and mostly the names of their files.
extension RenditionPlan {
    /// The segments of a playlist; one that is known under another path has the identity that it had there.
    ///
    /// Nil if the playlist is ignored, because it comes from a server that lags behind.
    mutating func listedParts(
        of playlist: MediaPlaylist, base: HTTPURL
    ) throws(DownloadError) -> [ListedPart]? {
        var listed: [ListedPart] = []
        listed.reserveCapacity(playlist.segments.count)
        for (index, segment) in playlist.segments.enumerated() {
            let url = try Self.url(segment.uri, base)
            let number = playlist.number(at: index)
            let identity = PartIdentity(number: number, url: url, range: segment.byteRange)
            listed.append(ListedPart(url: url, identity: identity))
        }
        guard findRun(of: listed, playlist) else { return nil }
        for index in listed.indices { listed[index].identity.run = runs.identityRun }
        for (index, identity) in presentIdentities(of: listed, playlist) {
            listed[index].identity = identity
        }
        return listed
    }

    /// The identities of segments that are known under other paths, by place in the list.
    func previousIdentities(
        of listed: [ListedPart], _ playlist: MediaPlaylist
    ) -> [Int: PartIdentity] {
        renamedSegments(of: listed, playlist).map { identities(of: $0, listed, playlist) } ?? [:]
    }

    /// The same; where names change with each load, numbers alone tell the identities.
    ///
    /// Other names are taken for other media once. If the next list has others again for the numbers that are
    /// known, and goes on as its numbers say, they tell nothing.
    private mutating func presentIdentities(
        of listed: [ListedPart], _ playlist: MediaPlaylist
    ) -> [Int: PartIdentity] {
        guard let renamed = renamedSegments(of: listed, playlist) else {
            if let last = listed.last, !knows(last.identity), listed.contains(where: { knows($0.identity) }) {
                runs.keepNames()
            }
            return [:]
        }
        let identities = identities(of: renamed, listed, playlist)
        let isUndated = playlist.segments.allSatisfy { $0.programDateTimeMicroseconds == nil }
        guard identities.isEmpty, isUndated else { return identities }
        if renamed.goesOn { runs.countRenamed() }
        return runs.ignoresNames && renamed.isNear ? renamed.previous.mapValues(\.identity) : [:]
    }

    /// The segments of a list that have known numbers and unknown paths; nil if it has none.
    private func renamedSegments(of listed: [ListedPart], _ playlist: MediaPlaylist) -> RenamedSegments? {
        // Most playlists contain only known segments and newer ones.
        guard hasUnknown(in: listed) else { return nil }
        let previous = previousSegments
        guard let last = previous.last?.identity.number, let lastListed = listed.last?.identity.number else {
            return nil
        }
        let previousByNumber = Dictionary(
            previous.map { ($0.identity.number, $0) }, uniquingKeysWith: { _, later in later })
        var (found, areOthersKnown) = ([Int: PreviousSegment](), false)
        for (index, part) in listed.enumerated() {
            if knows(part.identity) {
                areOthersKnown = true
            } else if let previous = previousByNumber[part.identity.number],
                previous.identity.hasRange(of: part.identity)
            {
                found[index] = previous
            }
        }
        let areAlike = found.allSatisfy {
            $0.value.microseconds == playlist.segments[$0.key].durationMicroseconds
        }
        return RenamedSegments(
            previous: found, isNear: last <= lastListed || last - lastListed <= UInt64(listed.count),
            goesOn: !found.isEmpty && !areOthersKnown && areAlike && last <= lastListed)
    }

    private func identities(
        of renamed: RenamedSegments, _ listed: [ListedPart], _ playlist: MediaPlaylist
    ) -> [Int: PartIdentity] {
        let dates = SegmentDate.dates(of: playlist.segments)
        var (found, renamings) = ([Int: PartIdentity](), [Int: FileRenaming]())
        for (index, previous) in renamed.previous
        where previous.microseconds == playlist.segments[index].durationMicroseconds {
            if let date = dates[index],
                let isSame = previous.date?.isSame(as: date, of: previous.microseconds)
            {
                if isSame { found[index] = previous.identity }
            } else if renamed.isNear,
                let renaming = FileRenaming(from: previous.identity.path, to: listed[index].identity.path)
            {
                (found[index], renamings[index]) = (previous.identity, renaming.isNone ? nil : renaming)
            }
        }
        // A single renamed file may be another segment.
        if renamings.count == 1 || Set(renamings.values.map(\.present)).count > 1 {
            for index in renamings.keys { found[index] = nil }
        }
        return found
    }

    /// Whether an earlier list had a segment.
    func knows(_ identity: PartIdentity) -> Bool {
        indices[identity] != nil || kept[identity] != nil
    }

    /// Whether a list has segments of known numbers that are not known.
    private func hasUnknown(in listed: [ListedPart]) -> Bool {
        let last = parts.last?.names.identity.number ?? kept.keys.map(\.number).max()
        guard let last else { return false }
        return listed.contains { $0.identity.number <= last && !knows($0.identity) }
    }

    /// What was listed before; of an earlier process only segments of a live presentation, because one that
    /// had ended is known by its paths.
    private var previousSegments: [PreviousSegment] {
        if !parts.isEmpty {
            let dates = SegmentDate.dates(of: parts.map(\.segment))
            let run = runs.identityRun
            let isPrevious = { (part: Part) in !part.isLost && part.names.identity.run == run }
            return zip(parts, dates).filter { isPrevious($0.0) }.map { part, date in
                PreviousSegment(
                    identity: part.names.identity, microseconds: part.segment.durationMicroseconds, date: date
                )
            }
        }
        guard let recorded, recorded.isLive else { return [] }
        let ofRun = kept.values.filter { $0.identity.run == runs.identityRun }
        let listed = recorded.inOrder(ofRun).compactMap { names in
            recorded.segment(of: names).map { (names.identity, $0) }
        }
        return zip(listed, SegmentDate.dates(of: listed.map { $0.1 })).map { part, date in
            PreviousSegment(identity: part.0, microseconds: part.1.durationMicroseconds, date: date)
        }
    }
}

/// A segment that an earlier playlist has listed.
private struct PreviousSegment {
    var identity: PartIdentity
    var microseconds: Int64
    var date: SegmentDate?
}

/// The segments of a list that have known numbers and unknown paths.
private struct RenamedSegments {
    /// What was listed before under their numbers, by place in the list.
    var previous: [Int: PreviousSegment]
    /// Whether their numbers are near the known ones; others are those of an encoder that has started again.
    var isNear: Bool
    /// Whether the list has no known path, the same durations, and no lower numbers than the one before.
    var goesOn: Bool
}

/// The date of a segment, from EXT-X-PROGRAM-DATE-TIME there or before it.
struct SegmentDate {
    var microseconds: Int64
    /// Segments since the tag, each of which may be rounded.
    var distance: Int64

    /// The date of each segment; nil where no date is known since the last discontinuity.
    static func dates(of segments: [MediaSegment]) -> [SegmentDate?] {
        var last: SegmentDate?
        return segments.map { segment in
            if segment.discontinuityCount > 0 { last = nil }
            if let date = segment.programDateTimeMicroseconds {
                last = SegmentDate(microseconds: date, distance: 0)
            }
            defer {
                last?.microseconds &+= segment.durationMicroseconds
                last?.distance += 1
            }
            return last
        }
    }

    /// Whether two dates belong to the same segment of this duration; nil if rounding makes that uncertain.
    func isSame(as other: SegmentDate, of duration: Int64) -> Bool? {
        let difference = (microseconds &- other.microseconds).magnitude
        let (half, rounded) = (UInt64(clamping: duration / 2), UInt64(clamping: distance + other.distance))
        if difference <= half { return true }
        return difference > half + rounded * Limits.roundingMicroseconds ? false : nil
    }
}

/// How the name of a segment's file differs in two playlists.
private struct FileRenaming {
    /// The new text between underscores, such as the session `w1` of `media_w1_5.ts`; nil if nothing is new.
    var present: String?

    var isNone: Bool { present == nil }

    /// Nil if the names differ in more than one part.
    init?(from previous: String, to present: String) {
        let (old, new) = (Self.words(of: previous), Self.words(of: present))
        let places = old.indices.filter { $0 < new.count && old[$0] != new[$0] }
        guard old.count == new.count, places.count < 2 else { return nil }
        self.present = places.first.map { new[$0] }
    }

    private static func words(of path: String) -> [String] {
        let name = path.split(separator: "/").last ?? ""
        return name.split(separator: "_", omittingEmptySubsequences: false).map(String.init)
    }
}

extension PartIdentity {
    fileprivate func hasRange(of other: PartIdentity) -> Bool {
        offset == other.offset && length == other.length
    }
}
