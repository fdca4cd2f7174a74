/// Every bound of this module, with its unit and its reason.
enum Limits {
    /// Bytes of one input: a playlist of a day is 1 MB; zlib counts in 32 bits.
    static let inputByteCount = 256 << 20
    /// Bytes that zlib writes at once, before they are appended to the output.
    static let chunkByteCount = 64 << 10
}
