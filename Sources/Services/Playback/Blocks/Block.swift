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
    let states: [Int32: MediaState]
    /// About how much memory it takes.
    let byteCount: Int

    init(_ record: QuarterRecord, states: [Int32: MediaState]) {
        quarter = record.quarter
        version = record.version
        segments = record.segments
        self.states = states
        byteCount = Self.byteCount(of: record.segments, states)
    }

    private static func byteCount(of segments: [RecordedSegment], _ states: [Int32: MediaState]) -> Int {
        let vectors = segments.count { $0.iv != nil }
        return Limits.blockOverhead + segments.count * MemoryLayout<RecordedSegment>.stride
            + vectors * Limits.vectorBytes + states.count * Limits.stateBytes
    }
}
