import Catalogue
import Concurrency
import DatabaseSupport
import Journal
import Monitoring
import Postgres
import Telemetry
import TestSupport
import Testing
import Timeline

@testable import Metering

@Suite("The metrics of channels")
struct MetersTests {
    private static let now = MeteredCatalogue.now

    @Test("say how each channel of this process does")
    func channels() async throws {
        try await MeteredCatalogue.with { metered in
            var status = ChannelStatus(state: .recording, since: Self.now)
            status.liveEdge = Self.now - 2_500_000
            status.renditions = [
                RenditionStatus(
                    id: RenditionID(kind: .video, index: 0), lastSegment: Self.now - 6_000_000,
                    seen: 10, stored: 7, lost: [.segmentMissing: 3], bytes: 700),
                RenditionStatus(
                    id: RenditionID(kind: .audio, index: 0), lastSegment: Self.now - 4_000_000,
                    seen: 5, stored: 4, lost: [.segmentMissing: 1], bytes: 40),
            ]
            metered.board.set(status, of: try #require(ChannelID("a")))
            let lines = metered.lines
            for line in [
                #"backcast_channel_live_edge_lag_seconds{channel="a"} 2.5"#,
                #"backcast_last_segment_timestamp_seconds{channel="a"} 1785042312"#,
                #"backcast_channel_recording{channel="a"} 1"#,
                #"backcast_segments_seen_total{channel="a"} 15"#,
                #"backcast_segments_recorded_total{channel="a"} 11"#,
                #"backcast_recorded_bytes_total{channel="a"} 740"#,
                #"backcast_segment_errors_total{channel="a",reason="segment_missing"} 4"#,
            ] {
                #expect(lines.contains(line), "\(line)")
            }
        }
    }

    @Test("say how many journal lines of a channel this version could not read")
    func journal() async throws {
        let folder = try TemporaryFolder("journal")
        let line = #"{"v":99,"segment":{}}"#
        let checksum = "042bdac2"
        try folder.write("\(checksum) \(line)\n", to: "a/000001.jsonl")
        let journal = try Journal.open(folder: folder.path, clock: .system, logger: silentLogger)
        let registry = MetricsRegistry()
        JournalMeter.register(journal, in: registry)
        #expect(try await journal.channel(try #require(ChannelID("a"))).replay().isEmpty)
        let text = String(decoding: registry.prometheusText(), as: UTF8.self)
        #expect(text.contains(#"backcast_journal_unread_lines{channel="a"} 1"#))
        await journal.close()
    }

    @Test("count a gap once when the live edge has passed it")
    func gaps() async throws {
        try await MeteredCatalogue.with { metered in
            let channel = try await metered.create("a")
            let meter = metered.meters.gaps
            try await meter.measure()
            // The first round finds a channel without a live edge; the gap comes with the next one.
            try await metered.moveEdge(of: channel, to: Self.now - 120 * Microseconds.perSecond)
            try await meter.measure()
            try await metered.record(channel, minutes: 2, missing: [10, 11])
            for _ in 1...2 { try await meter.measure() }
            #expect(
                metered.lines.contains(#"backcast_gap_seconds_total{channel="a",reason="recorder_down"} 12"#))
        }
    }

    @Test("go on from the live edge of a channel that was reanchored")
    func reanchored() async throws {
        try await MeteredCatalogue.with { metered in
            let channel = try await metered.create("a")
            let meter = metered.meters.gaps
            for seconds: Int64 in [28_800, -120] {
                try await metered.moveEdge(of: channel, to: Self.now + seconds * Microseconds.perSecond)
                try await meter.measure()
            }
            try await metered.record(channel, minutes: 2, missing: [10, 11])
            try await meter.measure()
            #expect(
                metered.lines.contains(#"backcast_gap_seconds_total{channel="a",reason="recorder_down"} 12"#))
        }
    }

    @Test("measure a long time behind the live edge in steps")
    func steps() async throws {
        try await MeteredCatalogue.with { metered in
            let channel = try await metered.create("a")
            let meter = metered.meters.gaps
            try await metered.record(channel, minutes: 2)
            let begin = Self.now - (2 * Limits.gapStepSeconds + 3600) * Microseconds.perSecond
            try await metered.moveEdge(of: channel, to: begin)
            _ = try await metered.pool.query("UPDATE recording_span SET begin_us = \(begin.microseconds)")
            try await meter.measure()
            try await metered.moveEdge(of: channel, to: Self.now)
            let gap = 2 * Int(Limits.gapStepSeconds) + 3600 - 120
            for seconds in [Int(Limits.gapStepSeconds), 2 * Int(Limits.gapStepSeconds), gap, gap] {
                try await meter.measure()
                let line = #"backcast_gap_seconds_total{channel="a",reason="recorder_down"} \#(seconds)"#
                #expect(metered.lines.contains(line), "\(line)")
            }
        }
    }

    @Test("say what the archive holds of each channel, also of a deleted one, but not of an empty one")
    func archive() async throws {
        try await MeteredCatalogue.with { metered in
            for id in ["a", "b"] { try await metered.record(try await metered.create(id), minutes: 2) }
            try await metered.create("c")
            try await metered.catalogue.delete(try #require(ChannelID("b")), version: nil)
            try await metered.meters.archive.measure()
            let lines = metered.lines
            for line in [
                #"backcast_archive_bytes{channel="a"} 15000000"#,
                #"backcast_archive_bytes{channel="b"} 15000000"#,
                #"backcast_archive_oldest_timestamp_seconds{channel="a"} 1785042196"#,
            ] {
                #expect(lines.contains(line), "\(line)")
            }
            #expect(!lines.contains { $0.contains(#"archive_bytes{channel="c"}"#) })
        }
    }
}
