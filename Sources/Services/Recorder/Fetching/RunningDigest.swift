import Digest

/// SHA-256 of bytes as they come.
///
/// Used by one task.
final class RunningDigest {
    private var sum: SHA256?

    init() throws {
        sum = try SHA256()
    }

    func take(_ bytes: [UInt8]) throws {
        try sum?.update(bytes)
    }

    /// Returns the digest; a second call returns an empty array.
    func finish() throws -> [UInt8] {
        guard let whole = sum.take() else { return [] }
        return try whole.finish()
    }
}
