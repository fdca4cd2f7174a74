import CCrypto

/// HMAC with SHA-256 (RFC 2104, FIPS 198-1).
package enum HMACSHA256 {
    /// The authentication code of a message: 32 bytes.
    package static func code(for message: [UInt8], key: [UInt8]) throws(DigestError) -> [UInt8] {
        var code = [UInt8](repeating: 0, count: SHA256.byteCount)
        // An empty key needs an address all the same: without one the library takes the key of the call before.
        let keyBytes = key.isEmpty ? [0] : key
        let length = Int32(clamping: key.count)
        let result = unsafe HMAC(EVP_sha256(), keyBytes, length, message, message.count, &code, nil)
        guard unsafe result != nil else { throw .unavailable("HMAC") }
        return code
    }

    /// Whether a code is the message's, in a time that does not depend on where they differ.
    package static func isValid(
        _ code: [UInt8], for message: [UInt8], key: [UInt8]
    ) throws(DigestError) -> Bool {
        constantTimeEqual(code, try self.code(for: message, key: key))
    }
}

/// Compares secrets in a time that depends on their lengths alone.
package func constantTimeEqual(_ one: [UInt8], _ other: [UInt8]) -> Bool {
    guard one.count == other.count else { return false }
    return unsafe CRYPTO_memcmp(one, other, one.count) == 0
}
