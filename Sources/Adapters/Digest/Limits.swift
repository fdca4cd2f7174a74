/// Every bound of this module, with its unit and its reason.
enum Limits {
    /// Bytes passed to libcrypto at once: its lengths are `int`.
    static let chunkByteCount = 1 << 20
    /// Random bytes requested at once; keys and tokens take 16 to 32.
    static let randomByteCount = 1 << 16
}
