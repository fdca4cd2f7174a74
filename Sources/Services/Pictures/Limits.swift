/// Every bound of the module, with its unit and its reason.
enum Limits {
    /// Pictures that wait for a decoder; each takes a tenth of a second.
    static let waitingPictures = 8
    /// Seconds of processor time for one picture; the largest take one.
    static let decoderSeconds = 10
    /// Bytes of address space of a decoder: a picture of 8K, and the libraries of ffmpeg.
    static let decoderByteCount = 1 << 30
    /// Bytes of an encoded picture; one of 1920 pixels has less than one megabyte.
    static let pictureByteCount = 16 << 20
    /// Bytes of a key frame; one of 8K has some megabytes.
    static let keyFrameByteCount = 32 << 20
    /// The most bytes up to the end of a transport stream's tables: a tenth of a second at 80 Mbit/s, as
    /// tables are sent ten times a second.
    static let tableByteCount = 1 << 20
    /// Bytes of an encrypted segment, which is decrypted as a whole.
    static let segmentByteCount = 128 << 20
    /// Bytes of the pictures that are kept in memory: some thousand thumbnails.
    static let cachedByteCount = 16 << 20
    /// Lengths of pictures that are kept in memory, also of those that are dropped: two megabytes.
    static let cachedLengths = 1 << 16
    /// Bytes that are read at once.
    static let pieceByteCount = 256 * 1024
}
