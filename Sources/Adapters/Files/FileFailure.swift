/// The errors of a store that works with files: each has one error type, and calls that fail are among its cases.
package protocol FileFailure: Error {
    /// The file system or the quota is full.
    static func diskFull(path: String) -> Self
    /// A call to the system failed with an error number.
    static func system(_ operation: FileOperation, path: String, number: Int32) -> Self
}

extension FileFailure {
    init(_ operation: FileOperation, _ path: String, number: Int32) {
        self =
            FileNumbers.saysFull(number)
            ? .diskFull(path: path) : .system(operation, path: path, number: number)
    }
}

/// What was being done to a file when it failed.
package enum FileOperation: String, Sendable {
    case open, read, write, sync, link, list, measure, lock
    case setMode = "set the mode of"
    case makeFolder = "make the folder"
    case remove
}
