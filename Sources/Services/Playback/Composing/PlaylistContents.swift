import Catalogue
package import Timeline

/// What the playlists of one answer list; it is the same for every rendition of the answer.
package struct PlaylistContents: Sendable {
    package var plan: WindowPlan
    /// The requested window; its end is at most the live edge and `next`.
    package var window: TimeWindow
    /// Where another request can continue.
    package var next: Instant?
    /// Nothing will be appended.
    package var isEnded: Bool
    /// Everything in the window is published or lost, and nothing is pending.
    package var isFinal: Bool
    package var targetSeconds: Int
    /// Ordered by id; none is empty.
    package var renditions: [ListedRendition]
    /// Of a sliding playlist, the renditions that have ended while others go on.
    ///
    /// Their media playlists still exist, but no answer names them: a player that chose one would stall.
    var ended: Set<RenditionID> = []
    /// In a growing playlist the renditions with which it begins, also one that lists nothing yet.
    var initialRenditions: [ListedRendition]?
    /// All renditions of the channel, also those that hold nothing in the window.
    package var known: [RenditionID]
    /// The begin of the first quarter of an hour in which audio renditions hold something, microseconds; nil
    /// without any.
    var audioQuarter: Int64?
    package var formats: [Int32: SegmentFormat]
    package var writesGaps: Bool
    var discontinuities: DiscontinuitySequences
    /// Ordered by start; they may be outside the window.
    var markers: [MarkerText]

    package subscript(id: RenditionID) -> ListedRendition? {
        renditions.first { $0.id == id }
    }

    /// The best video, else the first audio, else any rendition.
    package var leading: ListedRendition? {
        Self.leading(of: continuing)
    }

    /// The renditions that have not ended before the others.
    var continuing: [ListedRendition] {
        ended.isEmpty ? renditions : renditions.filter { !ended.contains($0.id) }
    }

    /// The rendition whose segments begin first; the leading one if there are several.
    package var earliest: ListedRendition? {
        let begin = renditions.compactMap(\.segments.first?.start).min()
        return Self.leading(of: renditions.filter { $0.segments.first?.start == begin })
    }

    /// The renditions from which an answer chooses if the request names none.
    ///
    /// For a growing playlist they are those with which it begins, so that the choice never changes.
    var firstRenditions: [ListedRendition] { initialRenditions ?? continuing }

    /// Whether video or audio with which a growing playlist begins is not listed yet.
    ///
    /// Players load its multivariant playlist once: one without audio would be silent to the end.
    package var lacksFirstMedia: Bool {
        firstRenditions.contains { $0.id.kind != .subtitles && self[$0.id] == nil } || awaitsAudio
    }

    /// Whether a growing playlist begins with silent video whose audio may still appear: its first segments
    /// are lost.
    private var awaitsAudio: Bool {
        guard plan.kind == .event, !isEnded, beginsWithSeparateAudio else { return false }
        let settling = Limits.settlingTargets * Int64(targetSeconds) * Microseconds.perSecond
        let begin = firstLeading?.segments.first?.start ?? window.begin
        return window.end - begin < settling && !renditions.contains { $0.id.kind == .audio }
    }

    /// Whether audio is a rendition of its own in the first renditions, or belongs to them but is lost.
    ///
    /// A growing playlist never changes it: it goes by its first video, which is silent then, and by audio
    /// that was recorded before.
    package var beginsWithSeparateAudio: Bool {
        if firstRenditions.contains(where: { $0.id.kind == .audio }) { return true }
        guard plan.kind == .event, let leading = firstLeading, leading.id.kind == .video,
            let first = leading.segments.first, let audioQuarter, audioQuarter <= first.start.microseconds
        else { return false }
        return formats[first.formatID]?.isSilent ?? false
    }

    /// The leading one of those; it may list nothing yet.
    package var firstLeading: ListedRendition? { Self.leading(of: firstRenditions) }

    /// The rendition of a sliding playlist that has only one; nil if its audio is a separate rendition.
    ///
    /// It is the one with the lowest id. Ids are never reused, so a later rendition cannot replace it.
    package var lasting: ListedRendition? {
        let renditions = continuing
        guard let first = renditions.first(where: { $0.id.kind == .video }) ?? renditions.first else {
            return nil
        }
        let hasAudio = first.segments.formatIDs.contains { formats[$0]?.hasAudio ?? false }
        return hasAudio || !renditions.contains { $0.id.kind == .audio } ? first : nil
    }

    static func leading(of renditions: [ListedRendition]) -> ListedRendition? {
        let videos = renditions.filter { $0.id.kind == .video }
        let best = videos.max {
            ($0.description.bandwidth ?? 0, $1.id) < ($1.description.bandwidth ?? 0, $0.id)
        }
        return best ?? renditions.first
    }

    /// How much of the window a rendition holds and lacks, in microseconds.
    package func completeness(of rendition: ListedRendition) -> (held: Int64, missing: Int64) {
        let missing = rendition.missing(in: window)
        return (window.microseconds - missing, missing)
    }

    /// Throws `incomplete` if the named rendition lacks media; with nil, if any listed one does.
    package func checkWhole(_ named: RenditionID?) throws(PlaybackError) {
        for rendition in renditions where named == nil || rendition.id == named {
            let missing = completeness(of: rendition).missing
            if missing > 0 { throw .incomplete(rendition: rendition.id, missing: missing) }
        }
    }

    /// Throws `tooManyGaps` if the holes of a rendition need too many entries.
    ///
    /// No entry is shorter than a second, except the rest of a hole. A growing playlist is refused by the
    /// length of its window, so that it is not refused while it grows.
    func checkGaps() throws(PlaybackError) {
        guard writesGaps else { return }
        let limit = Limits.gapEntries
        if plan.kind == .event {
            if plan.window.microseconds / Microseconds.perSecond > limit { throw .tooManyGaps(limit: limit) }
            return
        }
        for rendition in renditions where rendition.gapCount > limit { throw .tooManyGaps(limit: limit) }
    }

    /// The renditions of the channel that hold nothing in the window.
    var absent: [RenditionID] {
        known.count == renditions.count ? [] : known.filter { self[$0] == nil }
    }
}
