/// What another program may use.
package struct ProgramBounds: Sendable {
    /// Seconds of processor time; the program then gets SIGXCPU, and is killed if it continues.
    var cpuSeconds: Int
    /// Bytes of address space.
    var memoryBytes: Int
    /// Bytes of each file that it writes; 0 for a program that writes to a pipe.
    var fileBytes: Int

    package init(cpuSeconds: Int, memoryBytes: Int, fileBytes: Int = 0) {
        self.cpuSeconds = cpuSeconds
        self.memoryBytes = memoryBytes
        self.fileBytes = fileBytes
    }

    /// In the form of prlimit(1).
    var arguments: [String] {
        [
            "--cpu=\(cpuSeconds):\(cpuSeconds + Self.extraCPUSeconds)", "--as=\(memoryBytes)",
            "--fsize=\(fileBytes)",
            "--nofile=\(Self.openFiles)",
            "--core=0",
        ]
    }

    /// Seconds of processor time after SIGXCPU.
    ///
    /// With equal limits the kernel would kill the program at once, which looks like a shortage of memory.
    private static let extraCPUSeconds = 5
    /// Files that a program may have open.
    private static let openFiles = 64
}

/// Why a program did not do its work.
package enum ProgramFailure: Error, Equatable, Sendable, CustomStringConvertible {
    /// The task was cancelled.
    case cancelled
    /// There is no such program.
    case missing(String)
    /// The system refused to start it.
    case unstartable(String)
    /// Another process or the kernel killed it, most often because memory was short.
    case killed(String)
    /// It ended with a status other than 0: 128 and more is a signal, -1 is unknown; `message` is the end of
    /// its standard error.
    case failed(String, status: Int32, message: String)

    /// Whether the host is short of something, so that the same program may do its work later.
    package var isShortage: Bool {
        switch self {
        case .unstartable, .killed: true
        case .cancelled, .missing, .failed: false
        }
    }

    package var description: String {
        switch self {
        case .cancelled: "the program was stopped"
        case .missing(let name): "the program \(name) is not there"
        case .unstartable(let reason): "the program cannot be started: \(reason)"
        case .killed(let name): "\(name) was killed"
        case .failed(let name, let status, let message):
            "\(name) ended with status \(status): \(message.split(separator: "\n").last ?? "")"
        }
    }
}
