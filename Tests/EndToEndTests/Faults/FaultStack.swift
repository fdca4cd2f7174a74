import Foundation
import TestSupport
import Testing

/// Some channels that are recorded while a fault is tried, and what becomes of them.
struct FaultStack: Sendable {
    /// Seconds of a segment.
    static let segment = 2
    /// Segments of a source's first playlist that are recorded: the newest.
    private static let firstContact = 2_000
    /// Milliseconds of a quarter of an hour, the step in which a full archive expires its oldest segments.
    private static let quarter: Int64 = 900_000

    let stack: Stack
    let host: FaultHost
    let channels: [String]
    let cluster: PostgresCluster

    /// What is tried, and how the origin behaves.
    struct Plan {
        var fault: String
        var times = 1
        var channels = 2
        var listSeconds = 30
        var prefill = 3
        var isDated = true
        /// Further settings of each channel, as members of a JSON object.
        var settings = ""
        /// The origin is away while the fault lasts.
        var isOriginAway = false
        /// The archive is full: segments of quarters of an hour that have ended may expire to free space.
        var mayExpire = false
    }

    /// Records some channels, tries a fault, and expects that everything is kept once and in order, soon.
    static func attempt(
        _ plan: Plan, before: (FaultStack) async throws -> Void = { _ in },
        _ fault: (FaultStack) async throws -> Void
    ) async throws {
        let cluster = try await PostgresCluster()
        let folder = try TemporaryFolder("fault")
        let host = try await FaultHost(folder: folder, archive: folder.path(of: "archive"))
        var settings = host.settings
        settings["BACKCAST_ARCHIVE"] = folder.path(of: "archive")
        let origin = [
            "--segment-seconds", "\(segment)", "--channels", "\(plan.channels)", "--list-seconds",
            "\(plan.listSeconds)", "--prefill", "\(plan.prefill)",
        ]
        try await Stack.run(
            origin: origin + (plan.isDated ? [] : ["--no-dates"]), settings: settings,
            database: cluster.uri()
        ) { stack in
            let channels = (1...plan.channels).map { "ch\($0)" }
            let run = FaultStack(stack: stack, host: host, channels: channels, cluster: cluster)
            try await before(run)
            try await run.begin(plan)
            let began = Instant.now
            try await fault(run)
            try await run.expectEverything(plan, faultFrom: began, to: Instant.now)
        }
    }

    private func begin(_ plan: Plan) async throws {
        for channel in channels {
            try await stack.addChannel(channel, path: "/\(channel)/index.m3u8", also: plan.settings)
        }
        try await settle(at: Instant.now, plan)
    }

    /// Waits until all channels have published what was listed at an instant.
    private func settle(at instant: Int64, _ plan: Plan) async throws {
        for channel in channels {
            guard let listed = try stack.ledger(channel: channel).last(where: { $0.listed <= instant }) else {
                throw TestFailure("\(channel) listed nothing")
            }
            try await eventually("\(channel) up to \(listed.number)") {
                try await isPublished(listed, plan)
            }
        }
    }

    private func isPublished(_ entry: LedgerEntry, _ plan: Plan) async throws -> Bool {
        // Without dates a segment is placed by its arrival; its number tells which one it is.
        guard plan.isDated else { return try await stack.rows(Self.published(entry)) == ["1"] }
        return try await (stack.liveEdge(of: entry.channel) ?? 0) >= entry.end - 20
    }

    private static func published(_ entry: LedgerEntry) -> String {
        """
        SELECT count(*) FROM segment JOIN rendition USING (rendition_id) JOIN channel USING (channel_id)
        WHERE slug = '\(entry.channel)' AND origin_number = \(entry.number) AND number IS NOT NULL
        """
    }

    private func expectEverything(_ plan: Plan, faultFrom began: Int64, to ended: Int64) async throws {
        try await settle(at: ended, plan)
        let recovery = Double(Instant.now - ended) / 1_000
        try await Task.sleep(for: .seconds(3 * Self.segment))
        let last = Instant.now
        try await settle(at: last, plan)
        var outcome = FaultOutcome()
        for channel in channels {
            let digests = try await window(of: channel, until: last + 60_000)
            let entries = try stack.ledger(channel: channel).filter { $0.listed <= last }
            let listed = Set(entries.map(\.sha256))
            // What was listed after the end of the test may be there already.
            let late = Set(try stack.ledger(channel: channel).map(\.sha256)).subtracting(listed)
            outcome.add(entries, window: digests.filter { !late.contains($0) }) { entry in
                // Some more were listed before the channel was added.
                guard entry.number >= plan.prefill - Self.firstContact + 30 else { return false }
                if plan.mayExpire, entry.start < ended - ended % Self.quarter { return false }
                guard plan.isOriginAway else { return true }
                let gone = entry.listed + Int64(plan.listSeconds) * 1_000
                let margin = Int64(2 * Self.segment) * 1_000
                return entry.listed < began - margin || gone > ended + margin
            }
        }
        FaultTable.add(plan.fault, times: plan.times, outcome, recovery: recovery)
        #expect(outcome.isPerfect, "\(plan.fault): \(outcome)")
        #expect(recovery <= FaultScale.current.recovery, "\(plan.fault)")
    }

    /// Digests of all that a channel has, asked for by the wall clock as a viewer does.
    private func window(of channel: String, until end: Int64) async throws -> [String] {
        let entries = try stack.ledger(channel: channel)
        let begin = (entries.first?.start ?? 0) - 60_000
        let playlist = try await stack.service.playlist(
            "/live/\(channel)/index.m3u8?begintime=\(begin)&endtime=\(end)")
        return try await stack.service.digests(of: playlist, in: channel)
    }
}
