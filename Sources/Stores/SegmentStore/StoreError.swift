package import Files
package import Timeline

/// Why the archive did not do what was asked.
package enum StoreError: FileFailure, Equatable, Sendable, CustomStringConvertible {
    case notFound(ArchiveKey)
    /// A key whose name is not of the form that its kind has.
    case invalidKey(ArchiveKey)
    /// The file system or the quota is full; what was under way is gone.
    case diskFull(path: String)
    /// Longer than what is read as a whole.
    case tooLarge(ArchiveKey, byteCount: Int64)
    /// As many drafts are open as the module allows.
    case tooManyDrafts
    /// Every revision of the name is taken by other bytes.
    case tooManyRevisions(ArchiveKey)
    /// The draft has failed before.
    case draftEnded
    /// The archive was opened for reading.
    case readOnly
    /// SHA-256 could not be computed.
    case digest(String)
    /// A call to the system failed with an error number.
    case system(FileOperation, path: String, number: Int32)

    /// Whether the same call, from a new draft on, can succeed later without a change.
    package var isTransient: Bool {
        switch self {
        case .diskFull, .tooManyDrafts: true
        case .system(_, _, let number): SystemErrorNumber.isTransient(number)
        default: false
        }
    }

    package var description: String {
        switch self {
        case .notFound(let key): "the archive holds no \(key.path)"
        case .invalidKey(let key): "\(key) cannot be the name of a file"
        case .diskFull(let path): "no space is left to write \(path): free some, or shorten the retention"
        case .tooLarge(let key, let count):
            "\(key.path) has \(count) bytes, at most \(Limits.wholeObjectByteCount) are read at once"
        case .tooManyDrafts: "more than \(Limits.openDrafts) objects are being written"
        case .tooManyRevisions(let key): "\(key.path) has \(Limits.revisions) revisions already"
        case .readOnly: "the archive was opened for reading only"
        case .draftEnded: "the draft has failed before"
        case .digest(let reason): "cannot compute SHA-256: \(reason)"
        case .system(let operation, let path, let number):
            "cannot \(operation.rawValue) \(path): \(SystemErrorNumber.message(for: number))"
        }
    }
}
