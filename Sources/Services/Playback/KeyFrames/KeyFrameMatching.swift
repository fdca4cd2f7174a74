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
        while position < found.count, found[position].start < segment.start { position += 1 }
        var index = position
        while index < found.count, found[index].start == segment.start {
            if found[index].revision == segment.revision { return found[index].keyFrames }
            index += 1
        }
        return nil
    }
}
