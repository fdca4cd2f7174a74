import HLS

/// Every bound of the module, with its unit and its reason.
enum Limits {
    /// Bytes of a playlist: what its reader takes.
    static let playlistByteCount = ReadingLimits.standard.byteCount
    /// From the request to the last byte of a playlist: a person waits for it.
    static let timeout = Duration.seconds(30)
}
