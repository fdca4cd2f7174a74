import Foundation
import TestSupport
import Testing

/// Recording does not depend on PostgreSQL: whatever it does, facts wait and are entered once.
@Suite("Faults of PostgreSQL under the running program", .limitedStacks, .serialized)
struct DatabaseFaultTests {
    private let scale = FaultScale.current

    @Test("Stopped", .timeLimit(.minutes(30)))
    func stopped() async throws {
        try await FaultStack.attempt(FaultStack.Plan(fault: "PostgreSQL stopped for \(scale.away) s")) {
            run in
            try await run.cluster.stop()
            try await Task.sleep(for: .seconds(scale.away))
            try await run.cluster.start()
        }
    }

    @Test("Killed while it commits", .timeLimit(.minutes(30)))
    func killed() async throws {
        let times = max(2, scale.kills / 5)
        let plan = FaultStack.Plan(fault: "PostgreSQL killed while it commits", times: times, channels: 5)
        try await FaultStack.attempt(plan) { run in
            var chance = SeededGenerator(seed: 41)
            for _ in 0..<times {
                try await Task.sleep(for: .milliseconds(Int.random(in: 500...3_000, using: &chance)))
                try await run.cluster.killAll()
                try await run.cluster.start()
            }
        }
    }

    @Test("Read-only", .timeLimit(.minutes(30)))
    func readOnly() async throws {
        try await FaultStack.attempt(FaultStack.Plan(fault: "PostgreSQL read-only for \(scale.away) s")) {
            run in
            try await run.cluster.run(sql: "ALTER SYSTEM SET default_transaction_read_only = on")
            try await run.cluster.run(sql: "SELECT pg_reload_conf()")
            try await Task.sleep(for: .seconds(scale.away))
            try await run.cluster.run(sql: "ALTER SYSTEM RESET default_transaction_read_only")
            try await run.cluster.run(sql: "SELECT pg_reload_conf()")
        }
    }

    @Test("Cancels every statement that enters a segment (57014)", .timeLimit(.minutes(30)))
    func cancels() async throws {
        try await FaultStack.attempt(FaultStack.Plan(fault: "57014 for \(scale.away) s")) { run in
            try await run.cluster.run(sql: Self.cancelling)
            try await Task.sleep(for: .seconds(scale.away))
            try await run.cluster.run(sql: "DROP TRIGGER cancel ON segment; DROP FUNCTION cancel()")
        }
    }

    private static let cancelling = """
        CREATE FUNCTION cancel() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN RAISE EXCEPTION 'canceling statement due to statement timeout' USING ERRCODE = '57014'; END $$;
        CREATE TRIGGER cancel BEFORE INSERT ON segment FOR EACH ROW EXECUTE FUNCTION cancel();
        """

    @Test("Not there when the service starts", .timeLimit(.minutes(30)))
    func notThere() async throws {
        let plan = FaultStack.Plan(fault: "start without PostgreSQL for \(scale.away) s")
        try await FaultStack.attempt(plan) { run in
            try await run.stack.endService(SIGKILL)
            try await run.cluster.stop()
            try await run.stack.startService(untilReady: false)
            try await Task.sleep(for: .seconds(scale.away))
            try await run.cluster.start()
        }
    }
}
