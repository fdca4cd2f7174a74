package import Catalogue
package import Timeline

/// Segments that follow each other in the published log, of one rendition.
package struct PublishedSegments: Sendable {
    package var rendition: ListedRendition
    package var formats: [Int32: SegmentFormat]
    /// Whether the channel has audio renditions beside this one, also where their segments are lost.
    package var hasSeparateAudio: Bool
}

/// What follows an instant in the published log.
package enum PublishedStretch: Sendable {
    case segments(PublishedSegments)
    /// Nothing before this instant, where the next search begins. It lies before what was asked for if the
    /// channel was reanchored.
    case nothing(before: Instant)
}

extension PlaybackService {
    /// The next published segments that overlap or follow an instant, of at most a minute.
    ///
    /// They belong to the rendition `id`. If `id` is nil, they belong to the preferred rendition if it has
    /// any, else to the leading one. Holes are skipped. What is not in memory is read in the turns of the
    /// client. Throws `noSuchRendition` if the channel has no rendition `id`.
    package func published(
        from begin: Instant, of channel: Channel, _ id: RenditionID?, preferring preferred: RenditionID?,
        for client: String?,
    ) async throws(PlaybackError) -> PublishedStretch {
        var seen = try await PlaybackError.mapping { () throws(CatalogueError) in
            try await index.head(of: channel.row, isGrowing: true).head
        }
        if let id {
            seen.renditions.removeAll { $0.description.id != id }
            guard !seen.renditions.isEmpty else { throw .noSuchRendition(id) }
        }
        let end = seen.publishedHead.watermark
        // The last segment may end after the watermark, or before it if later media was given up. A position
        // after both is no longer on the timeline: the channel was reanchored.
        if begin > max(end, seen.publishedHead.end) { return .nothing(before: end) }
        // Nothing lies before the first quarter of an hour in which something is held.
        let first = seen.renditions.compactMap(\.firstQuarter).min() ?? end.microseconds
        var from = max(begin, seen.publishedHead.expiredBefore, Instant(microseconds: first))
        var step = Limits.followedMicroseconds
        while from < end, !Task.isCancelled {
            let until = min(from + step, end)
            let held = try await held(seen, until, until - from, for: client)
            let listed = held.renditions.filter { !$0.segments.isEmpty }
            let wanted = listed.first { $0.id == id ?? preferred }
            if let chosen = id == nil ? wanted ?? PlaylistContents.leading(of: listed) : wanted {
                return .segments(
                    PublishedSegments(
                        rendition: chosen, formats: held.formats,
                        hasSeparateAudio: (chosen.description.statesSeparateAudio ? held.renditions : listed)
                            .contains { $0.id.kind == .audio && $0.id != chosen.id }))
            }
            (from, step) = (until, min(step * Limits.slidingStep, Limits.slidingLookBack))
        }
        return .nothing(before: max(begin, min(from, end)))
    }

    /// Where a stream begins that plays what players of a time-shifted playlist start with.
    package func start(
        shiftedBy delay: Int64, of channel: Channel, now: Instant, for client: String?,
    ) async throws(PlaybackError) -> Instant? {
        var request = WindowRequest(.timeshift(delay: delay))
        request.client = client
        let contents = try await compose(request, of: channel, now: now)
        // Others ended before, or lag behind.
        let edge = contents.renditions.compactMap(\.segments.last?.end).max()
        let newest = contents.renditions.filter { rendition in
            guard let edge, let last = rendition.segments.last else { return false }
            return edge - last.end < last.duration
        }
        guard let segments = PlaylistContents.leading(of: newest)?.segments else { return nil }
        return segments.dropFirst(max(0, segments.count - Limits.segmentsAfterStart - 1)).first { _ in true
        }?
        .start
    }
}
