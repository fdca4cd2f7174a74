import Glibc

/// Why the program cannot start or continue, in words for the operator.
struct ProgramError: Error, Hashable, Sendable, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

extension ProgramError {
    /// An error with the system's description of an errno value.
    static func system(_ what: String, _ number: Int32) -> ProgramError {
        ProgramError("\(what): \(unsafe String(cString: strerror(number)))")
    }
}
