package import Processes
package import SegmentStore

/// Why there is no picture.
package enum PictureError: Error, Sendable, CustomStringConvertible {
    /// Too many others wait; the same request may succeed later.
    case busy
    /// The host has no decoder, or lacks what bounds it.
    case noDecoder(missing: String)
    /// The decoder could not be started, or was killed: the host is short of something; the same request may
    /// succeed later.
    case unavailable(ProgramFailure)
    /// The bytes cannot be decrypted with what is recorded.
    case encrypted
    /// The archive does not hold the bytes.
    case notHeld
    case store(StoreError)
    /// The decoder could make no picture of the bytes.
    case decoder(ProgramFailure)

    package var description: String {
        switch self {
        case .busy: "too many pictures are being made"
        case .noDecoder(let missing): "pictures need \(missing), which this server does not have"
        case .encrypted: "the segment is encrypted, and its key is not held"
        case .notHeld: "the archive does not hold the key frame"
        case .store(let error): "\(error)"
        case .decoder(let failure), .unavailable(let failure): "\(failure)"
        }
    }
}
