/// A fault in a segment's bytes.
package enum Damage: Equatable, Sendable, CustomStringConvertible {
    /// A transport stream packet or audio frame does not begin where the preceding one ends.
    case lostSynchronisation(offset: Int)
    /// The last packet of a transport stream is cut.
    case partialPacket(byteCount: Int)
    /// The last audio frame or its tag is cut.
    case partialFrame(missingByteCount: Int)
    /// A box extends beyond the end.
    case truncatedBox(type: String)
    /// A box has an impossible size.
    case invalidBox(offset: Int)
    /// A file lacks a box without which it does not play.
    case missingBox(type: String)
    /// A well-formed container without media.
    case missingMedia
    /// AES-128 in CBC mode with padding gives 16, 32, 48 … bytes.
    case notBlockAligned(byteCount: Int)

    package var description: String {
        switch self {
        case .lostSynchronisation(let offset): "no packet or frame begins at byte \(offset)"
        case .partialPacket(let count): "the last packet has \(count) of 188 bytes"
        case .partialFrame(let missing): "the last frame lacks \(missing) bytes"
        case .truncatedBox(let type): "the box \(type) is cut off"
        case .invalidBox(let offset): "the box at byte \(offset) has an impossible size"
        case .missingBox(let type): "the box \(type) is missing"
        case .missingMedia: "it contains no media"
        case .notBlockAligned(let count): "\(count) bytes are not a whole number of AES-128 blocks"
        }
    }
}

/// A segment under AES-128 as received from the origin.
package enum EncryptedBody {
    /// Checks what can be checked without the key: whole blocks, and at least the one with the padding.
    package static func check(byteCount: Int) -> Integrity {
        byteCount > 0 && byteCount % 16 == 0 ? .whole : .damaged(.notBlockAligned(byteCount: byteCount))
    }
}
