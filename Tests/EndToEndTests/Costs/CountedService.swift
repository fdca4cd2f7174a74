import Foundation
import HTTPSupport
import TestSupport

/// A service over a filled catalogue, whose allocations and instructions are counted.
struct CountedService {
    /// What the program that filled the catalogue says of it.
    struct Plan: Decodable {
        var begin: Double
        var end: Double
    }

    let plan: Plan
    let program: Program
    let connection: RawConnection
    private let counts: String

    /// Fills a catalogue of a day, starts a service with one server thread, carries out a body, ends the
    /// service.
    static func run(_ body: (CountedService) async throws -> Void) async throws {
        let folder = try TemporaryFolder("costs")
        let database = try await TestDatabase.shared.database("costs")
        let library = folder.path(of: "costs.so")
        try await Command.run(
            "/usr/bin/cc",
            ["-O2", "-shared", "-fPIC", "-o", library, Programs.root + "/Tests/bench/costs.c"])
        try await finish("backcast", ["migrate"], folder, ["BACKCAST_DATABASE_URL": database])
        let said = try await finish(
            "Benchmarks",
            ["fill", "--database", database, "--days", "1", "--channels", "1", "--variants", "2"], folder)
        let plan = try JSONDecoder().decode(Plan.self, from: Data(said.utf8))
        let counts = try folder.write(String(repeating: "\0", count: 24), to: "counts")
        try FileManager.default.createDirectory(
            atPath: folder.path(of: "archive"), withIntermediateDirectories: true)
        let program = Program(
            Programs.path("backcast"), ["serve"], log: folder.path(of: "service.log"),
            environment: [
                "LD_PRELOAD": library, "COSTS": counts, "BACKCAST_LISTEN": "127.0.0.1:0",
                "BACKCAST_DATABASE_URL": database, "BACKCAST_ARCHIVE": folder.path(of: "archive"),
                "BACKCAST_ADMIN_TOKEN": Stack.token, "BACKCAST_SERVER_THREADS": "1",
            ])
        do {
            let listen = try await program.word(after: "listen=", in: "the service's log")
            let client = ProgramClient("http://\(listen)")
            try await eventually("the service's readiness") {
                try await client.get("/readyz").status == 200
            }
            guard let port = listen.split(separator: ":").last.flatMap({ UInt16($0) }) else {
                throw TestFailure("no port: \(listen)")
            }
            try await body(
                CountedService(
                    plan: plan, program: program, connection: try RawConnection(port: port), counts: counts))
        } catch {
            _ = try? await program.end(SIGKILL)
            throw TestFailure("\(error)\n\(program.output.suffix(3_000))")
        }
        try await program.end(SIGKILL)
    }

    /// Runs a program to its end; the last line that it printed.
    @discardableResult
    private static func finish(
        _ name: String, _ arguments: [String], _ folder: TemporaryFolder,
        _ environment: [String: String] = [:],
    ) async throws -> String {
        let program = Program(
            Programs.path(name), arguments, log: folder.path(of: "\(name).log"), environment: environment)
        let status = try await waitFor("the end of \(name)", within: .seconds(900)) { try program.exitStatus }
        guard status == 0 else { throw TestFailure("\(name) ended with \(status): \(program.output)") }
        return program.output.split(separator: "\n").last.map(String.init) ?? ""
    }

    /// What the process has used until now.
    func reading() async throws -> Costs {
        let before = try counters()
        program.send(SIGUSR2)
        return try await waitFor("the counters") {
            let now = try counters()
            guard now[2] > before[2] else { return nil }
            return Costs(allocations: now[0], instructions: now[1] < 0 ? nil : now[1])
        }
    }

    private func counters() throws -> [Double] {
        let data = try Data(contentsOf: URL(filePath: counts))
        guard data.count == 24 else { throw TestFailure("the counters have \(data.count) bytes") }
        return data.withUnsafeBytes { bytes in
            (0..<3).map { Double(bytes.loadUnaligned(fromByteOffset: $0 * 8, as: Int64.self)) }
        }
    }
}

/// What requests use of a service.
struct Costs: Codable {
    var allocations: Double
    /// Nil where the kernel does not count them.
    var instructions: Double?

    /// Whether nothing is beyond what was recorded by more than a factor.
    func isWithin(_ known: Costs, _ tolerance: Double) -> Bool {
        guard allocations <= known.allocations * tolerance else { return false }
        guard let instructions, let limit = known.instructions else { return true }
        return instructions <= limit * tolerance
    }
}
