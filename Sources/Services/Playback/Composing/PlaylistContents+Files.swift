import Catalogue
import Timeline

/// What a file of a window needs beside a playlist: it has no discontinuities.
extension PlaylistContents {
    /// The same window, cut where one file of the rendition ends.
    ///
    /// That is before a segment whose codec, picture size or container is another one, or when the media play
    /// for longer than `longest` microseconds.
    package func cutForFile(
        of rendition: ListedRendition, longest: Int64 = .max,
    ) -> (window: PlaylistContents, rendition: ListedRendition) {
        guard let end = rendition.segments.fileEnd(formats, longest: longest) else {
            return (self, rendition)
        }
        var cut = self
        let kept = TimeWindow(begin: plan.window.begin, end: end)
        cut.window.end = min(window.end, max(end, window.begin))
        cut.next = next.map { min($0, end) } ?? end
        cut.renditions = renditions.compactMap { listed in
            var listed = listed
            listed.segments = listed.segments.overlapping(kept)
            return listed.segments.isEmpty ? nil : listed
        }
        return (cut, cut[rendition.id] ?? rendition)
    }

    /// The audio that belongs to a video: the default of its group, else the first.
    package func audio(of video: ListedRendition) -> ListedRendition? {
        let all = renditions.filter { $0.id.kind == .audio }
        let group = all.filter { $0.description.groupID == video.description.audioGroup }
        return group.first { $0.description.isDefault } ?? group.first ?? all.first
    }
}

extension SegmentList {
    /// The begin of the first segment that one file cannot have; nil if it can have all.
    fileprivate func fileEnd(_ formats: [Int32: SegmentFormat], longest: Int64) -> Instant? {
        var reference: SegmentFormat?
        var known: Int32?
        var sum: Int64 = 0
        for piece in pieces {
            let summary = piece.block.summary
            let isKnown = piece.isWhole && summary.isUniform && piece.first.formatID == known
            if isKnown, sum + summary.duration <= longest {
                sum += summary.duration
                continue
            }
            for segment in piece.segments {
                sum += segment.mediaDuration
                if sum > longest { return segment.start }
                guard segment.formatID != known, let format = formats[segment.formatID] else { continue }
                if let reference, !format.fitsInFile(of: reference) { return segment.start }
                if reference?.tracks.isEmpty ?? true { reference = format }
                known = segment.formatID
            }
        }
        return nil
    }
}

extension SegmentFormat {
    /// Tracks that are not known are believed to be the same.
    fileprivate func fitsInFile(of other: SegmentFormat) -> Bool {
        guard !tracks.isEmpty, !other.tracks.isEmpty else { return container == other.container }
        return followsSeamlessly(other)
    }
}
