import Catalogue
import Timeline

/// The segments of one rendition that begin in one aligned quarter of an hour.
///
/// Never changes, and never depends on a request: another content of the quarter is another block.
final class Block: Sendable {
    let quarter: Quarter
    let version: QuarterVersion?
    /// In order of their starts.
    let segments: [RecordedSegment]
    /// The states that the segments refer to.
    let formats: [Int32: SegmentFormat]
    let summary: BlockSummary
    /// The lines of the segments, where those do not depend on what stands before the block.
    let text: BlockText?
    /// About how much memory it takes, with its text once that is made.
    let byteCount: Int

    init(_ record: QuarterRecord, formats: [Int32: SegmentFormat], rendition: RenditionID) {
        quarter = record.quarter
        version = record.version
        segments = record.segments
        self.formats = formats
        summary = BlockSummary(record.segments, formats: formats)
        text = BlockText(record.segments, formats: formats, summary: summary, rendition: rendition)
        byteCount = Self.byteCount(of: record.segments, formats)
    }

    private static func byteCount(of segments: [RecordedSegment], _ formats: [Int32: SegmentFormat]) -> Int {
        let vectors = segments.count { $0.iv != nil }
        return Limits.blockOverhead
            + segments.count * (MemoryLayout<RecordedSegment>.stride + Limits.entryBytes)
            + vectors * (Limits.vectorBytes + Limits.keyLineBytes) + formats.count * Limits.formatBytes
    }
}
