import CCrypto

/// A SHA-256 digest (FIPS 180-4) in progress.
@safe package struct SHA256: ~Copyable {
    package static let byteCount = 32

    private let context: OpaquePointer
    /// Looked up once, where `EVP_sha256` would be looked up for each digest; never freed.
    nonisolated(unsafe) private static let algorithm = unsafe EVP_MD_fetch(nil, "SHA256", nil)

    package init() throws(DigestError) {
        guard let context = unsafe EVP_MD_CTX_new() else { throw .unavailable("no memory for SHA-256") }
        guard unsafe EVP_DigestInit_ex(context, Self.algorithm, nil) == 1 else {
            unsafe EVP_MD_CTX_free(context)
            throw .unavailable("SHA-256")
        }
        unsafe self.init(owning: context)
    }

    private init(owning context: OpaquePointer) {
        unsafe self.context = unsafe context
    }

    deinit {
        unsafe EVP_MD_CTX_free(context)
    }

    /// Adds bytes.
    package mutating func update(_ bytes: UnsafeRawBufferPointer) throws(DigestError) {
        guard unsafe EVP_DigestUpdate(context, bytes.baseAddress, bytes.count) == 1 else {
            throw .unavailable("SHA-256")
        }
    }

    /// Adds bytes.
    package mutating func update(_ bytes: [UInt8]) throws(DigestError) {
        let taken = unsafe bytes.withUnsafeBytes {
            unsafe EVP_DigestUpdate(context, $0.baseAddress, $0.count)
        }
        if taken != 1 { throw .unavailable("SHA-256") }
    }

    /// Finishes the digest: 32 bytes.
    package consuming func finish() throws(DigestError) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: Self.byteCount)
        guard unsafe EVP_DigestFinal_ex(context, &digest, nil) == 1 else { throw .unavailable("SHA-256") }
        return digest
    }

    /// The digest of bytes in memory.
    package static func digest(of bytes: [UInt8]) throws(DigestError) -> [UInt8] {
        var digest = try SHA256()
        try digest.update(bytes)
        return try digest.finish()
    }
}
