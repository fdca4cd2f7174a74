/// Why zlib did not do what was asked; asking again with the same bytes does not help.
package enum CompressionError: Error, Hashable, Sendable {
    /// The bytes are not a whole gzip stream.
    case corrupt
    /// What comes out is over the limit, in bytes.
    case tooLarge(limit: Int)
    /// The library has no memory.
    case outOfMemory
}
