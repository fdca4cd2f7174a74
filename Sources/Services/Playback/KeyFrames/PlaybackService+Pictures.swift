package import Catalogue
package import Timeline

/// A key frame of the archive with what a decoder needs to know.
package struct FoundKeyFrame: Sendable {
    package var rendition: RenditionID
    package var segment: RecordedSegment
    package var format: SegmentFormat
    /// Bytes of the tables at the begin of the segment.
    package var tableByteCount: Int
    package var frame: KeyFrame
    package var begin: Instant
    /// What is known of the window in which it was found.
    package var facts: WindowFacts

    package func key(of channel: ChannelID) -> ArchiveKey {
        .segment(
            channel, rendition,
            SegmentName(
                start: segment.start, revision: segment.revision, fileExtension: format.container))
    }
}

/// Pictures.
extension PlaybackService {
    /// How far before an instant the segment with its picture may begin, microseconds.
    package static let pictureLookBack = Limits.keyFrameLookBack + Catalogue.longestSegment

    /// The last key frame at or before an instant, of a rendition; nil: of the leading one that holds
    /// something there.
    ///
    /// It is in the segment at that instant or, if that segment has no earlier key frame, in one of the last
    /// minute. Throws `nothingRecorded` if the rendition holds nothing within one segment duration before the
    /// instant. What was read of a block stays in memory with it.
    package func keyFrame(
        at time: Instant, of id: RenditionID?, _ channel: Channel, now: Instant, for client: String?,
    ) async throws(PlaybackError) -> FoundKeyFrame {
        let lookBack = min(Limits.keyFrameLookBack, maxWindowSeconds * Microseconds.perSecond)
        let spans = [
            WindowRequest.Span.closed(begin: time, end: time + Microseconds.perMillisecond),
            .closed(begin: time - lookBack, end: time),
        ]
        var failure = PlaybackError.nothingRecorded(available: [])
        for (index, span) in spans.enumerated() {
            var request = WindowRequest(span)
            (request.allowsMissingTracks, request.client) = (true, client)
            do throws(PlaybackError) {
                let contents = try await compose(
                    request, of: channel, now: now, findsAlternatives: false)
                return try await lastKeyFrame(before: time, of: id, contents, for: client)
            } catch {
                switch error {
                case .nothingRecorded:
                    // `noKeyFrames` says more than `nothingRecorded`, so the latter does not replace it.
                    if index > 0, case .noKeyFrames = failure { break }
                    failure = error
                case .noKeyFrames: failure = error
                default: throw error
                }
            }
        }
        if case .nothingRecorded = failure {
            var request = WindowRequest(spans[0])
            request.client = client
            failure = .nothingRecorded(available: try await self.available(near: request, channel))
        }
        throw failure
    }

    private func lastKeyFrame(
        before time: Instant, of id: RenditionID?, _ contents: PlaylistContents, for client: String?,
    ) async throws(PlaybackError) -> FoundKeyFrame {
        if let id, !contents.known.contains(id) { throw .noSuchRendition(id) }
        let near = contents.renditions.filter { rendition in
            rendition.segments.last.map { time - $0.end <= $0.duration } ?? false
        }
        let chosen = id.map { id in near.first { $0.id == id } } ?? PlaylistContents.leading(of: near)
        guard let rendition = chosen else { throw .nothingRecorded(available: []) }
        guard rendition.id.kind == .video else { throw .noKeyFrames(rendition.id) }
        let pieces = rendition.segments.pieces
        var blocks: [Block] = []
        for piece in pieces
        where blocks.last !== piece.block
            && piece.segments.contains(where: { $0.flags.contains(.hasKeyFrames) })
        {
            blocks.append(piece.block)
        }
        try await index.readKeyFrames(of: blocks, rendition.id, isCompressed: false, for: client)
        for piece in pieces.reversed() {
            guard let known = piece.block.keyFrames.load() else { continue }
            for row in piece.range.reversed() {
                let segment = piece.block.segments[row]
                guard let format = contents.formats[segment.formatID],
                    let found = known.frames(of: row..<(row + 1)).last(where: { known.begin($0) <= time })
                else { continue }
                return FoundKeyFrame(
                    rendition: rendition.id, segment: segment, format: format,
                    tableByteCount: known.tableByteCount(of: row), frame: known.place(found),
                    begin: known.begin(found), facts: contents.facts)
            }
        }
        throw .noKeyFrames(rendition.id)
    }
}
