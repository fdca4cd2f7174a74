import Catalogue
import Timeline

/// Finds the key frames of segments, both in the order of their starts.
struct KeyFrameMatching {
    private let entries: [QuarterKeyFrames.Entry]
    private var position = 0

    init(_ found: QuarterKeyFrames) {
        entries = found.entries
    }

    /// The entry of the segment with a start, and of a revision of its bytes; nil if no key frames are known.
    ///
    /// Segments come in order.
    mutating func entry(of start: Instant, _ revision: Int16) -> QuarterKeyFrames.Entry? {
        while position < entries.count, entries[position].start < start { position += 1 }
        var index = position
        while index < entries.count, entries[index].start == start {
            if entries[index].revision == revision { return entries[index] }
            index += 1
        }
        return nil
    }
}
