/// Every bound of this module, with its unit and its reason.
enum Limits {
    /// Bytes of one input: a playlist of a day is 1 MB; zlib counts in 32 bits.
    static let inputByteCount = 256 << 20
    /// Bytes put out at once by zlib, before they are joined to what is there.
    static let chunkByteCount = 64 << 10
}
