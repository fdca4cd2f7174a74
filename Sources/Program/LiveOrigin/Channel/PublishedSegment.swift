/// How to make a published segment's bytes again: cheaper to keep than the bytes of every channel.
struct PublishedSegment: Sendable {
    var media: SourceMedia
    var stamp: Stamp
    var cipher: SegmentCipher?

    /// The segment in the clear.
    func clearBytes() -> [UInt8] { media.bytes(with: stamp) }

    /// The segment as it is served.
    func bytes() throws -> [UInt8] {
        let clear = clearBytes()
        guard let cipher else { return clear }
        return try cipher.encrypted(clear)
    }
}
