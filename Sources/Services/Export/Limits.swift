/// The bounds of this module.
enum Limits {
    /// Bytes of a segment that are read at once.
    static let pieceByteCount = 64 << 10
    /// Keys that one stream keeps in memory: a window has few, but a key may change with every segment.
    static let keys = 16
}
