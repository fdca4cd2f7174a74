/// An ID3 tag, version 2.3 or 2.4, as the carrier of the timestamp of packed audio (RFC 8216bis §3.4).
enum ID3Tag {
    static let headerByteCount = 10
    private static let owner = Array("com.apple.streaming.transportStreamTimestamp".utf8)

    /// Length of the tag in bytes, including header and footer; nil when the bytes do not begin with a tag.
    static func byteCount(header bytes: ArraySlice<UInt8>) -> Int? {
        let header = Array(bytes.prefix(headerByteCount))
        guard header.count == headerByteCount, header.starts(with: "ID3".utf8), header[3] < 0xFF,
            header[4] < 0xFF,
            let size = syncSafe(header[6..<10])
        else { return nil }
        return headerByteCount + size + (header[5] & 0x10 == 0 ? 0 : headerByteCount)
    }

    /// The 33-bit time in the tag's private frame; nil when it has none.
    static func timestamp(_ tag: [UInt8]) -> MediaTimestamp? {
        guard tag.count > headerByteCount else { return nil }
        let isNewer = tag[3] >= 4
        var rest = ByteCursor(tag[headerByteCount...])
        for _ in 0..<Limits.tagFrameCount {
            guard let name = rest.take(4), let size = frameSize(&rest, isNewer), rest.skip(2),
                let content = rest.take(size)
            else { return nil }
            if name.rest.elementsEqual("PRIV".utf8), let time = privateTime(content.rest) { return time }
        }
        return nil
    }

    private static func frameSize(_ cursor: inout ByteCursor, _ isSyncSafe: Bool) -> Int? {
        guard let bytes = cursor.take(4)?.rest else { return nil }
        return isSyncSafe ? syncSafe(bytes) : bytes.reduce(0) { $0 << 8 | Int($1) }
    }

    /// The owner, a zero byte, and eight bytes of time.
    private static func privateTime(_ content: ArraySlice<UInt8>) -> MediaTimestamp? {
        guard content.starts(with: owner), content.count == owner.count + 9,
            content.dropFirst(owner.count).first == 0
        else { return nil }
        return MediaTimestamp(mpeg: content.suffix(8).reduce(0) { $0 << 8 | UInt64($1) })
    }

    /// Four bytes of seven bits each.
    private static func syncSafe(_ bytes: ArraySlice<UInt8>) -> Int? {
        bytes.allSatisfy { $0 < 0x80 } ? bytes.reduce(0) { $0 << 7 | Int($1) } : nil
    }
}
