/// What another program may use.
package struct ProgramBounds: Sendable {
    /// Seconds of processor time; the kernel ends the program then.
    var cpuSeconds: Int
    /// Bytes of address space.
    var memoryBytes: Int

    package init(cpuSeconds: Int, memoryBytes: Int) {
        self.cpuSeconds = cpuSeconds
        self.memoryBytes = memoryBytes
    }

    /// In the form of prlimit(1).
    var arguments: [String] { ["--cpu=\(cpuSeconds)", "--as=\(memoryBytes)", "--core=0"] }
}

/// Why a program did not do its work.
package enum ProgramFailure: Error, Equatable, Sendable, CustomStringConvertible {
    /// The task was cancelled.
    case cancelled
    /// There is no such program.
    case missing(String)
    /// The system refused to start it.
    case unstartable(String)
    /// It ended with another status than 0; 128 and more is a signal. `words` is the last that it said.
    case failed(String, status: Int32, words: String)

    package var description: String {
        switch self {
        case .cancelled: "the program was stopped"
        case .missing(let name): "the program \(name) is not there"
        case .unstartable(let reason): "the program cannot be started: \(reason)"
        case .failed(let name, let status, let words):
            "\(name) ended with status \(status): \(words.split(separator: "\n").last ?? "")"
        }
    }
}
