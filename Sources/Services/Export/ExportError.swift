package import Digest
package import Timeline

/// Why a window cannot be exported as one file.
package enum ExportError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The channel's audio is not in the video's segments.
    case separateAudio
    case otherContainer(RenditionID)
    /// The program tables are in an initialization section.
    case separateTables(RenditionID)
    /// Encrypted by another method than AES-128, or without a recorded key.
    case notDecryptable(RenditionID)
    /// All processes that may pack downloads are in use.
    case noFreeProcess
    /// ffmpeg, or a program that bounds it, is not installed.
    case noFFmpeg(missing: String)
    /// ffmpeg could not be started: the host is short of something, and the same may succeed later.
    case unstartable(String)
    /// ffmpeg could not make a file of it.
    case notPacked(String)
    /// The archive cannot be read: the same may succeed later.
    case unreadable(String)
    /// The archive holds less of the window than the catalogue says.
    case endedEarly
    case digest(DigestError)

    package var description: String {
        switch self {
        case .separateAudio: "this channel's audio is a separate rendition"
        case .otherContainer(let id): "\(id) is not recorded as a transport stream"
        case .separateTables(let id): "\(id) has its tables in a separate initialization section"
        case .notDecryptable(let id): "\(id) is encrypted in a way that only players can decrypt"
        case .noFreeProcess: "other downloads are being packed"
        case .noFFmpeg(let missing): "\(missing) is not installed"
        case .unstartable(let reason): reason
        case .notPacked(let reason): "it cannot be packed: \(reason)"
        case .unreadable(let reason): "the archive cannot be read: \(reason)"
        case .endedEarly: "the archive ends before the window does"
        case .digest(let error): "\(error)"
        }
    }
}
