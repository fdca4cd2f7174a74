import Catalogue
package import Timeline

/// What an answer lists: the same for each of its renditions, whichever is asked for.
package struct PlaylistContents: Sendable {
    package var plan: WindowPlan
    /// As asked, the end at most the live edge and `next`.
    package var window: TimeWindow
    /// Where another answer goes on.
    package var next: Instant?
    /// Nothing will be appended any more.
    package var isEnded: Bool
    /// Everything up to the end is published or given up, and nothing is under way.
    package var isFinal: Bool
    package var targetSeconds: Int
    /// In order of their ids; none is empty.
    package var renditions: [ListedRendition]
    /// Every rendition of the channel, those with nothing in the window too.
    package var known: [RenditionID]
    package var formats: [Int32: SegmentFormat]
    package var writesGaps: Bool
    var discontinuities: DiscontinuitySequences

    package subscript(id: RenditionID) -> ListedRendition? {
        renditions.first { $0.id == id }
    }

    /// The best video, else the first audio, else whatever there is.
    package var leading: ListedRendition? {
        Self.leading(of: renditions)
    }

    /// The rendition whose segments begin first; of several the leading one.
    package var earliest: ListedRendition? {
        let begin = renditions.compactMap(\.segments.first?.start).min()
        return Self.leading(of: renditions.filter { $0.segments.first?.start == begin })
    }

    static func leading(of renditions: [ListedRendition]) -> ListedRendition? {
        let videos = renditions.filter { $0.id.kind == .video }
        let best = videos.max {
            ($0.description.bandwidth ?? 0, $1.id) < ($1.description.bandwidth ?? 0, $0.id)
        }
        return best ?? renditions.first
    }

    /// How complete a rendition is, in microseconds; both make up the window.
    package func completeness(of rendition: ListedRendition) -> (held: Int64, missing: Int64) {
        let missing = rendition.missing(in: window)
        return (window.microseconds - missing, missing)
    }

    /// Throws if anything is missing in a rendition; in any of them when none is named.
    package func checkWhole(_ named: RenditionID?) throws(PlaybackError) {
        for rendition in renditions where named == nil || rendition.id == named {
            let missing = completeness(of: rendition).missing
            if missing > 0 { throw .incomplete(rendition: rendition.id, missing: missing) }
        }
    }
}
