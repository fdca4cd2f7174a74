import Catalogue
import Timeline

/// Selects the segments of a window from blocks.
struct BlockSelection {
    let window: TimeWindow
    let scope: SegmentScope
    /// In the published scope only segments that begin before it are selected.
    ///
    /// No more such segments can appear. A decision that is based on them stays valid, even if a rendition
    /// has segments after the watermark.
    let watermark: Instant

    /// The quarters in which segments of the window can begin; nil if there are none.
    func range(of rendition: KnownRendition) -> QuarterRange? {
        guard let recorded = rendition.firstQuarter else { return nil }
        let end = scope == .published ? min(window.end, watermark) : window.end
        let begin = max(window.begin - Catalogue.longestSegment, Instant(microseconds: recorded))
        guard window.begin < end, begin < end else { return nil }
        let first = Quarter(rendition: rendition.row, containing: begin.microseconds)
        let last = Quarter(rendition: rendition.row, containing: end.microseconds - 1)
        return QuarterRange(
            first: first, count: Int((last.begin - first.begin) / Quarter.microseconds) + 1)
    }

    func segments(of blocks: [Block]) -> SegmentList {
        var all = SegmentList()
        for block in blocks {
            // A growing playlist never changes a listed segment, so it keeps the bytes from before a repair.
            let block = scope == .archive ? block.repaired ?? block : block
            all.append(block, block.segments.indices)
        }
        return all.filter(knowing: judge, takes)
    }

    private func judge(_ piece: SegmentList.Piece) -> Bool? {
        let lies = piece.lies(in: window)
        guard scope == .published, lies != false else { return lies }
        return piece.block.summary.isPublished && piece.last.start < watermark ? lies : nil
    }

    private func takes(_ segment: RecordedSegment) -> Bool {
        guard segment.window.overlaps(window) else { return false }
        return scope == .archive || segment.number != nil && segment.start < watermark
    }
}
