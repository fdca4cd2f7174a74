import Foundation
import HTTPSupport
import TestSupport

/// One origin with its ledger, one database and one service, in a folder of their own.
///
/// The service may be ended and started again: its port stays.
actor Stack {
    static let token = "token-of-the-end-to-end-tests"
    static let channel = "ch1"

    nonisolated let folder: TemporaryFolder
    nonisolated let database: String
    private(set) var origin: ProgramClient
    private(set) var service: ProgramClient
    /// Another origin, if one was started.
    private(set) var secondOrigin = ProgramClient("")
    private var originProgram: Program?
    private var secondProgram: Program?
    private var serviceProgram: Program?
    private var settings: [String: String]
    private var listen = "127.0.0.1:0"
    private var starts = 0

    /// Starts everything, carries out a scenario, and ends everything however that went.
    static func run(
        origin arguments: [String], settings: [String: String] = [:], database: String? = nil,
        _ scenario: (Stack) async throws -> Void,
    ) async throws {
        let uri: String
        if let database { uri = database } else { uri = try await TestDatabase.shared.database("endtoend") }
        let stack = try Stack(database: uri, settings: settings)
        do {
            // The origin last: nothing may slide out of its lists before the service can be asked to record
            // them.
            try await stack.startService()
            try await stack.startOrigin(arguments)
            try await scenario(stack)
        } catch {
            let words = await stack.stop()
            throw TestFailure("\(error)\n\(words)")
        }
        await stack.stop()
    }

    init(database: String, settings: [String: String]) throws {
        self.database = database
        self.settings = settings
        folder = try TemporaryFolder("e2e")
        origin = ProgramClient("")
        service = ProgramClient("")
    }

    /// Ends what runs, at once; the last words of the service.
    @discardableResult
    func stop() async -> String {
        for program in [serviceProgram, originProgram, secondProgram] { _ = try? await program?.end(SIGKILL) }
        return String((serviceProgram?.output ?? "").suffix(3_000))
    }

    private func startOrigin(_ arguments: [String]) async throws {
        let program = try Program.replaying(
            arguments, ledger: ledgerPath, log: folder.path(of: "origin.log"))
        originProgram = program
        origin = try await Self.client(of: program)
    }

    /// Starts another origin beside the first one, with a ledger of its own.
    func startSecondOrigin(_ arguments: [String]) async throws {
        let program = try Program.replaying(
            arguments, ledger: secondLedgerPath, log: folder.path(of: "origin2.log"))
        secondProgram = program
        secondOrigin = try await Self.client(of: program)
    }

    private static func client(of program: Program) async throws -> ProgramClient {
        let url = try await program.word(after: "Ready: ", in: "the origin's output")
        return ProgramClient(url.replacingOccurrences(of: "/ch1/index.m3u8", with: ""))
    }

    /// Kills the first origin.
    func killOrigin() async throws {
        _ = try await originProgram?.end(SIGKILL)
    }

    /// Starts the service and waits until it is ready, or only until it listens.
    func startService(untilReady: Bool = true) async throws {
        let program = launchService()
        listen = try await program.word(after: "listen=", in: "the service's log")
        let client = ProgramClient("http://\(listen)")
        service = client
        guard untilReady else { return }
        try await eventually("the service's readiness") {
            try await client.get("/readyz").status == 200
        }
    }

    private func launchService() -> Program {
        starts += 1
        let environment = [
            "BACKCAST_LISTEN": listen, "BACKCAST_DATABASE_URL": database, "BACKCAST_ADMIN_TOKEN": Self.token,
            "BACKCAST_ARCHIVE": folder.path(of: "archive"), "BACKCAST_STATE": folder.path(of: "state"),
            "BACKCAST_MIN_FREE": "1Mi",
        ].merging(settings) { $1 }
        let log = folder.path(of: "service\(starts).log")
        let program = Program(Programs.path("backcast"), ["run"], log: log, environment: environment)
        serviceProgram = program
        return program
    }

    /// Starts the service and kills it so many milliseconds later, wherever it is by then.
    func startAndKill(after milliseconds: Int) async throws {
        let program = launchService()
        try await Task.sleep(for: .milliseconds(milliseconds))
        try await program.end(SIGKILL)
    }

    /// Ends the service with a signal; how it ended.
    @discardableResult
    func endService(_ signal: Int32, within limit: Duration = .seconds(60)) async throws -> Int32 {
        guard let program = serviceProgram else { throw TestFailure("no service runs") }
        return try await program.end(signal, within: limit)
    }

    /// What the service has printed since it was last started.
    var serviceOutput: String { serviceProgram?.output ?? "" }

    nonisolated var ledgerPath: String { folder.path(of: "ledger.jsonl") }
    nonisolated var secondLedgerPath: String { folder.path(of: "ledger2.jsonl") }

    /// What was published until now.
    nonisolated func ledger(_ rendition: String = "v0", channel: String = "ch1") throws -> [LedgerEntry] {
        try LedgerEntry.reading(ledgerPath, rendition: rendition, channel: channel)
    }
}
