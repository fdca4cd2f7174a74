package import Timeline

/// The segments of one rendition that an answer lists.
package struct ListedRendition: Sendable {
    package var description: RenditionDescription
    package var segments: SegmentList
    /// In a growing playlist the time that it can list so far.
    ///
    /// A segment that ends after the live edge is not listed yet, but is not missing either.
    var listableWindow: TimeWindow?
    /// The begin of the first quarter of an hour in which the channel holds something of it, microseconds.
    var firstQuarter: Int64?

    package var id: RenditionID { description.id }

    /// Microseconds of a window that no segment covers; differences below a millisecond do not count.
    func missing(in window: TimeWindow) -> Int64 {
        let window = listableWindow.map { window.clamped(to: $0) } ?? window
        var missing: Int64 = 0
        var covered = window.begin
        for piece in segments.pieces {
            let isKnown =
                piece.isWhole && piece.block.summary.isOrdered && covered <= piece.first.end
                && piece.last.start <= window.end
            for segment in isKnown ? piece.segments.prefix(1) : piece.segments {
                let pause = min(segment.start, window.end) - covered
                if pause > Limits.timeTolerance { missing += pause }
                covered = max(covered, segment.end)
            }
            if isKnown {
                missing += piece.block.summary.missing
                covered = max(covered, piece.last.end)
            }
        }
        let rest = window.end - covered
        return rest > Limits.timeTolerance ? missing + rest : missing
    }

    /// How many entries its playlist has that no other playlist shares, at most.
    func ownEntries(withGaps: Bool) -> Int64 {
        let own = segments.pieces.reduce(Int64(0)) {
            $1.isWhole && $1.block.text != nil ? $0 : $0 + Int64($1.range.count)
        }
        return withGaps ? own + gapCount : own
    }

    /// How many EXT-X-GAP entries its holes need.
    var gapCount: Int64 {
        guard let first = segments.first, let last = segments.last,
            missing(in: TimeWindow(begin: first.start, end: last.end)) > Limits.holeTolerance
        else { return 0 }
        return zip(segments, segments.dropFirst()).reduce(0) {
            $0 + EntryRenderer.gapCount(between: $1.0, and: $1.1)
        }
    }

    /// The target duration of its own playlist.
    var targetSeconds: Int {
        let longest = segments.pieces.reduce(0) { longest, piece in
            piece.isWhole
                ? max(longest, piece.block.summary.longest)
                : piece.segments.reduce(longest) { max($0, $1.mediaDuration) }
        }
        return .target(ofLongest: longest)
    }
}
