/// The errors of a store that uses files: each store has one error type, and failed calls are among its
/// cases.
package protocol FileFailure: Error {
    /// The file system or the quota is full.
    static func diskFull(path: String) -> Self
    /// A system call failed with an error number.
    static func system(_ operation: FileOperation, path: String, number: Int32) -> Self
}

extension FileFailure {
    init(_ operation: FileOperation, _ path: String, number: Int32) {
        self =
            SystemErrorNumber.meansDiskFull(number)
            ? .diskFull(path: path) : .system(operation, path: path, number: number)
    }
}

/// The operation that failed.
package enum FileOperation: String, Sendable {
    case open, read, write, sync, link, list, measure, lock
    case look = "look at"
    case setMode = "set the mode of"
    case setTime = "set the time of"
    case makeFolder = "make the folder"
    case remove
}
