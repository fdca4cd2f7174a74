/// One box (ISO 14496-12 §4.2) with its content.
struct Box {
    let type: String
    /// The bytes after the header.
    var content: ByteCursor

    /// Reads the version and flags with which a full box begins.
    mutating func fullHeader() -> (version: UInt8, flags: UInt32)? {
        content.uint32().map { (UInt8($0 >> 24), $0 & 0xFF_FFFF) }
    }
}

/// The boxes in a range of bytes, in order, until the end or the first that does not fit.
struct BoxSequence: Sequence, IteratorProtocol {
    private var rest: ByteCursor
    /// The offset of the first box that does not fit; nil while all do.
    private(set) var invalidOffset: Int?

    init(_ bytes: ByteCursor) {
        rest = bytes
    }

    mutating func next() -> Box? {
        guard invalidOffset == nil, rest.remaining > 0 else { return nil }
        let start = rest.position
        guard let header = BoxHeader(reading: rest.rest), rest.skip(header.byteCount),
            let content = rest.take(Int(clamping: header.contentByteCount ?? UInt64(rest.remaining)))
        else {
            invalidOffset = start
            return nil
        }
        return Box(type: header.type, content: content)
    }

    /// The first box of a type.
    static func first(_ type: String, in bytes: ByteCursor) -> Box? {
        BoxSequence(bytes).first { $0.type == type }
    }
}
