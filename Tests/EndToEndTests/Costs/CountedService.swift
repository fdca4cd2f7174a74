import Foundation
import HTTPSupport
import TestSupport

/// A service over a filled catalogue, whose allocations or instructions are counted.
struct CountedService {
    /// What is counted.
    enum Cost: CaseIterable {
        case allocations
        /// Those of user space, by Callgrind: virtual machines often have no counters of their own.
        case instructions
    }

    let program: Program
    let connection: RawConnection
    private let cost: Cost
    private let counts: String

    /// What the process has used until now, or since the last reading where instructions are counted.
    func reading() async throws -> Double {
        let before = try counters()
        program.send(SIGUSR2)
        let now = try await waitFor("the counters") {
            let now = try counters()
            return now[1] > before[1] ? now : nil
        }
        return cost == .allocations ? Double(now[0]) : try instructions(inFile: Int(now[1]))
    }

    private func counters() throws -> [Int64] {
        let data = try Data(contentsOf: URL(filePath: counts))
        guard data.count == 16 else { throw TestFailure("the counters have \(data.count) bytes") }
        return data.withUnsafeBytes { bytes in
            (0..<2).map { bytes.loadUnaligned(fromByteOffset: $0 * 8, as: Int64.self) }
        }
    }

    /// The sum at the end of a file that Callgrind has written.
    private func instructions(inFile number: Int) throws -> Double {
        let text = try String(contentsOfFile: "\(counts).callgrind.\(number)", encoding: .utf8)
        let mark = "totals: "
        guard let line = text.split(separator: "\n").last(where: { $0.hasPrefix(mark) }),
            let total = Double(line.dropFirst(mark.count))
        else { throw TestFailure("Callgrind told no sum: \(text.suffix(300))") }
        return total
    }
}

extension CountedService {
    /// A catalogue of a day, and what counts the costs of a service over it.
    struct Catalogue {
        /// What the program that filled the catalogue says of it.
        struct Plan: Decodable {
            var begin: Double
            var end: Double
        }

        let plan: Plan
        private let database: String
        private let library: String
        private let folder: TemporaryFolder

        init() async throws {
            folder = try TemporaryFolder("costs")
            database = try await TestDatabase.shared.database("costs")
            library = folder.path(of: "costs.so")
            try await Command.run(
                "/usr/bin/cc",
                ["-O2", "-shared", "-fPIC", "-o", library, Programs.root + "/Tests/bench/costs.c"])
            try FileManager.default.createDirectory(
                atPath: folder.path(of: "archive"), withIntermediateDirectories: true)
            try await Self.finish("backcast", ["migrate"], folder, ["BACKCAST_DATABASE_URL": database])
            let said = try await Self.finish(
                "Benchmarks",
                ["fill", "--database", database, "--days", "1", "--channels", "1", "--variants", "2"], folder)
            plan = try JSONDecoder().decode(Plan.self, from: Data(said.utf8))
        }

        /// Runs a program to its end; the last line that it printed.
        @discardableResult
        private static func finish(
            _ name: String, _ arguments: [String], _ folder: TemporaryFolder,
            _ environment: [String: String] = [:],
        ) async throws -> String {
            let log = folder.path(of: "\(name).log")
            let program = Program(Programs.path(name), arguments, log: log, environment: environment)
            let status = try await waitFor("the end of \(name)", within: .seconds(900)) {
                try program.exitStatus
            }
            guard status == 0 else { throw TestFailure("\(name) ended with \(status): \(program.output)") }
            return program.output.split(separator: "\n").last.map(String.init) ?? ""
        }

        /// Starts a service with one server thread, carries out a body, ends the service.
        func serve(
            counting cost: Cost = .allocations, _ body: (CountedService) async throws -> Void
        ) async throws {
            let counts = try folder.write(String(repeating: "\0", count: 16), to: "\(cost)")
            let program = try await start(counting: cost, in: counts)
            do {
                let listen = try await program.word(after: "listen=", in: "the service's log")
                let client = ProgramClient("http://\(listen)")
                try await eventually("the service's readiness", within: .seconds(600)) {
                    try await client.get("/readyz").status == 200
                }
                guard let port = listen.split(separator: ":").last.flatMap({ UInt16($0) }) else {
                    throw TestFailure("no port: \(listen)")
                }
                let connection = try RawConnection(port: port)
                try await body(
                    CountedService(program: program, connection: connection, cost: cost, counts: counts))
            } catch {
                _ = try? await program.end(SIGKILL)
                throw TestFailure("\(error)\n\(program.output.suffix(3_000))")
            }
            try await program.end(SIGKILL)
        }

        private func start(counting cost: Cost, in counts: String) async throws -> Program {
            let environment = [
                "LD_PRELOAD": library, "COSTS": counts, "BACKCAST_LISTEN": "127.0.0.1:0",
                "BACKCAST_DATABASE_URL": database, "BACKCAST_ARCHIVE": folder.path(of: "archive"),
                "BACKCAST_ADMIN_TOKEN": Stack.token, "BACKCAST_SERVER_THREADS": "1",
            ]
            let log = folder.path(of: "\(cost).log")
            guard cost == .instructions else {
                return Program(Programs.path("backcast"), ["serve"], log: log, environment: environment)
            }
            // Callgrind cannot read the compiler's debug information.
            let stripped = folder.path(of: "backcast")
            try await Command.run("/usr/bin/strip", ["-g", "-o", stripped, Programs.path("backcast")])
            return Program(
                "/usr/bin/valgrind",
                ["--tool=callgrind", "--callgrind-out-file=\(counts).callgrind", stripped, "serve"], log: log,
                environment: environment)
        }
    }
}
