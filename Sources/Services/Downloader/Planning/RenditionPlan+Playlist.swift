import HLS
import Timeline

extension RenditionPlan {
    /// The media playlist for the folder, with relative URIs.
    ///
    /// Segments that are not there yet are gaps, unless `listsMissing` says that they come when asked for.
    /// `isClear` says that segments are stored without their encryption, `isClosed` that nothing will
    /// follow.
    func localPlaylist(isClear: Bool, isClosed: Bool, listsMissing: Bool = false) -> MediaPlaylist {
        var playlist = MediaPlaylist()
        playlist.isIndependentSegments =
            head.isIndependentSegments || multivariant?.isIndependentSegments ?? false
        playlist.start = localStart(head.start ?? multivariant?.start, isClosed: isClosed)
        playlist.targetDurationSeconds = targetDuration
        playlist.mediaSequence = parts.first?.names.identity.number ?? head.mediaSequence
        playlist.discontinuitySequence = discontinuitySequence
        playlist.type = isClosed ? .videoOnDemand : .event
        // A playlist that the source has ended stays ended, even while parts are missing here.
        playlist.isEnded = isClosed || head.isEnded
        // A range that names media elsewhere would lead a player out of the folder.
        playlist.dateRanges = dateRanges.all.filter { range in
            !range.otherAttributes.attributes.contains {
                $0.name.hasPrefix("X-ASSET") || $0.value.contains("//")
            }
        }
        playlist.segments = parts.map { part in
            var segment = localSegment(part, isClear: isClear)
            segment.isGap = listsMissing ? part.segment.isGap : !part.isDone
            return segment
        }
        playlist.version = playlist.minimalVersion
        return playlist
    }

    /// A start point of the source, where it is the same place in the folder's playlist.
    ///
    /// It is not where the source lists other segments first, nor if it counts from the end, which has moved
    /// in a live playlist. One that still grows keeps it.
    func localStart(_ start: StartPoint?, isClosed: Bool) -> StartPoint? {
        guard let start, isClosed || head.isEnded else { return start }
        let isSame =
            parts.first?.names.identity.number == head.mediaSequence && start.offsetMicroseconds >= 0
            && Double(start.offsetMicroseconds) / 1_000_000 <= seconds
        return isSame ? start : nil
    }

    private var targetDuration: Int {
        let longest = parts.map { ($0.segment.durationMicroseconds + 500_000) / 1_000_000 }.max() ?? 1
        return max(head.targetDurationSeconds ?? 1, Int(longest))
    }

    private func localSegment(_ part: Part, isClear: Bool) -> MediaSegment {
        var segment = part.segment
        segment.uri = "\(id)/\(part.names.file)"
        segment.byteRange = nil
        segment.partLines = []
        segment.unknownLines = segment.cueTags
        segment.keys = isClear ? [] : localKeys(part.key, part.names.key)
        segment.map = part.names.initSection.map { name in
            let section = part.initSection
            let isClear = isClear || clearSections.contains(name)
            return MediaMap(
                uri: "\(id)/\(name)", keys: isClear ? [] : localKeys(section?.key, section?.keyName))
        }
        return segment
    }

    /// The IV is always written, so that it does not depend on the media sequence number.
    private func localKeys(_ key: PartKey?, _ name: String?) -> [Key] {
        guard let key, let name else { return [] }
        return [Key(method: .aes128, uri: "keys/\(name)", initializationVector: key.vector)]
    }
}

/// What a recording lacks.
extension RenditionPlan {
    /// Parts that are missing before the last one that is there.
    var missingIndices: [Int] {
        parts[..<(parts.lastIndex(where: \.isDone) ?? 0)].indices.filter { !parts[$0].isSettled }
    }

    func missingSeconds(before end: Double) -> Double {
        missingIndices.reduce(0) { $0 + (parts[$1].position < end ? parts[$1].seconds : 0) }
    }

    /// Seconds of all gaps that begin before `end`: listed as EXT-X-GAP, dropped by the source, or given up.
    func gapSeconds(before end: Double = .infinity) -> Double {
        parts.reduce(0) { $0 + ($1.segment.isGap && $1.position < end ? $1.seconds : 0) }
    }
}
