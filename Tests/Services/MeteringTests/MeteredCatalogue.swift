import Catalogue
import Concurrency
import DatabaseSupport
import Logging
import Monitoring
import Postgres
import Telemetry
import TestSupport
import Testing
import Timeline

@testable import Metering

/// Meters over a fresh catalogue, and channels for them to measure.
struct MeteredCatalogue: Sendable {
    /// 2026-07-26T05:05:16Z.
    static let now = Instant(seconds: 1_785_042_316)
    private static let node = "00000000-0000-0000-0000-000000000001"

    let pool: PostgresPool
    let catalogue: Catalogue
    let board = StatusBoard()
    let registry = MetricsRegistry()
    let meters: Meters

    private init(_ pool: PostgresPool) {
        self.pool = pool
        catalogue = Catalogue(pool: pool, logger: silentLogger)
        var clock = HostClock.system
        clock.now = { Self.now }
        meters = Meters(
            board: board, catalogue: catalogue, registry: registry, clock: clock, logger: silentLogger)
    }

    /// Gives a test a catalogue on a database of its own.
    static func with(_ body: (MeteredCatalogue) async throws -> Void) async throws {
        try await withCatalogueDatabase { pool, _ in try await body(MeteredCatalogue(pool)) }
    }

    /// The lines that a scrape answers.
    var lines: [String] {
        String(decoding: registry.prometheusText(), as: UTF8.self).split(separator: "\n").map(String.init)
    }

    @discardableResult
    func create(_ id: String) async throws -> Channel {
        try await catalogue.create(
            ChannelSettings(
                id: try #require(ChannelID(id)), title: id,
                sources: [SourceSettings(url: "http://origin.example/")], retentionSeconds: nil))
    }

    /// Enters segments of six seconds and 750 000 bytes that end with `now`; numbers in `missing` are left
    /// out.
    func record(_ channel: Channel, minutes: Int, missing: Set<Int> = []) async throws {
        try await catalogue.heartbeat(node: Self.node, seconds: 600)
        let lease = try #require(await catalogue.takeLease(channel: channel.row, node: Self.node))
        let count = minutes * 10
        let begin = Self.now - Int64(count) * 6 * Microseconds.perSecond
        try await catalogue.beginRecording(channel: channel.row, at: begin)
        var batch = Batch(
            channel: channel.row, fence: lease.fence,
            publishedHead: PublishedHeadUpdate(
                discontinuitySequence: 0, end: Self.now, watermark: Self.now, targetSeconds: 6))
        let rendition = RenditionID(kind: .video, index: 0)
        batch.renditions = [RenditionDescription(id: rendition)]
        batch.segments = (0..<count).filter { !missing.contains($0) }.map { number in
            let start = begin + Int64(number) * 6 * Microseconds.perSecond
            let fact = SegmentFact(
                channel: channel.id,
                identity: SegmentIdentity(rendition: rendition, run: 1, number: Int64(number)),
                start: start, duration: 6 * Microseconds.perSecond,
                format: SegmentFormat(container: .transportStream), storedBytes: 750_000, plainBytes: 750_000,
                arrived: start + 6 * Microseconds.perSecond, digest: [UInt8(truncatingIfNeeded: number)],
                fence: lease.fence)
            return DecidedSegment(fact: fact, number: Int64(number), discontinuitySequence: 0)
        }
        #expect(try await catalogue.commit(batch))
    }

    /// Sets the live edge, whatever is recorded.
    func moveEdge(of channel: Channel, to edge: Instant) async throws {
        _ = try await pool.query(
            "UPDATE line SET watermark_us = \(edge.microseconds) WHERE channel_id = \(channel.row)")
    }
}
