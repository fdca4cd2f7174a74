import Catalogue
import Timeline

/// Finds the key frames of segments, both in the order of their starts.
struct KeyFrameMatching {
    private let found: [SegmentKeyFrames]
    private var position = 0

    init(_ found: [SegmentKeyFrames]) {
        self.found = found
    }

    /// The key frames of the segment's bytes; nil if none are known.
    ///
    /// Segments come in order.
    mutating func keyFrames(of segment: RecordedSegment) -> KeyFrames? {
        keyFrames(of: segment.start, segment.revision)
    }

    /// The same of a segment that is not copied for it.
    mutating func keyFrames(of start: Instant, _ revision: Int16) -> KeyFrames? {
        while position < found.count, found[position].start < start { position += 1 }
        var index = position
        while index < found.count, found[index].start == start {
            if found[index].revision == revision { return found[index].keyFrames }
            index += 1
        }
        return nil
    }
}
