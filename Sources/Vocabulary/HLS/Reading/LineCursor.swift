/// The lines of a text, ended by LF, CR LF or a lone CR, without line ends and outer blanks.
struct LineCursor {
    private let bytes: [UInt8]
    private var position: Int
    /// The number of the latest line, from 1.
    private(set) var number = 0
    private(set) var endedByLoneCarriageReturn = false
    private(set) var wasTrimmed = false

    init(_ bytes: [UInt8], from position: Int) {
        self.bytes = bytes
        self.position = position
    }

    /// The next line; nil at the end of the text.
    mutating func next() -> ArraySlice<UInt8>? {
        guard position < bytes.count else { return nil }
        let start = position
        var end = start
        while end < bytes.count, bytes[end] != ASCII.lineFeed, bytes[end] != ASCII.carriageReturn { end += 1 }
        skipLineEnd(at: end)
        number += 1
        return trimmed(start..<end)
    }

    private mutating func skipLineEnd(at end: Int) {
        position = min(end + 1, bytes.count)
        endedByLoneCarriageReturn = false
        guard end < bytes.count, bytes[end] == ASCII.carriageReturn else { return }
        if position < bytes.count, bytes[position] == ASCII.lineFeed {
            position += 1
        } else {
            endedByLoneCarriageReturn = position < bytes.count
        }
    }

    private mutating func trimmed(_ range: Range<Int>) -> ArraySlice<UInt8> {
        var lower = range.lowerBound
        var upper = range.upperBound
        while lower < upper, ASCII.isBlank(bytes[lower]) { lower += 1 }
        while lower < upper, ASCII.isBlank(bytes[upper - 1]) { upper -= 1 }
        wasTrimmed = lower != range.lowerBound || upper != range.upperBound
        return bytes[lower..<upper]
    }
}
