import Files

/// Why the text of a source cannot be read; each description follows the name of the source.
enum ProbeError: FileFailure, Equatable, CustomStringConvertible {
    case missing
    case diskFull(path: String)
    /// A call to the system failed with an error number.
    case system(FileOperation, path: String, number: Int32)
    /// No playlist arrived, for a reason in words.
    case unreachable(String)
    /// The server answered with another status than 200.
    case status(Int)

    var description: String {
        switch self {
        case .missing: "there is no such file"
        case .diskFull: "no space is left on the disk"
        case .system(let operation, _, let number):
            "cannot \(operation.rawValue) the file: \(SystemErrorNumber.message(for: number))"
        case .unreachable(let reason): reason
        case .status(let status): "the server answered with status \(status)"
        }
    }
}
