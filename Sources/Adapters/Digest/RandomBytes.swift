import CCrypto

/// Unpredictable bytes, for keys and tokens.
package func randomBytes(_ count: Int) throws(DigestError) -> [UInt8] {
    guard (0...Limits.randomByteCount).contains(count) else { throw .tooLarge(count) }
    var bytes = [UInt8](repeating: 0, count: count)
    guard unsafe RAND_bytes(&bytes, Int32(clamping: count)) == 1 else { throw .unavailable("randomness") }
    return bytes
}
