package import Catalogue
package import Timeline

/// Segments that follow each other in the published log, of one rendition.
package struct PublishedSegments: Sendable {
    package var rendition: ListedRendition
    package var formats: [Int32: SegmentFormat]
    /// Whether the channel has audio renditions beside this one.
    package var hasSeparateAudio: Bool
}

extension WindowPlayer {
    /// The next published segments that overlap or follow an instant, of at most a minute; nil if there are
    /// none yet.
    ///
    /// They are those of a rendition, or with nil of the preferred one if it has any, else of the leading
    /// one. Holes are skipped. What is not in memory is read in the turns of a client.
    package func published(
        from begin: Instant, of channel: Channel, _ id: RenditionID?, preferring preferred: RenditionID?,
        for client: String?,
    ) async throws(PlaybackError) -> PublishedSegments? {
        let seen = try await PlaybackError.mapping { () throws(CatalogueError) in
            try await index.head(of: channel.row, isGrowing: true).head
        }
        let end = seen.publishedHead.watermark
        var (from, step) = (max(begin, seen.publishedHead.expiredBefore), Limits.followedMicroseconds)
        while from < end {
            let until = min(from + step, end)
            let held = try await held(seen, until, until - from, for: client)
            let listed = held.renditions.filter { !$0.segments.isEmpty }
            let wanted = listed.first { $0.id == id ?? preferred }
            if let chosen = id == nil ? wanted ?? PlaylistContents.leading(of: listed) : wanted {
                return PublishedSegments(
                    rendition: chosen, formats: held.formats,
                    hasSeparateAudio: listed.contains { $0.id.kind == .audio && $0.id != chosen.id })
            }
            (from, step) = (until, min(step * Limits.slidingStep, Limits.slidingLookBack))
        }
        return nil
    }

    /// Where a stream begins that plays what players of a time-shifted playlist start with.
    package func start(
        shiftedBy delay: Int64, of channel: Channel, now: Instant, for client: String?,
    ) async throws(PlaybackError) -> Instant? {
        var request = WindowRequest(.timeshift(delay: delay))
        request.client = client
        let contents = try await compose(request, of: channel, now: now)
        guard let segments = contents.leading?.segments else { return nil }
        return segments.dropFirst(max(0, segments.count - Limits.segmentsBehindStart - 1)).first { _ in true
        }?
        .start
    }
}
