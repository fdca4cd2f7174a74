/// The tags of a segment whose URI has not been read yet.
struct PendingSegment {
    var durationMicroseconds: Int64 = 0
    var hasDuration = false
    var isNegative = false
    /// The line of EXTINF.
    var durationLine = 0
    var title: String?
    var byteRange: ListedByteRange?
    /// EXT-X-BYTERANGE says no range that a resource can have.
    var lacksRange = false
    var discontinuityCount = 0
    var programDateTimeMicroseconds: Int64?
    var isGap = false
    var partLines: [String] = []
    var unknownLines: [String] = []

    /// Drops what applied to a URI that is no segment; discontinuities and unknown lines stay.
    mutating func dropURI() {
        byteRange = nil
        lacksRange = false
        programDateTimeMicroseconds = nil
        isGap = false
    }
}
