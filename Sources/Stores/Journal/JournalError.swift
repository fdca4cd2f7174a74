package import Files
package import Timeline

/// Why the journal did not do what was asked.
package enum JournalError: FileFailure, Equatable, Sendable, CustomStringConvertible {
    /// Another process, or another owner in this one, writes the journal.
    case inUse(folder: String)
    /// The channel's facts wait in as many bytes as are allowed: the catalogue has been away too long.
    case full(ChannelID)
    /// The facts of all channels wait in as many bytes as are allowed.
    case fullForAllChannels
    /// One fact is longer than a line may be.
    case entryTooLarge(byteCount: Int)
    /// A fact has no form as JSON.
    case unencodable(String)
    /// The file system or the quota is full.
    case diskFull(path: String)
    case closed
    /// A call to the system failed with an error number.
    case system(FileOperation, path: String, number: Int32)

    /// Whether the same call can succeed later without a change.
    package var isTransient: Bool {
        switch self {
        case .full, .fullForAllChannels, .diskFull: true
        case .system(_, _, let number): SystemErrorNumber.isTransient(number)
        case .inUse, .entryTooLarge, .unencodable, .closed: false
        }
    }

    package var description: String {
        switch self {
        case .inUse(let folder): "the journal in \(folder) is in use by another process"
        case .full(let channel):
            "the journal of \(channel) holds \(Limits.channelByteCount) bytes that the catalogue has not taken"
        case .fullForAllChannels:
            "the journal holds \(Limits.totalByteCount) bytes that the catalogue has not taken"
        case .entryTooLarge(let count):
            "a fact of \(count) bytes is longer than the \(Limits.entryByteCount) of a line"
        case .unencodable(let reason): "a fact cannot be written as JSON: \(reason)"
        case .diskFull(let path): "no space is left to write \(path)"
        case .closed: "the journal is closed"
        case .system(let operation, let path, let number):
            "cannot \(operation.rawValue) \(path): \(SystemErrorNumber.message(for: number))"
        }
    }
}
