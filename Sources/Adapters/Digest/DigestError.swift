/// Why libcrypto did not do what was asked; asking again does not help.
package enum DigestError: Error, Hashable, Sendable {
    /// The library refused an operation: no memory, or an algorithm that its policy forbids.
    case unavailable(String)
    /// A key or initialization vector that is not of 16 bytes.
    case wrongKeyLength(Int)
    /// What was decrypted does not end as PKCS #7 says: another key, or bytes that are missing.
    case corrupt
    /// More randomness at once than the module's bound.
    case tooLarge(Int)
}
