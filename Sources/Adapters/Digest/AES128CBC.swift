import CCrypto

/// AES-128 in CBC mode with PKCS #7 padding, the METHOD=AES-128 of HLS (RFC 8216, 5.2), processed in pieces.
@safe package struct AES128CBC: ~Copyable {
    package static let keyByteCount = 16

    /// Encryption or decryption.
    package enum Direction: Int32, Sendable {
        case decrypt = 0
        case encrypt = 1
    }

    private let context: OpaquePointer

    /// Starts with a key and an initialization vector of 16 bytes each.
    package init(_ direction: Direction, key: [UInt8], iv: [UInt8]) throws(DigestError) {
        for part in [key, iv] where part.count != Self.keyByteCount { throw .wrongKeyLength(part.count) }
        guard let context = unsafe EVP_CIPHER_CTX_new() else { throw .unavailable("no memory for AES") }
        guard unsafe EVP_CipherInit_ex(context, EVP_aes_128_cbc(), nil, key, iv, direction.rawValue) == 1
        else {
            unsafe EVP_CIPHER_CTX_free(context)
            throw .unavailable("AES-128-CBC")
        }
        unsafe self.init(owning: context)
    }

    private init(owning context: OpaquePointer) {
        unsafe self.context = unsafe context
    }

    deinit {
        unsafe EVP_CIPHER_CTX_free(context)
    }

    /// Processes a piece and returns the output so far, at most 15 bytes more than the input.
    package mutating func update(_ bytes: UnsafeRawBufferPointer) throws(DigestError) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count + Self.keyByteCount)
        var offset = 0
        while offset < bytes.count {
            let count = min(Limits.chunkByteCount, bytes.count - offset)
            let piece = unsafe UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count])
            output += try unsafe transform(piece)
            offset += count
        }
        return output
    }

    /// Processes a piece.
    package mutating func update(_ bytes: [UInt8]) throws(DigestError) -> [UInt8] {
        do {
            return try unsafe bytes.withUnsafeBytes { unsafe try update($0) }
        } catch let error as DigestError {
            throw error
        } catch {
            throw .unavailable("AES")
        }
    }

    /// Finishes and returns the last bytes.
    ///
    /// Decryption checks the padding.
    package consuming func finish() throws(DigestError) -> [UInt8] {
        var last = [UInt8](repeating: 0, count: 2 * Self.keyByteCount)
        var count: Int32 = 0
        guard unsafe EVP_CipherFinal_ex(context, &last, &count) == 1 else { throw .corrupt }
        return Array(last.prefix(Int(count)))
    }

    private func transform(_ piece: UnsafeRawBufferPointer) throws(DigestError) -> [UInt8] {
        var output = [UInt8](repeating: 0, count: piece.count + Self.keyByteCount)
        var count: Int32 = 0
        let start = unsafe piece.bindMemory(to: UInt8.self).baseAddress
        guard unsafe EVP_CipherUpdate(context, &output, &count, start, Int32(clamping: piece.count)) == 1
        else {
            throw .unavailable("AES-128-CBC")
        }
        output.removeLast(output.count - Int(count))
        return output
    }
}
