import Foundation
import Synchronization

/// The servers that must not outlive this process.
enum LiveClusters {
    private static let folders = Mutex<Set<String>>([])

    /// Notes a server's data folder; the first one registers the stop at exit.
    static func add(_ data: String) {
        let isFirst = folders.withLock { folders in
            defer { folders.insert(data) }
            return folders.isEmpty
        }
        if isFirst { atexit { LiveClusters.stopAll() } }
    }

    /// Ends a server at once and waits for its end; nothing of it is worth saving.
    static func stop(_ data: String) {
        guard folders.withLock({ $0.remove(data) }) != nil else { return }
        quit(data)
    }

    private static func stopAll() {
        for data in folders.withLock({ $0 }) {
            quit(data)
            try? FileManager.default.removeItem(atPath: (data as NSString).deletingLastPathComponent)
        }
    }

    /// The id of a server's first process.
    static func server(of data: String) throws -> pid_t {
        let text = try String(contentsOfFile: data + "/postmaster.pid", encoding: .utf8)
        guard let process = text.split(separator: "\n").first.flatMap({ pid_t($0) }) else {
            throw TestFailure("no process in \(data)/postmaster.pid")
        }
        return process
    }

    /// SIGQUIT is the server's immediate shutdown; ten seconds are plenty for it.
    private static func quit(_ data: String) {
        guard let process = try? server(of: data) else { return }
        kill(process, SIGQUIT)
        for _ in 0..<1_000 where kill(process, 0) == 0 { usleep(10_000) }
    }

    /// Starts a shell in a session of its own that does the same if this process is killed.
    static func watch(_ data: String, folder: String) throws {
        let script = """
            while kill -0 "$1" 2>/dev/null && [ -d "$2" ]; do sleep 1; done
            [ -f "$2/postmaster.pid" ] || exit 0
            server=$(head -n 1 "$2/postmaster.pid")
            kill -QUIT "$server"
            kill -CONT "$server"
            while kill -0 "$server" 2>/dev/null; do sleep 0.1; done
            rm -rf "$3"
            """
        _ = try ChildProcess(
            "/usr/bin/setsid", ["/bin/sh", "-c", script, "watchdog", "\(getpid())", data, folder])
    }
}
