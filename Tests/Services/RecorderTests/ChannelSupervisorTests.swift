import Synchronization
import TestSupport
import Testing

@testable import Recorder

@Suite("Channel supervisor")
struct ChannelSupervisorTests {
    /// What happened, in order.
    private final class Log: Sendable {
        private let lines = Mutex<[String]>([])
        var all: [String] { lines.withLock { $0 } }
        func add(_ line: String) { lines.withLock { $0.append(line) } }
    }

    /// Work that ends only when it is let go, however early it is cancelled: a download in flight.
    private static func slow(_ gate: AsyncStream<Void>, _ log: Log) async {
        log.add("slow begins")
        await Task { for await _ in gate {} }.value
        log.add("slow ends")
    }

    @Test("A channel whose work ends slowly holds its own successor and no other channel")
    func slowEnd() async throws {
        let log = Log()
        let (gate, opener) = AsyncStream.makeStream(of: Void.self)
        var supervisor = ChannelSupervisor()
        supervisor.reconcile(1, version: 1) { await Self.slow(gate, log) }
        try await eventually(within: .seconds(60)) { log.all == ["slow begins"] }
        supervisor.reconcile(1, version: 2) { log.add("successor") }
        supervisor.reconcile(2, version: 1) { log.add("other") }
        supervisor.reconcile(2, version: 2) { log.add("other again") }
        try await eventually(within: .seconds(60)) { log.all.last == "other again" }
        #expect(!log.all.contains("successor") && !log.all.contains("slow ends"))
        opener.finish()
        try await eventually(within: .seconds(60)) { log.all.suffix(2) == ["slow ends", "successor"] }
        await supervisor.stop()
    }

    @Test("Work goes on as long as the version stays, and a successor overtaken by another never begins")
    func versions() async throws {
        let log = Log()
        let (gate, opener) = AsyncStream.makeStream(of: Void.self)
        var supervisor = ChannelSupervisor()
        for _ in 0..<3 { supervisor.reconcile(1, version: 1) { await Self.slow(gate, log) } }
        try await eventually(within: .seconds(60)) { log.all == ["slow begins"] }
        supervisor.reconcile(1, version: 2) { log.add("second") }
        supervisor.reconcile(1, version: 3) { log.add("third") }
        opener.finish()
        try await eventually(within: .seconds(60)) { log.all.last == "third" }
        #expect(log.all == ["slow begins", "slow ends", "third"])
        await supervisor.stop()
    }
}
