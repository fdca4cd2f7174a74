import Catalogue
import HLS
package import Timeline

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
        return cut(at: end, rendition)
    }

    /// The same window, cut where the audio of a video begins; nil unless the video plays for longer than
    /// `delay` microseconds before.
    ///
    /// It ends before the video segment during which the audio begins.
    package func cutBefore(
        _ audio: ListedRendition, of video: ListedRendition, delay: Int64,
    ) -> (window: PlaylistContents, rendition: ListedRendition)? {
        guard let begin = audio.segments.first?.start,
            let end = video.segments.lastStart(notAfter: begin),
            video.segments.plays(for: delay, before: end)
        else { return nil }
        return cut(at: end, video)
    }

    /// The same window, without audio before its start in another format than the audio at its start.
    ///
    /// Audio is listed from the start of the first video segment, which may be before the window. A change of
    /// the audio format there must not end the file.
    package func beginningInOneFormat(_ audio: RenditionID) -> PlaylistContents {
        guard let index = renditions.firstIndex(where: { $0.id == audio }) else { return self }
        var contents = self
        while let first = contents.renditions[index].segments.first,
            let change = contents.renditions[index].segments.fileEnd(formats, longest: .max),
            first.start < change, change <= plan.window.begin
        {
            contents.renditions[index].segments = contents.renditions[index].segments.beginning(from: change)
        }
        return contents
    }

    private func cut(
        at end: Instant, _ rendition: ListedRendition,
    ) -> (window: PlaylistContents, rendition: ListedRendition) {
        var cut = self
        cut.window.end = min(window.end, max(end, window.begin))
        // What starts after the window is not part of it.
        if end < plan.window.end { cut.next = next.map { min($0, end) } ?? end }
        cut.renditions = renditions.compactMap { listed in
            var listed = listed
            let begin = min(plan.window.begin, listed.segments.first?.start ?? end)
            listed.segments = listed.segments.overlapping(TimeWindow(begin: begin, end: end))
            return listed.segments.isEmpty ? nil : listed
        }
        return (cut, cut[rendition.id] ?? rendition)
    }

    /// The audio that belongs to a video: the default of its group, else the first.
    ///
    /// If none is in its group, because the newest source names it differently, all count.
    package func audio(of video: ListedRendition) -> ListedRendition? {
        let all = renditions.filter { $0.id.kind == .audio }
        let group = all.compactMap { audio in
            audio.description.isDefault(in: video.description.audioGroup).map { (audio, isDefault: $0) }
        }
        if let first = group.first { return group.first(where: \.isDefault)?.0 ?? first.0 }
        return all.first(where: \.description.isDefault) ?? all.first
    }

    /// Whether a rendition begins without audio although the channel has audio renditions, none of them here.
    package func mayLackAudio(beside rendition: ListedRendition) -> Bool {
        guard rendition.id.kind == .video, absent.contains(where: { $0.kind == .audio }),
            !renditions.contains(where: { $0.id.kind == .audio })
        else { return false }
        return rendition.segments.first.flatMap { formats[$0.formatID]?.isSilent } ?? false
    }
}

extension RenditionDescription {
    /// Whether it is the default of a group of alternatives; nil if it is not in the group.
    fileprivate func isDefault(in group: String?) -> Bool? {
        if groupID == group { return isDefault }
        return statedAlternatives.first { $0.groupID == group }?.isDefault
    }

    /// Whether the source states a group of audio for a video, and none of it is part of the video's media.
    var statesSeparateAudio: Bool {
        guard let audioGroup else { return false }
        return !statedAlternatives.contains { $0.type == .audio && $0.groupID == audioGroup }
    }

    /// The further tags by which it is an alternative, or those of what is part of a variant's media.
    var statedAlternatives: [Rendition] { (media ?? []).compactMap { Rendition(AttributeList($0)) } }
}

extension SegmentList {
    fileprivate func beginning(from instant: Instant) -> SegmentList {
        filter(knowing: { _ in nil }, { $0.start >= instant })
    }

    /// The start of the last segment that does not begin after an instant; nil if all do.
    fileprivate func lastStart(notAfter instant: Instant) -> Instant? {
        let piece = pieces.last { $0.first.start <= instant }
        return piece?.segments.last { $0.start <= instant }?.start
    }

    /// Whether the media of the segments that begin before an instant play for longer than so many
    /// microseconds.
    fileprivate func plays(for microseconds: Int64, before end: Instant) -> Bool {
        var sum: Int64 = 0
        for segment in self {
            guard segment.start < end else { return false }
            sum += segment.mediaDuration
            if sum > microseconds { return true }
        }
        return false
    }

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
                reference = reference.map { format.tracks.isEmpty ? $0 : format.completed(by: $0) } ?? format
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
