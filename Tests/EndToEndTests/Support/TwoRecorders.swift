import Foundation
import HTTP
import HTTPSupport
import TestSupport

/// One origin with two channels, one database, one archive, and two recorders with a state folder each.
actor TwoRecorders {
    static let channels = ["ch1", "ch2"]

    /// A place where a recorder can run; what it leaves in its state folder is there at the next start.
    enum Place: String, CaseIterable {
        case first, second
    }

    private let folder: TemporaryFolder
    nonisolated let database: String
    private var origin = ProgramClient("")
    private var originProgram: Program?
    private var recorders: [Place: Program] = [:]
    private var admins: [Place: ProgramClient] = [:]
    private var starts = 0

    /// Starts the origin and the schema, carries out a scenario, and ends everything however that went.
    static func run(
        origin arguments: [String], _ scenario: (TwoRecorders) async throws -> Void,
    ) async throws {
        let stage = try TwoRecorders(database: try await TestDatabase.shared.database("recorders"))
        do {
            try await stage.startOrigin(arguments)
            try await stage.migrate()
            try await scenario(stage)
        } catch {
            throw TestFailure("\(error)\n\(await stage.stop())")
        }
        await stage.stop()
    }

    private init(database: String) throws {
        self.database = database
        folder = try TemporaryFolder("e2e")
    }

    @discardableResult
    private func stop() async -> String {
        for program in recorders.values + [originProgram].compactMap({ $0 }) {
            _ = try? await program.end(SIGKILL)
        }
        return recorders.map { "\($0.key): \($0.value.output.suffix(3_000))" }.joined(separator: "\n")
    }

    private func startOrigin(_ arguments: [String]) async throws {
        let program = try Program.replaying(
            arguments + ["--channels", "2"], ledger: folder.path(of: "ledger.jsonl"),
            log: folder.path(of: "origin.log"))
        originProgram = program
        let url = try await program.word(after: "Ready: ", in: "the origin's output")
        origin = ProgramClient(url.replacingOccurrences(of: "/ch1/index.m3u8", with: ""))
    }

    private func migrate() async throws {
        let program = Program(
            Programs.path("backcast"), ["migrate"], log: folder.path(of: "migrate.log"),
            environment: environment(state: "none"))
        let status = try await waitFor("the migrations") { try program.exitStatus }
        guard status == 0 else { throw TestFailure("migrate ended with \(status): \(program.output)") }
    }

    /// Starts a recorder and waits until it answers.
    func start(_ place: Place) async throws {
        starts += 1
        let program = Program(
            Programs.path("backcast"), ["record"],
            log: folder.path(of: "\(place.rawValue)\(starts).log"),
            environment: environment(state: place.rawValue))
        recorders[place] = program
        let client = ProgramClient(
            "http://\(try await program.word(after: "listen=", in: "the log of \(place)"))")
        admins[place] = client
        try await eventually("readiness") {
            try await client.get("/readyz").status == 200
        }
    }

    /// Ends a recorder as the kernel does.
    func kill(_ place: Place) async throws {
        guard let program = recorders[place] else { throw TestFailure("no recorder runs") }
        try await program.end(SIGKILL)
    }

    /// Stops a recorder's processes as a machine does that swaps or is moved, and lets it go on later.
    func freeze(_ place: Place, for seconds: Int) async throws {
        recorders[place]?.send(SIGSTOP)
        try await Task.sleep(for: .seconds(seconds))
        recorders[place]?.send(SIGCONT)
    }

    func addChannels(by place: Place) async throws {
        for id in Self.channels {
            let body = #"{"id":"\#(id)","source_url":"\#(origin.base)/\#(id)/index.m3u8"}"#
            let headers: HTTPHeaders = [
                "Authorization": "Bearer \(Stack.token)", "Content-Type": "application/json",
            ]
            let answer = try await admins[place]?.send(.post, "/api/v1/channels", headers, body: body)
            guard answer?.status == 201 else { throw TestFailure("no channel: \(answer?.text ?? "")") }
        }
    }

    private func environment(state: String) -> [String: String] {
        [
            "BACKCAST_LISTEN": "127.0.0.1:0", "BACKCAST_DATABASE_URL": database,
            "BACKCAST_ADMIN_TOKEN": Stack.token, "BACKCAST_ARCHIVE": folder.path(of: "archive"),
            "BACKCAST_STATE": folder.path(of: state), "BACKCAST_MIN_FREE": "1Mi",
        ]
    }
}

/// What a scenario looks at.
extension TwoRecorders {
    /// What the origin has published of a channel.
    func ledger(_ channel: String) throws -> [LedgerEntry] {
        try LedgerEntry.reading(folder.path(of: "ledger.jsonl"), rendition: "v0", channel: channel)
    }

    /// Facts in the journal of a recorder, of all channels.
    func journalled(by place: Place) -> Int {
        let journal = folder.path(of: place.rawValue + "/journal")
        let names = FileManager.default.enumerator(atPath: journal)?.compactMap { $0 as? String } ?? []
        let own = names.filter {
            $0.hasSuffix(".jsonl") && !$0.contains("/entered/") && !$0.hasPrefix(".log/")
        }
        return own.reduce(0) { count, name in
            // A file whose lines are all entered may be gone meanwhile.
            let bytes = FileManager.default.contents(atPath: "\(journal)/\(name)") ?? Data()
            let text = String(decoding: bytes, as: UTF8.self)
            return count + text.split(separator: "\n").filter { $0.contains(#"{"segment":"#) }.count
        }
    }

    /// The rows that a statement answers.
    func rows(_ sql: String) async throws -> [String] {
        try await PostgresPrograms().rows(of: sql, on: database)
    }

    /// Numbers of the source that the archive has of a channel, in the order of time.
    func held(_ channel: String, published: Bool = false) async throws -> [Int] {
        let only = published ? "AND number IS NOT NULL" : ""
        return try await rows(
            """
            SELECT origin_number FROM segment JOIN rendition USING (rendition_id) JOIN channel USING (channel_id)
            WHERE slug = '\(channel)' \(only) ORDER BY start_us
            """
        ).compactMap { Int($0) }
    }

    /// SHA-256 of a segment's file in the archive, as the catalogue names it.
    func digests(_ channel: String) async throws -> [String] {
        try await rows(
            """
            SELECT encode(digest, 'hex') FROM segment JOIN rendition USING (rendition_id)
                JOIN channel USING (channel_id) WHERE slug = '\(channel)' ORDER BY start_us
            """)
    }
}
