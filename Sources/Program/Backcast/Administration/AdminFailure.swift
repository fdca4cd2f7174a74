/// Why a command of the admin API was not carried out; each kind has an exit status of its own.
enum AdminFailure: Error, Equatable {
    /// The server answered with an error.
    case refused(String)
    /// The server has no such resource.
    case notFound(String)
    /// The command line is wrong.
    case arguments(String)
    /// No answer came.
    case unreachable(String)

    /// Does something for each id, and gives the last failure; earlier ones are printed.
    ///
    /// A refused id does not stop the others. A server that cannot be reached does.
    static func last(
        of ids: [String], _ body: (String) async throws(AdminFailure) -> Void
    ) async -> AdminFailure? {
        var last: AdminFailure?
        for id in ids {
            do throws(AdminFailure) {
                try await body(id)
            } catch {
                if let last { DownloadCommand.printError(last.reason) }
                last = error.naming(id)
                if case .unreachable = error { break }
            }
        }
        return last
    }

    /// The same failure with the name of what failed.
    private func naming(_ name: String) -> AdminFailure {
        let name = PrintableText.line(name)
        return switch self {
        case .refused(let reason): .refused("\(name): \(reason)")
        case .notFound(let reason): .notFound("\(name): \(reason)")
        case .arguments(let reason): .arguments("\(name): \(reason)")
        case .unreachable(let reason): .unreachable("\(name): \(reason)")
        }
    }

    var reason: String {
        switch self {
        case .refused(let reason), .notFound(let reason), .arguments(let reason), .unreachable(let reason):
            reason
        }
    }

    /// The status with which the program ends.
    var status: Int32 {
        switch self {
        case .refused, .notFound: 1
        case .arguments: 2
        case .unreachable: 3
        }
    }
}
