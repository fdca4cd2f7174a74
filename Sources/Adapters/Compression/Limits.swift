/// Every bound of this module, with its unit and its reason.
enum Limits {
    /// Bytes of one input: a playlist of a day is 1 MB; zlib counts in 32 bits.
    static let inputByteCount = 256 << 20
    /// Bytes of a flush, beyond what zlib states as the most for the input.
    static let flushByteCount = 64
    /// Bytes of further output space, if the stated maximum was not enough.
    static let chunkByteCount = 64 << 10
    /// Bytes of an input that is compressed with little memory: half of a window of 4 kB.
    static let smallInputByteCount = 2 << 10
    /// Streams that wait for their next use, 260 kB each: one for each thread that compresses.
    static let idleStreams = 16
}
