package import Timeline

/// A key frame of the archive, and how wide its picture is wanted.
package struct WantedPicture: Sendable, Hashable {
    package var segment: ArchiveKey
    package var format: SegmentFormat
    /// Of an encrypted segment.
    package var iv: [UInt8]?
    /// Bytes of the tables at the begin of the segment; 0 if the frame needs none.
    package var tableByteCount: Int
    package var frame: KeyFrame
    /// Pixels; nil for the recorded width.
    package var width: Int?

    package init(
        segment: ArchiveKey, format: SegmentFormat, iv: [UInt8]?, tableByteCount: Int, frame: KeyFrame,
        width: Int?,
    ) {
        (self.segment, self.format, self.iv) = (segment, format, iv)
        (self.tableByteCount, self.frame, self.width) = (tableByteCount, frame, width)
    }

    /// The initialization section that stands before the frame.
    var initialization: ArchiveKey? {
        guard let name = format.initName else { return nil }
        switch segment {
        case .segment(let channel, let rendition, _): return .initialization(channel, rendition, name)
        case .initialization, .key: return nil
        }
    }

    /// Nil if the segment is clear.
    var key: ArchiveKey? {
        guard let name = format.keyName, case .segment(let channel, _, _) = segment else { return nil }
        return .key(channel, name)
    }
}
