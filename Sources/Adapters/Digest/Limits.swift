/// Every bound of this module, with its unit and its reason.
enum Limits {
    /// Bytes given to libcrypto at once: its lengths are `int`.
    static let chunkByteCount = 1 << 20
    /// Bytes of randomness asked for at once; keys and tokens take 16 to 32.
    static let randomByteCount = 1 << 16
}
