import Foundation
import HTTP
import HTTPSupport
import TestSupport

/// What an earlier version left behind, restored: a database and a folder with state and archive. The present
/// program and a new origin run on it.
actor OldInstallation {
    /// What the version had recorded, as its maker wrote it down.
    struct Manifest: Decodable, Sendable {
        struct Segment: Decodable, Sendable {
            var start_us: Int64
            var duration_us: Int64
            var sha256: String
            /// It is in the journal only.
            var journal: Bool

            /// Milliseconds since 1970.
            var middle: Int64 { (start_us + duration_us / 2) / 1000 }
        }

        var token: String
        /// By channel and rendition, in order of time.
        var segments: [String: [String: [Segment]]]
    }

    nonisolated let manifest: Manifest
    /// By channel, as the admin API of that version showed them.
    nonisolated let settings: [String: Data]
    nonisolated let folder: TemporaryFolder
    nonisolated let database: String
    private(set) var origin = ProgramClient("")
    private(set) var service = ProgramClient("")
    private var programs: [Program] = []

    /// Restores the installation of a version, carries out a scenario, and ends everything however that went.
    static func run(_ version: String, _ scenario: (OldInstallation) async throws -> Void) async throws {
        let database = try await TestDatabase.shared.database("upgrade")
        let installation = try OldInstallation(version, database: database)
        do {
            try await installation.restore(version)
            try await scenario(installation)
        } catch {
            throw TestFailure("\(error)\n\(await installation.stop())")
        }
        await installation.stop()
    }

    private static func path(_ version: String) -> String {
        "\(Programs.root)/Tests/Fixtures/upgrade/\(version)"
    }

    private init(_ version: String, database: String) throws {
        self.database = database
        folder = try TemporaryFolder("upgrade")
        let data = try Data(contentsOf: URL(filePath: Self.path(version) + "/manifest.json"))
        manifest = try JSONDecoder().decode(Manifest.self, from: data)
        let object = try JSONSerialization.jsonObject(with: data) as? [String: Any]
        settings = try (object?["settings"] as? [String: Any] ?? [:]).mapValues {
            try JSONSerialization.data(withJSONObject: $0)
        }
    }

    private func restore(_ version: String) async throws {
        let source = Self.path(version)
        try await Command.run(
            "/usr/bin/tar", ["-xzf", source + "/files.tar.gz", "--no-same-owner", "-C", folder.path])
        let restoring = #"set -o pipefail; gunzip -c "$0" | psql -X -q -v ON_ERROR_STOP=1 -d "$1" >/dev/null"#
        try await Command.run("/bin/bash", ["-c", restoring, source + "/database.sql.gz", database])
    }

    @discardableResult
    private func stop() async -> String {
        for program in programs { _ = try? await program.end(SIGKILL) }
        return programs.map { String($0.output.suffix(3_000)) }.joined(separator: "\n")
    }

    /// Starts an origin of one channel.
    func startOrigin(_ arguments: [String]) async throws {
        let program = try Program.replaying(
            arguments, ledger: ledgerPath, log: folder.path(of: "origin.log"))
        programs.append(program)
        let url = try await program.word(after: "Ready: ", in: "the origin's output")
        origin = ProgramClient(url.replacingOccurrences(of: "/ch1/index.m3u8", with: ""))
    }

    /// Brings the database to the present schema, as the first step of an upgrade.
    func migrate() async throws {
        let program = Program(
            Programs.path("backcast"), ["migrate"], log: folder.path(of: "migrate.log"),
            environment: environment)
        programs.append(program)
        let status = try await waitFor("the migrations") { try program.exitStatus }
        guard status == 0 else { throw TestFailure("migrate ended with \(status): \(program.output)") }
    }

    /// Starts the present program and waits until it is ready.
    func startService() async throws {
        let program = Program(
            Programs.path("backcast"), ["run"], log: folder.path(of: "service.log"),
            environment: environment)
        programs.append(program)
        let client = ProgramClient(
            "http://\(try await program.word(after: "listen=", in: "the service's log"))")
        service = client
        try await eventually("readiness") {
            try await client.get("/readyz").status == 200
        }
    }

    private var environment: [String: String] {
        [
            "BACKCAST_LISTEN": "127.0.0.1:0", "BACKCAST_DATABASE_URL": database,
            "BACKCAST_ARCHIVE": folder.path(of: "archive"), "BACKCAST_STATE": folder.path(of: "state"),
            "BACKCAST_MIN_FREE": "1Mi", "BACKCAST_MIGRATIONS": Programs.root + "/migrations",
        ]
    }

    private nonisolated var ledgerPath: String { folder.path(of: "ledger.jsonl") }
}

/// What a scenario asks.
extension OldInstallation {
    /// Asks the admin API, with the token of the state folder.
    func admin(_ path: String, method: HTTPMethod = .get, body: String? = nil) async throws
        -> ReceivedResponse
    {
        let headers: HTTPHeaders = [
            "Authorization": "Bearer \(manifest.token)", "Content-Type": "application/json",
        ]
        return try await service.send(method, "/api/v1" + path, headers, body: body)
    }

    /// What the new origin has published.
    nonisolated func ledger() throws -> [LedgerEntry] {
        try LedgerEntry.reading(ledgerPath, rendition: "v0")
    }

    /// SHA-256 of each segment of a window, as it is served.
    func digests(_ channel: String, _ rendition: String, from: Int64, to: Int64) async throws -> [String] {
        let list = try await service.playlist(
            "/live/\(channel)/\(rendition).m3u8?begintime=\(from)&endtime=\(to)")
        for key in list.attributes("URI", of: "EXT-X-KEY") {
            let answer = try await service.get("/live/\(channel)/\(key)")
            guard answer.body.count == 16 else { throw TestFailure("no key: \(key)") }
        }
        return try await service.digests(of: list, in: channel)
    }

    /// Files of the channels' journals with lines that have not entered the catalogue.
    nonisolated func journalFiles() -> [String] {
        let names = FileManager.default.enumerator(atPath: folder.path(of: "state/journal"))
        return names?.compactMap { $0 as? String }.filter {
            $0.hasSuffix(".jsonl") && !$0.contains("/entered/") && !$0.hasPrefix(".log/")
        } ?? []
    }

    /// The rows that a statement answers.
    func rows(_ sql: String) async throws -> [String] {
        try await PostgresPrograms().rows(of: sql, on: database)
    }
}
