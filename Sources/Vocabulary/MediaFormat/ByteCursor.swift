/// Reads big-endian values from a range of bytes; a read beyond the end gives nil.
struct ByteCursor {
    private let bytes: ArraySlice<UInt8>
    private(set) var position: Int

    init(_ bytes: [UInt8]) {
        self.init(bytes[...])
    }

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        position = bytes.startIndex
    }

    var remaining: Int { bytes.endIndex - position }
    /// The bytes that have not been read.
    var rest: ArraySlice<UInt8> { bytes[position...] }

    mutating func byte() -> UInt8? {
        guard position < bytes.endIndex else { return nil }
        defer { position += 1 }
        return bytes[position]
    }

    /// An unsigned value of at most 8 bytes.
    mutating func value(byteCount: Int) -> UInt64? {
        guard let taken = take(byteCount) else { return nil }
        return taken.rest.reduce(0) { $0 << 8 | UInt64($1) }
    }

    mutating func uint16() -> UInt16? { value(byteCount: 2).map(UInt16.init(truncatingIfNeeded:)) }
    mutating func uint32() -> UInt32? { value(byteCount: 4).map(UInt32.init(truncatingIfNeeded:)) }
    mutating func uint64() -> UInt64? { value(byteCount: 8) }

    /// Skips bytes; false, without moving, when fewer remain.
    @discardableResult
    mutating func skip(_ count: Int) -> Bool {
        guard count >= 0, count <= remaining else { return false }
        position += count
        return true
    }

    /// The next bytes as a cursor of their own.
    mutating func take(_ count: Int) -> ByteCursor? {
        let start = position
        return skip(count) ? ByteCursor(bytes[start..<position]) : nil
    }
}
