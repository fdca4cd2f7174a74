/// A part of a resource with its absolute position; after reading, its end fits in 63 bits.
package struct ByteRange: Sendable, Hashable {
    /// Bytes in the part.
    package var length: UInt64
    /// Bytes before the part.
    package var offset: UInt64

    package init(length: UInt64, offset: UInt64) {
        self.length = length
        self.offset = offset
    }

    /// The offset of the byte after the part, where a following part without offset begins.
    package var end: UInt64 {
        let (sum, overflowed) = offset.addingReportingOverflow(length)
        return overflowed ? .max : sum
    }

    /// The form `length@offset` of BYTERANGE (RFC 8216bis §4.4.4.2).
    var text: String { "\(length)@\(offset)" }
}

/// `n[@o]` as written in the playlist, before a missing offset is resolved.
struct ListedByteRange: Equatable {
    var length: UInt64
    var offset: UInt64?

    /// Reads `n[@o]`; nil when the end of the range exceeds 63 bits.
    init?(_ bytes: ArraySlice<UInt8>) {
        var cursor = ByteCursor(bytes)
        guard let length = cursor.unsigned() else { return nil }
        self.length = length
        if cursor.skip(ASCII.at) {
            guard let offset = cursor.unsigned() else { return nil }
            self.offset = offset
        }
        guard cursor.isAtEnd, resolved(after: 0) != nil else { return nil }
    }

    /// The absolute range, which begins at `end` when the text has no offset.
    func resolved(after end: UInt64) -> ByteRange? {
        let start = offset ?? end
        let (sum, overflowed) = start.addingReportingOverflow(length)
        guard !overflowed, sum <= UInt64(Int64.max) else { return nil }
        return ByteRange(length: length, offset: start)
    }
}
