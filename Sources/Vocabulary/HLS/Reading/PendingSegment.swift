/// The tags of a segment whose URI has not been read yet.
struct PendingSegment {
    var durationMicroseconds: Int64 = 0
    var hasDuration = false
    var isNegative = false
    var title: String?
    var byteRange: ListedByteRange?
    var discontinuityCount = 0
    var programDateTimeMicroseconds: Int64?
    var isGap = false
    var partLines: [String] = []
    var unknownLines: [String] = []
}
