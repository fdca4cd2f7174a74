import Foundation
import TestSupport
import Testing

/// Each test tries one fault on the running program: nothing that could be kept is lost, nothing is there
/// twice, and the channels are soon complete again.
@Suite("Faults on the running program", .limitedStacks, .serialized)
struct FaultTests {
    private let scale = FaultScale.current

    @Test("SIGKILL at any time, start and migration included", .timeLimit(.minutes(30)))
    func kills() async throws {
        var chance = SeededGenerator(seed: 14)
        let early = scale.kills / 5
        let plan = FaultStack.Plan(fault: "SIGKILL", times: scale.kills + 2, channels: scale.channels)
        try await FaultStack.attempt(plan) { run in
            try await run.stack.endService(SIGKILL)
            try await run.cluster.run(sql: "DROP SCHEMA public CASCADE; CREATE SCHEMA public")
            for _ in 0..<early {
                try await run.stack.startAndKill(after: .random(in: 0...400, using: &chance))
            }
            try await run.stack.startService()
        } _: { run in
            for index in 0..<scale.kills - early {
                // In turn a service that records and one that starts.
                if index.isMultiple(of: 2) {
                    try await Task.sleep(for: .milliseconds(Int.random(in: 0...4_000, using: &chance)))
                    try await run.stack.endService(SIGKILL)
                } else {
                    try await run.stack.startAndKill(after: .random(in: 0...1_000, using: &chance))
                    try await run.stack.startService()
                }
            }
            try await run.stack.endService(SIGKILL)
            try await run.stack.startService()
        }
    }

    @Test("The origin is away for longer than it lists", .timeLimit(.minutes(30)))
    func originAway() async throws {
        let plan = FaultStack.Plan(fault: "origin away", listSeconds: 12, isOriginAway: true)
        try await FaultStack.attempt(plan) { run in
            for channel in run.channels {
                try await run.stack.fault("down&seconds=\(scale.away)", of: channel)
            }
            try await Task.sleep(for: .seconds(scale.away))
        }
    }

    @Test("ENDLIST, and a new beginning 12 s later", .timeLimit(.minutes(30)))
    func endedAndBegun() async throws {
        try await FaultStack.attempt(FaultStack.Plan(fault: "ENDLIST and a new beginning", listSeconds: 12)) {
            run in
            for channel in run.channels { try await run.stack.fault("end&seconds=12", of: channel) }
            try await Task.sleep(for: .seconds(12))
        }
    }

    @Test("The archive is full for less than the origin lists", .timeLimit(.minutes(30)))
    func archiveFull() async throws {
        let plan = FaultStack.Plan(fault: "archive full for 12 s of 30", mayExpire: true)
        try await FaultStack.attempt(plan) { run in
            try run.host.fillDisk(true)
            try await Task.sleep(for: .seconds(12))
            try run.host.fillDisk(false)
        }
    }

    @Test("A long playlist after a pause", .timeLimit(.minutes(30)))
    func longPlaylist() async throws {
        let plan = FaultStack.Plan(
            fault: "restart with \(scale.prefill) segments listed", channels: 1, listSeconds: 40_000,
            prefill: scale.prefill)
        try await FaultStack.attempt(plan) { run in
            try await run.stack.endService(SIGKILL)
            try await Task.sleep(for: .seconds(scale.away))
            try await run.stack.startService()
        }
    }

    @Test("Sources that take connections and never answer", .timeLimit(.minutes(30)))
    func silentSources() async throws {
        let count = scale.channels * 10
        let plan = FaultStack.Plan(
            fault: "\(count) silent sources beside \(scale.channels) good ones", channels: scale.channels)
        let silent = try SilentSources()
        try await FaultStack.attempt(plan) { run in
            for index in 0..<count {
                let url = silent.url(of: index)
                try await run.stack.addChannel("silent\(index)", settings: #""source_url":"\#(url)""#)
            }
            try await Task.sleep(for: .seconds(scale.away))
        }
    }

    @Test(
        "The recorder that owns the channels stands still, and goes on when another has taken over",
        .timeLimit(.minutes(30)))
    func ownerFrozen() async throws {
        let seconds = max(scale.away, 25)
        let origin = ["--segment-seconds", "2", "--prefill", "3", "--list-seconds", "60"]
        try await TwoRecorders.run(origin: origin) { pair in
            try await pair.start(.first)
            try await pair.addChannels(by: .first)
            for channel in TwoRecorders.channels {
                try await eventually("\(channel)") { try await pair.held(channel).count >= 3 }
            }
            try await pair.start(.second)
            async let freeze: Void = pair.freeze(.first, for: seconds)
            try await Task.sleep(for: .seconds(Self.lease))
            #expect(try await catchUp(pair) <= scale.recovery, "since the lease's end")
            try await freeze
            let ended = Instant.now
            let recovery = try await catchUp(pair)
            #expect(recovery <= scale.recovery, "since the owner goes on")
            var outcome = FaultOutcome()
            for channel in TwoRecorders.channels {
                let listed = try await pair.ledger(channel).filter { $0.listed <= ended }
                let known = Set(listed.map(\.sha256))
                outcome.add(listed, window: try await pair.digests(channel).filter(known.contains)) { _ in
                    true
                }
            }
            FaultTable.add("owner stands still for \(seconds) s", times: 1, outcome, recovery: recovery)
            #expect(outcome.isPerfect, "\(outcome)")
        }
    }

    /// Seconds after its last heartbeat in which a node's channels are its own.
    private static let lease = 6

    /// How long it takes until all that is listed now is published, seconds.
    private func catchUp(_ pair: TwoRecorders) async throws -> Double {
        let begun = Instant.now
        for channel in TwoRecorders.channels {
            let listed = try await pair.ledger(channel).last { $0.listed <= begun }
            try await eventually("all of \(channel)") {
                try await pair.held(channel, published: true).last ?? 0 >= listed?.number ?? 0
            }
        }
        return Double(Instant.now - begun) / 1_000
    }
}
