import CLinux
import Glibc

/// Starts a process with the streams that it gets.
///
/// Foundation's `Process` reads beyond the end of its buffer when this process has about 1,350 open
/// descriptors or more.
struct ProgramLaunch: Sendable {
    /// The program and its arguments.
    var arguments: [String]
    /// Where the program runs; nil for this process's folder.
    var folder: String?
    /// The folders in which the program looks for others.
    var searchPath: String
    var inputs: [OwnedDescriptor]
    var output: OwnedDescriptor
    var errors: OwnedDescriptor

    /// The statuses with which the tools that start a program say that it cannot be run or is not there; a
    /// program whose libraries cannot be loaded ends with the second one, too.
    static let (notRun, notFound): (Int32, Int32) = (126, 127)
    /// The descriptor of the second input.
    private static let secondInput: Int32 = 3

    /// The number of the new process, a child of the calling thread.
    ///
    /// The streams are then closed here, so that they end with the program.
    func start() throws(ProgramFailure) -> pid_t {
        defer { for end in inputs + [output, errors] { end.close() } }
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        for (index, input) in inputs.enumerated() {
            let target = index == 0 ? 0 : Self.secondInput + Int32(index) - 1
            unsafe posix_spawn_file_actions_adddup2(&actions, input.number, target)
        }
        if let folder, case let error = unsafe posix_spawn_file_actions_addchdir_np(&actions, folder),
            error != 0
        {
            throw .unstartable(systemMessage(error))
        }
        unsafe posix_spawn_file_actions_adddup2(&actions, output.number, 1)
        unsafe posix_spawn_file_actions_adddup2(&actions, errors.number, 2)
        let above = Self.secondInput + Int32(max(1, inputs.count)) - 1
        // The child closes them: a list made here could miss what another thread opens meanwhile.
        unsafe posix_spawn_file_actions_addclosefrom_np(&actions, above)
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        Self.separate(&attributes)
        let words = CStrings(arguments)
        let variables = CStrings(["PATH=\(searchPath)", "LC_ALL=C"])
        var process: pid_t = 0
        let error = unsafe posix_spawnp(
            &process, arguments[0], &actions, &attributes, words.pointers, variables.pointers)
        guard error == 0 else {
            let isFolderMissing = folder.map { unsafe access($0, F_OK) != 0 } ?? false
            if isFolderMissing { throw .unstartable("its folder is not there") }
            throw error == ENOENT ? .missing(arguments[0]) : .unstartable(systemMessage(error))
        }
        return process
    }

    /// Gives the child the usual signals, because it inherits which are blocked and ignored, and a process
    /// group of its own.
    ///
    /// Ctrl-C in a terminal is sent to a whole group: a download that this process still finishes would be
    /// cut.
    private static func separate(_ attributes: inout posix_spawnattr_t) {
        var (none, all) = (sigset_t(), sigset_t())
        unsafe sigemptyset(&none)
        unsafe sigfillset(&all)
        unsafe posix_spawnattr_setsigmask(&attributes, &none)
        unsafe posix_spawnattr_setsigdefault(&attributes, &all)
        unsafe posix_spawnattr_setpgroup(&attributes, 0)
        let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP
        unsafe posix_spawnattr_setflags(&attributes, Int16(flags))
    }

    /// Waits until a child has ended; it stays a zombie.
    static func awaitEnd(of process: pid_t) {
        var found = unsafe siginfo_t()
        while unsafe waitid(P_PID, id_t(process), &found, WEXITED | WNOWAIT) != 0 && errno == EINTR {}
    }

    /// Whether a child has ended and is a zombie.
    static func hasEnded(_ process: pid_t) -> Bool {
        var found = unsafe siginfo_t()
        return unsafe waitid(P_PID, id_t(process), &found, WEXITED | WNOWAIT | WNOHANG) == 0
            && found.si_signo == SIGCHLD
    }

    /// The status of a child that has ended; 128 and more is a signal, -1 not known.
    static func reap(_ process: pid_t) -> Int32 {
        var status: Int32 = 0
        while unsafe waitpid(process, &status, 0) < 0 {
            guard errno == EINTR else { return -1 }
        }
        let signal = status & 0x7F
        return signal == 0 ? (status >> 8) & 0xFF : 128 + signal
    }
}

/// A vector of C strings that ends with nil.
@safe
private final class CStrings {
    let pointers: [UnsafeMutablePointer<CChar>?]

    init(_ texts: [String]) {
        unsafe pointers = texts.map { unsafe strdup($0) } + [nil]
    }

    deinit {
        unsafe pointers.forEach { unsafe free($0) }
    }
}

/// The system's words for an error number.
func systemMessage(_ number: Int32) -> String {
    guard let text = unsafe strerror(number) else { return "error \(number)" }
    return unsafe String(cString: text)
}
