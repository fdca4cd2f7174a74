/// Why libcrypto failed; the same call fails again.
package enum DigestError: Error, Hashable, Sendable {
    /// The library refused an operation: no memory, or an algorithm that its policy forbids.
    case unavailable(String)
    /// A key or initialization vector that does not have 16 bytes.
    case wrongKeyLength(Int)
    /// The decrypted bytes do not end with PKCS #7 padding: another key, or bytes are missing.
    case corrupt
    /// More bytes than the module takes at once.
    case tooLarge(Int)
}
