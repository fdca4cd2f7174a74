import Foundation

/// A private PostgreSQL server for tests: a folder, a socket in it, no network port, nothing durable.
///
/// It is stopped with the last reference, at the process's exit, and by a watchdog if the process is killed.
package final class PostgresCluster: Sendable {
    private let programs: PostgresPrograms
    private let folder: TemporaryFolder

    /// Makes and starts a server, in about a second.
    package init() async throws {
        programs = try PostgresPrograms()
        folder = try TemporaryFolder("postgres")
        try programs.handOver(folder.path)
        try await programs.runServerProgram(
            "initdb",
            ["-D", data, "-U", "postgres", "--auth=trust", "-E", "UTF8", "--locale=C", "--no-sync"],
            in: folder.path)
        try appendSettings()
        LiveClusters.add(data)
        try LiveClusters.watch(data, folder: folder.path)
        try await start()
    }

    deinit {
        LiveClusters.stop(data)
    }

    private var data: String { folder.path(of: "data") }

    /// The connection string of a database.
    package func uri(_ database: String = "postgres") -> String {
        "postgresql://postgres@/\(database)?host=\(folder.path)"
    }

    package func start() async throws {
        try await control("start")
    }

    /// Stops the server; its sessions are told that an administrator ended them.
    package func stop() async throws {
        try await control("stop")
    }

    package func restart() async throws {
        try await control("restart")
    }

    /// Kills all processes of the server at once, as a machine that loses its power does.
    package func killAll() async throws {
        let server = try LiveClusters.server(of: data)
        let children = Self.children(of: server)
        for process in [server] + children { kill(process, SIGKILL) }
        try await eventually("the end of the server") { kill(server, 0) == -1 }
    }

    /// Runs a body while every process of the server stands still, as if disk or machine hung: it takes
    /// connections and answers nothing.
    package func whileStandingStill<T>(_ body: () async throws -> T) async throws -> T {
        let server = try LiveClusters.server(of: data)
        // The server first, so that it makes no more processes.
        kill(server, SIGSTOP)
        let children = Self.children(of: server)
        for child in children { kill(child, SIGSTOP) }
        defer { for process in children + [server] { kill(process, SIGCONT) } }
        return try await body()
    }

    /// The processes whose parent is the one given, by the fourth field of `/proc/{id}/stat`
    /// (proc_pid_stat(5)).
    private static func children(of parent: pid_t) -> [pid_t] {
        let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return all.compactMap { pid_t($0) }.filter { process in
            // The name before it stands in brackets and may have spaces.
            let stat = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
            let fields = stat?.split(separator: ")").last?.split(separator: " ") ?? []
            return fields.count > 1 && pid_t(fields[1]) == parent
        }
    }

    /// Runs SQL by `psql`; what it answers.
    @discardableResult
    package func run(sql: String, database: String = "postgres") async throws -> String {
        try await programs.runSQL(sql, on: uri(database))
    }

    private func control(_ action: String) async throws {
        let arguments = [
            "-D", data, "-w", "-t", "300", "-s", "-l", folder.path(of: "log"), "-m", "fast", action,
        ]
        try await programs.runServerProgram("pg_ctl", arguments, in: folder.path)
    }

    private func appendSettings() throws {
        let settings = """
            listen_addresses = ''
            unix_socket_directories = '\(folder.path)'
            fsync = off
            synchronous_commit = off
            full_page_writes = off
            max_connections = 1000
            shared_buffers = 64MB

            """
        guard let file = FileHandle(forWritingAtPath: data + "/postgresql.conf") else {
            throw TestFailure("initdb made no postgresql.conf in \(data)")
        }
        try file.seekToEnd()
        try file.write(contentsOf: Data(settings.utf8))
        try file.close()
    }
}
