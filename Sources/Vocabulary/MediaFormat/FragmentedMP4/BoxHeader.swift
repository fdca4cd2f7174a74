/// Type and size of a box.
struct BoxHeader: Equatable {
    let type: String
    /// Length of the header itself: 8, or 16 with a 64-bit size.
    let byteCount: Int
    /// Nil for a box that extends to the end of the file (size 0).
    let contentByteCount: UInt64?

    /// Bytes needed to read this header; nil when fewer than eight are given.
    static func neededByteCount(_ bytes: ArraySlice<UInt8>) -> Int? {
        guard bytes.count >= 8 else { return nil }
        return bytes.prefix(4).elementsEqual([0, 0, 0, 1]) ? 16 : 8
    }

    /// Nil when there are too few bytes or the size is smaller than the header.
    init?(reading bytes: ArraySlice<UInt8>) {
        var cursor = ByteCursor(bytes)
        guard let size = cursor.uint32(), let name = cursor.take(4) else { return nil }
        type = Self.text(name.rest)
        switch size {
        case 0:
            (byteCount, contentByteCount) = (8, nil)
        case 1:
            guard let long = cursor.uint64(), long >= 16 else { return nil }
            (byteCount, contentByteCount) = (16, long - 16)
        default:
            guard size >= 8 else { return nil }
            (byteCount, contentByteCount) = (8, UInt64(size) - 8)
        }
    }

    /// Four printable characters; other bytes become a question mark.
    static func text(_ bytes: ArraySlice<UInt8>) -> String {
        String(decoding: bytes.map { (0x20...0x7E).contains($0) ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
    }
}
