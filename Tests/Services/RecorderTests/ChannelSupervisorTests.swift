import Catalogue
import Synchronization
import TestSupport
import Testing
import Timeline

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
        var supervisor = ChannelSupervisor<Int>()
        supervisor.reconcile(1, basis: 1) { await Self.slow(gate, log) }
        try await eventually { log.all == ["slow begins"] }
        supervisor.reconcile(1, basis: 2) { log.add("successor") }
        supervisor.reconcile(2, basis: 1) { log.add("other") }
        supervisor.reconcile(2, basis: 2) { log.add("other again") }
        try await eventually { log.all.last == "other again" }
        #expect(!log.all.contains("successor") && !log.all.contains("slow ends"))
        opener.finish()
        try await eventually { log.all.suffix(2) == ["slow ends", "successor"] }
        await supervisor.stop()
    }

    @Test("A change that concerns no recording does not touch it")
    func basis() throws {
        let id = try #require(ChannelID("news"))
        let settings = ChannelSettings(
            id: id, title: "News", sources: [SourceSettings(url: "http://one.test/")], retentionSeconds: nil)
        func basis(_ change: (inout Channel) -> Void) -> RecordingBasis {
            var channel = Channel(row: 1, settings: settings, version: 1)
            change(&channel)
            return RecordingBasis(channel)
        }
        let present = basis { _ in }
        let same = basis {
            $0.version = 2
            ($0.settings.title, $0.settings.timeZone) = ("Other", "Europe/Paris")
            ($0.settings.retentionSeconds, $0.settings.maxBytes) = (60, 1)
            ($0.playlistForm, $0.mediaUntil) = (.multivariant, Instant(seconds: 1))
        }
        #expect(same == present)
        let changes: [(inout Channel) -> Void] = [
            { $0.isDeleted = true }, { $0.settings.recording = false }, { $0.settings.clock = .arrival },
            { $0.settings.encryption = .clear }, { $0.settings.renditions = .highest },
            { $0.settings.sources[0].priority = 1 }, { $0.settings.sources = [] },
        ]
        for change in changes { #expect(basis(change) != present) }
        let forms = ["http://one.test/\u{e9}", "http://one.test/e\u{301}"].map { url in
            basis { $0.settings.sources[0].url = url }
        }
        #expect(forms[0] != forms[1])
    }

    @Test("Work goes on as long as its basis stays, and a successor overtaken by another never begins")
    func versions() async throws {
        let log = Log()
        let (gate, opener) = AsyncStream.makeStream(of: Void.self)
        var supervisor = ChannelSupervisor<Int>()
        for _ in 0..<3 { supervisor.reconcile(1, basis: 1) { await Self.slow(gate, log) } }
        try await eventually { log.all == ["slow begins"] }
        supervisor.reconcile(1, basis: 2) { log.add("second") }
        supervisor.reconcile(1, basis: 3) { log.add("third") }
        opener.finish()
        try await eventually { log.all.last == "third" }
        #expect(log.all == ["slow begins", "slow ends", "third"])
        await supervisor.stop()
    }
}
