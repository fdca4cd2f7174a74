import Catalogue
import Synchronization
import Timeline

/// The segments of one rendition that begin in one aligned quarter of an hour.
///
/// A block is immutable and independent of any request. If the content of the quarter changes, a new block
/// replaces it.
final class Block: Sendable {
    let quarter: Quarter
    let version: QuarterVersion?
    /// Ordered by start.
    let segments: [RecordedSegment]
    /// The formats that the segments refer to.
    let formats: [Int32: SegmentFormat]
    let summary: BlockSummary
    let totals: BlockTotals
    /// The playlist lines of the segments that are the same in every playlist.
    let text: BlockText?
    /// Read when an I-frame playlist is first asked for.
    let keyFrames = OnceReference<BlockKeyFrames>()
    /// The same quarter, with the better bytes of repaired segments; nil if no segment was repaired.
    let repaired: Block?
    /// Whether it is such a version.
    let isRepaired: Bool
    /// Approximate memory use, including the text once it is rendered.
    let byteCount: Int
    /// Whether the block was used without a cache lookup since the last `takeTouch`.
    private let isTouched = Atomic(false)

    init(
        _ record: QuarterRecord, formats: [Int32: SegmentFormat], rendition: RenditionID,
        isRepaired: Bool = false,
    ) {
        self.isRepaired = isRepaired
        quarter = record.quarter
        version = record.version
        segments = record.segments
        self.formats = formats
        summary = BlockSummary(record.segments, formats: formats)
        totals = BlockTotals(record.segments)
        text = BlockText(
            record.segments, formats: formats, summary: summary, quarter: record.quarter,
            rendition: rendition)
        repaired = record.repaired.map { segments in
            Block(
                QuarterRecord(quarter: record.quarter, version: record.version, segments: segments),
                formats: formats, rendition: rendition, isRepaired: true)
        }
        byteCount = Self.byteCount(of: record.segments, formats) + (repaired?.byteCount ?? 0)
    }

    /// Notes a use; it writes only the first time, because all threads read the block.
    func touch() {
        if !isTouched.load(ordering: .relaxed) { isTouched.store(true, ordering: .relaxed) }
    }

    /// Whether there was a use since the last call.
    func takeTouch() -> Bool {
        let isRepairTouched = repaired?.takeTouch() ?? false
        return isTouched.exchange(false, ordering: .relaxed) || isRepairTouched
    }

    private static func byteCount(of segments: [RecordedSegment], _ formats: [Int32: SegmentFormat]) -> Int {
        var (vectors, cueTags) = (0, 0)
        for index in segments.indices {
            if segments[index].iv != nil { vectors += 1 }
            guard segments[index].flags.contains(.hasCueTags) else { continue }
            for tag in segments[index].cueTags { cueTags += 2 * tag.utf8.count + Limits.cueTagBytes }
        }
        return Limits.blockOverhead
            + segments.count * (MemoryLayout<RecordedSegment>.stride + Limits.entryBytes)
            + vectors * (Limits.vectorBytes + Limits.keyLineBytes) + formats.count * Limits.formatBytes
            + cueTags
    }
}
