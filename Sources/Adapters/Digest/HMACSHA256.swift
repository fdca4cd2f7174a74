import CCrypto

/// Message authentication codes with SHA-256 (RFC 2104).
package enum HMACSHA256 {
    package static let byteCount = 32

    /// The code of a message under a key of any length: 32 bytes.
    package static func code(of message: [UInt8], key: [UInt8]) throws(DigestError) -> [UInt8] {
        guard message.count <= Limits.chunkByteCount, key.count <= Limits.chunkByteCount else {
            throw .tooLarge(max(message.count, key.count))
        }
        var code = [UInt8](repeating: 0, count: byteCount)
        let made = unsafe HMAC(
            EVP_sha256(), key, Int32(key.count), message, message.count, &code, nil)
        guard unsafe made != nil else { throw .unavailable("HMAC-SHA256") }
        return code
    }
}
