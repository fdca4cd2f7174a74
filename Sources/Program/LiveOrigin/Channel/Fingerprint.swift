import Digest
import Encoding

/// Digests as the ledger writes them.
enum Fingerprint {
    /// SHA-256 in lower-case hex.
    static func sha256(_ bytes: [UInt8]) throws -> String {
        Hexadecimal.encode(try SHA256.digest(of: bytes))
    }
}
