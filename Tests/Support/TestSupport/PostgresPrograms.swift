import Foundation

/// PostgreSQL's own programs, and how to run them: the server refuses to run as root.
package struct PostgresPrograms {
    /// The account that Debian's package makes; used when the tests run as root.
    static let account = "postgres"

    private let folder: String

    package init() throws {
        let root = "/usr/lib/postgresql"
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
        let newest = versions.sorted { (Int($0) ?? 0) < (Int($1) ?? 0) }.last {
            FileManager.default.isExecutableFile(atPath: "\(root)/\($0)/bin/initdb")
        }
        guard let newest else { throw TestFailure("no PostgreSQL server under \(root): install postgresql") }
        folder = "\(root)/\(newest)/bin"
    }

    var isRoot: Bool { getuid() == 0 }

    /// Runs a program of the server, as the unprivileged account when the caller is root.
    func runServerProgram(_ name: String, _ arguments: [String], in workFolder: String) async throws {
        let command = ["\(folder)/\(name)"] + arguments
        guard isRoot else {
            try await Command.run(command[0], arguments, in: workFolder)
            return
        }
        let drop = ["--reuid=\(Self.account)", "--regid=\(Self.account)", "--init-groups"]
        try await Command.run("/usr/bin/setpriv", drop + command, in: workFolder)
    }

    /// The rows that a statement answers, their columns apart by a stroke.
    package func rows(of sql: String, on uri: String) async throws -> [String] {
        try await runSQL(sql, on: uri).split(separator: "\n").map(String.init)
    }

    /// Runs SQL text; what it answers, unaligned and without headings.
    func runSQL(_ sql: String, on uri: String) async throws -> String {
        try await Command.run(
            "\(folder)/psql", ["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", uri, "-c", sql])
    }

    /// Gives a folder to the account that the server runs as.
    func handOver(_ path: String) throws {
        guard isRoot else { return }
        try FileManager.default.setAttributes([.ownerAccountName: Self.account], ofItemAtPath: path)
    }
}
