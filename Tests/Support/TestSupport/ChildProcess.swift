import Dispatch
import Foundation

/// Another program, started with its three standard files redirected.
///
/// Foundation's `Process` waits for every descendant that inherited its socket, so it never sees the end of a
/// program that leaves a server behind, as `pg_ctl` does.
struct ChildProcess: Sendable {
    let identifier: pid_t

    /// Starts a program; both outputs go to a file.
    init(_ program: String, _ arguments: [String], in folder: String = "/", output: String = "/dev/null")
        throws
    {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        posix_spawn_file_actions_adddup2(&actions, 1, 2)
        let shell = ["/bin/sh", "-c", #"cd "$0" && exec "$@""#, folder, program]
        var vector = (shell + arguments).map { strdup($0) } + [nil]
        defer { for text in vector { free(text) } }
        var started = pid_t()
        let result = posix_spawn(&started, shell[0], &actions, nil, &vector, environ)
        guard result == 0 else { throw TestFailure("\(program) does not start: error \(result)") }
        identifier = started
    }

    /// Waits for its end on a thread beside Swift's pool; its exit status, or 128 and the signal that ended
    /// it.
    func exitStatus() async -> Int32 {
        await withCheckedContinuation { continuation in
            DispatchQueue(label: "child").async {
                var status: Int32 = 0
                while waitpid(identifier, &status, 0) == -1 && errno == EINTR {}
                let signal = status & 0x7f
                continuation.resume(returning: signal == 0 ? (status >> 8) & 0xff : 128 + signal)
            }
        }
    }
}
