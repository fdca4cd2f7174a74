/// Why zlib failed; the same input fails again.
package enum CompressionError: Error, Hashable, Sendable {
    /// zlib refused to continue, with its error code.
    case failed(code: Int32)
    /// The input exceeds the limit, in bytes.
    case tooLarge(limit: Int)
    /// The library could not allocate memory.
    case outOfMemory
}
