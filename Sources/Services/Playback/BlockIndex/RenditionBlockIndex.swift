import Catalogue
import Timeline

/// The blocks of one rendition that are in memory; those of a window are found by arithmetic.
///
/// Blocks may be years apart. Only consecutive blocks share a span, so the size of the index is bounded by
/// the number of its blocks.
final class RenditionBlockIndex: Sendable {
    let description: RenditionDescription
    /// The begin of the first quarter in which something is held; nil if nothing is.
    private let held: Int64?
    /// In order of time; no two of them are adjacent.
    let spans: [BlockSpan]

    /// `blocks` are those in memory, by the start of their quarter.
    ///
    /// `previous` are spans of the same rendition that may be kept.
    init(_ rendition: KnownRendition, replacing previous: [BlockSpan] = [], _ blocks: [Int64: Block]) {
        description = rendition.description
        held = rendition.firstQuarter
        let known = Dictionary(previous.map { ($0.origin, $0) }) { first, _ in first }
        var (spans, neighbours, origin): ([BlockSpan], [Block], Int64) = ([], [], 0)
        func addSpan() {
            if !neighbours.isEmpty { spans.append(.made(of: neighbours, origin, replacing: known[origin])) }
        }
        for (begin, block) in blocks.sorted(by: { $0.key < $1.key }) {
            if begin != origin + Int64(neighbours.count) * Quarter.microseconds {
                addSpan()
                (neighbours, origin) = ([], begin)
            }
            neighbours.append(block.repaired ?? block)
        }
        addSpan()
        self.spans = spans
    }

    enum Found {
        /// A block is not in memory.
        case absent
        /// What the window lists is not one run, so it has to be composed.
        case irregular
        /// No segment overlaps the window.
        case nothing
        case segments(WindowSlice)
    }

    /// The segments that overlap a window.
    func find(_ window: TimeWindow) -> Found {
        guard let held else { return .nothing }
        let (begin, end) = (window.begin.microseconds, window.end.microseconds)
        let earliest = max(begin - Catalogue.longestSegment, held)
        guard begin < end, earliest < end else { return .nothing }
        // Most windows are in the last span, which has the live edge.
        let next = spans.indices.first(near: spans.count) { spans[$0].origin > earliest }
        return next > 0 ? spans[next - 1].find(window, from: earliest) : .absent
    }
}
