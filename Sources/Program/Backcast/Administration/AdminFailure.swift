import ArgumentParser

/// Why a command of the admin API was not carried out; each kind has an exit status of its own.
enum AdminFailure: Error, Equatable {
    /// The server answered with an error.
    case refused(String)
    /// The server has no such resource.
    case absent(String)
    /// The command line is wrong.
    case arguments(String)
    /// No answer came.
    case unreachable(String)

    /// The same failure with the name of what failed; prints the failure before it, if there was one.
    func naming(_ name: String, after former: AdminFailure? = nil) -> AdminFailure {
        _ = former?.exitCode
        let name = PrintableText.line(name)
        return switch self {
        case .refused(let reason): .refused("\(name): \(reason)")
        case .absent(let reason): .absent("\(name): \(reason)")
        case .arguments(let reason): .arguments("\(name): \(reason)")
        case .unreachable(let reason): .unreachable("\(name): \(reason)")
        }
    }

    /// Prints the reason and gives the status to end with.
    var exitCode: ExitCode {
        switch self {
        case .refused(let reason), .absent(let reason): DownloadCommand.failure(reason, status: 1)
        case .arguments(let reason): DownloadCommand.failure(reason, status: 2)
        case .unreachable(let reason): DownloadCommand.failure(reason, status: 3)
        }
    }
}
