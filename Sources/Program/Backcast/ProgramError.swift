import Glibc

/// Why the program cannot start or go on, in words for whoever started it.
struct ProgramError: Error, Hashable, Sendable, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

extension ProgramError {
    /// Adds what the system has to say.
    static func system(_ what: String, _ number: Int32) -> ProgramError {
        ProgramError("\(what): \(unsafe String(cString: strerror(number)))")
    }
}
