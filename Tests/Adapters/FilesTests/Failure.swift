import Files

/// An error that says no more than the call that failed.
enum Failure: FileFailure, Equatable {
    case diskFull(path: String)
    case system(FileOperation, path: String, number: Int32)
}
