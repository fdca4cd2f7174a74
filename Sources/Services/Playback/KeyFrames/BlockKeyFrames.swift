import Catalogue
import Timeline

/// The key frames of a block, with their lines of I-frame playlists.
final class BlockKeyFrames: Sendable {
    /// A quarter of an hour may have a thousand.
    private struct Frame {
        /// The position of its segment in the block.
        var row: Int32
        var offset: Int32
        var byteCount: Int32
        var milliseconds: Int32

        init(row: Int, _ place: KeyFrame) {
            self.row = Int32(row)
            offset = Int32(clamping: place.offset)
            byteCount = Int32(clamping: place.byteCount)
            milliseconds = Int32(clamping: place.milliseconds)
        }

        var place: KeyFrame {
            KeyFrame(offset: Int(offset), byteCount: Int(byteCount), milliseconds: Int(milliseconds))
        }
    }

    /// In the order of the segments.
    private let frames: [Frame]
    /// Where those of each segment begin, and the end of the last one.
    private let firsts: [Int32]
    /// The bytes of the tables of each segment.
    private let tables: [Int32]
    private let segments: [RecordedSegment]
    /// The lines of all frames, each of which lasts until the next one, and the last until the end of the
    /// segments.
    ///
    /// Nil if playlists cannot share them.
    let text: BlockText?
    /// The longest duration of a frame, microseconds; 0 if a frame is too short or too late.
    let longest: Int64
    /// Approximate memory use, including the text once it is written.
    let byteCount: Int

    /// `found` are those of the block's quarter.
    init(_ found: QuarterKeyFrames, of block: Block, rendition: RenditionID) {
        var matching = KeyFrameMatching(found)
        var (frames, firsts, tables): ([Frame], [Int32], [Int32]) = ([], [], [])
        frames.reserveCapacity(found.frames.count)
        firsts.reserveCapacity(block.segments.count + 1)
        tables.reserveCapacity(block.segments.count)
        let segments = block.segments
        for row in segments.indices {
            let isKnown = segments[row].flags.contains(.hasKeyFrames)
            let known = isKnown ? matching.entry(of: segments[row].start, segments[row].revision) : nil
            firsts.append(Int32(frames.count))
            tables.append(Int32(clamping: known?.tableByteCount ?? 0))
            for index in known?.frames ?? 0..<0 { frames.append(Frame(row: row, found.frames[index])) }
        }
        firsts.append(Int32(frames.count))
        (self.frames, self.firsts, self.tables, self.segments) = (frames, firsts, tables, segments)
        byteCount = frames.count * Limits.keyFrameBytes + firsts.count * 2 * MemoryLayout<Int32>.stride
        longest = Self.longest(frames, block.segments)
        guard let format = block.text?.format, format.isClear, longest > 0 else {
            text = nil
            return
        }
        let (own, entry) = (frames, EntryRenderer(rendition: rendition))
        text = BlockText(position: block.quarter.begin / Quarter.microseconds, format: format) {
            Self.written(own, segments, entry, format)
        }
    }

    /// The number of segments.
    var rowCount: Int { tables.count }

    /// The positions of the frames of some segments.
    func frames(of rows: Range<Int>) -> Range<Int> {
        Int(firsts[rows.lowerBound])..<Int(firsts[rows.upperBound])
    }

    /// The frames of a segment; nil if it has none.
    func keyFrames(of row: Int) -> KeyFrames? {
        let range = frames(of: row..<(row + 1))
        return range.isEmpty
            ? nil : KeyFrames(tableByteCount: tableByteCount(of: row), frames: range.map(place))
    }

    func tableByteCount(of row: Int) -> Int { Int(tables[row]) }

    func place(_ index: Int) -> KeyFrame { frames[index].place }

    /// The position of a frame's segment in the block.
    func row(_ index: Int) -> Int { Int(frames[index].row) }

    func begin(_ index: Int) -> Instant { Self.begin(frames[index], segments) }

    /// How long a frame lasts in the text, microseconds.
    func duration(_ index: Int) -> Int64 { Self.duration(index, frames, segments) }

    /// How long some frames last in the text, microseconds.
    func duration(_ range: Range<Int>) -> Int64 {
        begin(range.upperBound - 1) + duration(range.upperBound - 1) - begin(range.lowerBound)
    }
}

extension BlockKeyFrames {
    private static func begin(_ frame: Frame, _ segments: [RecordedSegment]) -> Instant {
        segments[Int(frame.row)].start + Int64(frame.milliseconds) * Microseconds.perMillisecond
    }

    @inline(__always)
    private static func duration(_ index: Int, _ frames: [Frame], _ segments: [RecordedSegment]) -> Int64 {
        let end =
            index + 1 < frames.count
            ? begin(frames[index + 1], segments) : segments.last?.end ?? Instant(microseconds: 0)
        return end - begin(frames[index], segments)
    }

    /// The longest time of a frame; 0 if one is shorter than a millisecond, or begins after the end of its
    /// segment.
    private static func longest(_ frames: [Frame], _ segments: [RecordedSegment]) -> Int64 {
        var longest: Int64 = 0
        for index in frames.indices {
            let duration = duration(index, frames, segments)
            let row = Int(frames[index].row)
            let time = Int64(frames[index].milliseconds) * Microseconds.perMillisecond
            guard duration >= Microseconds.perMillisecond, time < segments[row].duration else { return 0 }
            longest = max(longest, duration)
        }
        return longest
    }

    private static func written(
        _ frames: [Frame], _ segments: [RecordedSegment], _ entry: EntryRenderer, _ format: FormatText,
    ) -> BlockText.Written {
        var buffer = TextBuffer(capacity: frames.count * Limits.usualKeyFrameEntryBytes)
        var offsets: [Int] = []
        offsets.reserveCapacity(frames.count + 1)
        // The URI of the segment before, which its other frames repeat.
        var uri: (row: Int, line: Range<Int>)?
        for index in frames.indices {
            offsets.append(buffer.count)
            let row = Int(frames[index].row)
            let line = entry.write(
                frames[index].place, duration: duration(index, frames, segments), of: segments[row].start,
                segments[row].revision, format, repeating: uri?.row == row ? uri?.line : nil, to: &buffer)
            uri = (row, line)
        }
        offsets.append(buffer.count)
        return (buffer.finish(), offsets)
    }
}
