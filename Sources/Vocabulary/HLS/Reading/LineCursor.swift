/// The lines of a text, ended by LF, CR LF or a lone CR, without line ends, outer blanks and outer control
/// characters.
struct LineCursor {
    private let bytes: [UInt8]
    private var position: Int
    /// The number of the latest line, from 1.
    private(set) var number = 0
    private(set) var endedByLoneCarriageReturn = false
    /// Whether the latest line had blanks around it.
    private(set) var hadBlanks = false
    /// Whether the latest line had control characters around it.
    private(set) var hadControls = false
    private var range = 0..<0

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
        range = start..<end
        return trimmed()
    }

    /// The latest line as it is.
    var untrimmed: ArraySlice<UInt8> { bytes[range] }

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

    private mutating func trimmed() -> ArraySlice<UInt8> {
        hadBlanks = false
        hadControls = false
        var lower = range.lowerBound
        var upper = range.upperBound
        while lower < upper, isOuter(bytes[lower]) { lower += 1 }
        while lower < upper, isOuter(bytes[upper - 1]) { upper -= 1 }
        return bytes[lower..<upper]
    }

    /// Whether a byte at an end of a line is no part of it.
    private mutating func isOuter(_ byte: UInt8) -> Bool {
        // Almost every byte is neither a blank nor a control character.
        guard byte <= ASCII.space || byte == ASCII.delete else { return false }
        if ASCII.isBlank(byte) { hadBlanks = true } else { hadControls = true }
        return true
    }
}
