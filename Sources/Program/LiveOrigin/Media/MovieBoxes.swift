/// Boxes of an ISO base media file (ISO/IEC 14496-12 §4.2).
struct MovieBox {
    let type: String
    /// The bytes after size and type.
    let content: Range<Int>

    /// The boxes in a range, until the first that does not fit.
    static func boxes(of bytes: [UInt8], in range: Range<Int>) -> [MovieBox] {
        var boxes: [MovieBox] = []
        var offset = range.lowerBound
        while range.upperBound - offset >= 8 {
            let length = Int(number(bytes, at: offset, length: 4))
            guard length >= 8, length <= range.upperBound - offset else { break }
            let type = String(decoding: bytes[offset + 4..<offset + 8], as: UTF8.self)
            boxes.append(MovieBox(type: type, content: offset + 8..<offset + length))
            offset += length
        }
        return boxes
    }

    /// Every box at a path of types, from the top.
    static func all(_ path: [String], of bytes: [UInt8], in range: Range<Int>? = nil) -> [MovieBox] {
        guard let type = path.first else { return [] }
        let found = boxes(of: bytes, in: range ?? 0..<bytes.count).filter { $0.type == type }
        return path.count == 1
            ? found : found.flatMap { all(Array(path.dropFirst()), of: bytes, in: $0.content) }
    }

    /// A `free` box that contains a text.
    static func free(_ text: String) -> [UInt8] {
        Array(free(contentLength: text.utf8.count).prefix(8)) + Array(text.utf8)
    }

    /// A `free` box of zeros.
    static func free(contentLength: Int) -> [UInt8] {
        let length = UInt32(clamping: contentLength + 8)
        return (0..<4).map { UInt8(truncatingIfNeeded: length >> (24 - 8 * UInt32($0))) }
            + Array("free".utf8) + [UInt8](repeating: 0, count: contentLength)
    }

    /// A big-endian number; 0 when it would extend beyond the end.
    static func number(_ bytes: [UInt8], at offset: Int, length: Int) -> UInt64 {
        guard offset >= 0, offset + length <= bytes.count else { return 0 }
        return bytes[offset..<offset + length].reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Adds to a big-endian number in place, unless it extends beyond the end.
    static func add(_ amount: UInt64, to bytes: inout [UInt8], at offset: Int, length: Int) {
        guard offset >= 0, offset + length <= bytes.count else { return }
        let sum = number(bytes, at: offset, length: length) &+ amount
        for index in 0..<length {
            bytes[offset + index] = UInt8(truncatingIfNeeded: sum >> UInt64(8 * (length - 1 - index)))
        }
    }
}
