import Catalogue
import Concurrency
import DatabaseSupport
import HTTP
@testable import HTTPServer
import Postgres
import Telemetry
import Testing
import Timeline

@testable import AdminAPI
@testable import Recorder

@Suite struct MetricsTests {
    @Test("A scrape says how each channel of this process does")
    func channels() async throws {
        try await withAdmin { admin async throws in
            var status = ChannelStatus(state: .recording, since: TestAdmin.now)
            status.liveEdge = TestAdmin.now - 2_500_000
            status.renditions = [
                RenditionStatus(
                    id: RenditionID(kind: .video, index: 0), lastSegment: TestAdmin.now - 6_000_000,
                    bitsPerSecond: 1, seen: 10, stored: 7, lost: [.segmentMissing: 3], bytes: 700),
                RenditionStatus(
                    id: RenditionID(kind: .audio, index: 0), lastSegment: TestAdmin.now - 4_000_000,
                    bitsPerSecond: 1, seen: 5, stored: 4, lost: [.segmentMissing: 1], bytes: 40),
            ]
            admin.board.set(status, of: try #require(ChannelID("a")))
            let answer = try await admin.send(.get, "/metrics", hasToken: false)
            #expect(answer.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8")
            for line in [
                #"backcast_build_info{version="1.2.3"} 1"#,
                #"backcast_channel_live_edge_lag_seconds{channel="a"} 2.5"#,
                #"backcast_last_segment_timestamp_seconds{channel="a"} 1785042312"#,
                #"backcast_channel_recording{channel="a"} 1"#,
                #"backcast_segments_seen_total{channel="a"} 15"#,
                #"backcast_segments_recorded_total{channel="a"} 11"#,
                #"backcast_recorded_bytes_total{channel="a"} 740"#,
                #"backcast_segment_errors_total{channel="a",reason="segment_missing"} 4"#,
            ] {
                #expect(answer.text.split(separator: "\n").contains { $0 == line }, "\(line)")
            }
        }
    }

    @Test("Gaps that have passed the live edge are counted once")
    func gaps() async throws {
        try await withAdmin { admin async throws in
            try await admin.create("a")
            let meter = GapMeter(catalogue: admin.catalogue, registry: admin.registry)
            try await meter.measure()
            // The first look finds a channel without a live edge; the hole comes with the next one.
            let channel = try await admin.channel("a")
            let begin = TestAdmin.now - 120 * Microseconds.perSecond
            try await admin.moveEdge(of: channel, to: begin)
            try await meter.measure()
            _ = try await admin.record("a", minutes: 2, missing: [10, 11])
            for _ in 1...2 { try await meter.measure() }
            let text = try await admin.send(.get, "/metrics").text
            #expect(text.contains(#"backcast_gap_seconds_total{channel="a",reason="recorder_down"} 12"#))
        }
    }

    @Test("A long way behind the live edge is measured in steps")
    func steps() async throws {
        try await withAdmin { admin async throws in
            try await admin.create("a")
            let meter = GapMeter(catalogue: admin.catalogue, registry: admin.registry)
            let channel = try await admin.record("a", minutes: 2)
            let begin = TestAdmin.now - (2 * Limits.gapStepSeconds + 3600) * Microseconds.perSecond
            try await admin.moveEdge(of: channel, to: begin)
            _ = try await admin.pool.query("UPDATE recording_span SET begin_us = \(begin.microseconds)")
            try await meter.measure()
            try await admin.moveEdge(of: channel, to: TestAdmin.now)
            let gap = 2 * Int(Limits.gapStepSeconds) + 3600 - 120
            for seconds in [Int(Limits.gapStepSeconds), 2 * Int(Limits.gapStepSeconds), gap, gap] {
                try await meter.measure()
                let text = try await admin.send(.get, "/metrics").text
                let line = #"backcast_gap_seconds_total{channel="a",reason="recorder_down"} \#(seconds)"#
                #expect(text.split(separator: "\n").contains { $0 == line }, "\(line)")
            }
        }
    }

    @Test("What the archive holds is told per channel, of a deleted one too, and of an empty one not")
    func archive() async throws {
        try await withAdmin { admin async throws in
            for id in ["a", "b", "c"] { try await admin.create(id) }
            for id in ["a", "b"] { _ = try await admin.record(id, minutes: 2) }
            _ = try await admin.send(.delete, "/api/v1/channels/b")
            let meters = CatalogueMeters(
                catalogue: admin.catalogue, registry: admin.registry, clock: .system, logger: silence)
            try await meters.archive.measure()
            let lines = try await admin.send(.get, "/metrics").text.split(separator: "\n")
            for line in [
                #"backcast_archive_bytes{channel="a"} 15000000"#,
                #"backcast_archive_bytes{channel="b"} 15000000"#,
                #"backcast_archive_oldest_timestamp_seconds{channel="a"} 1785042196"#,
            ] {
                #expect(lines.contains { $0 == line }, "\(line)")
            }
            #expect(!lines.contains { $0.contains(#"archive_bytes{channel="c"}"#) })
        }
    }

    @Test(
        "Every path has one of a few routes",
        arguments: [
            ("/live/a/index.m3u8", "playlist"), ("/live/a/v0.m3u8", "playlist"),
            ("/t/abc/live/a/master.m3u8", "playlist"),
            ("/live/a/v0/1785042312000.ts", "segment"), ("/live/a/keys/00", "key"),
            ("/live/a/download.ts", "download"),
            ("/live/a", "other"), ("/live/a/b/c/d.m3u8", "other"), ("/api/v1/channels", "channels"),
            ("/api/v1/channels/a", "channel"), ("/api/v1/channels/%2e%2e", "channel"),
            ("/api/v1/channels/a/status", "status"),
            ("/api/v1/channels/a/timeline", "timeline"), ("/api/v1/openapi.json", "openapi"),
            ("/api/x", "other"),
            ("/metrics", "metrics"), ("/healthz", "healthz"), ("/readyz", "readyz"), ("/", "index"),
            ("/wp-login.php", "other"),
            ("", "other"),
        ])
    func routes(path: String, route: String) {
        #expect(RequestRoute(path: path).rawValue == route)
    }

    @Test("Requests are counted by route and code, playlists are timed")
    func requests() throws {
        let registry = MetricsRegistry()
        let metrics = RequestMetrics(registry: registry)
        for (path, status) in [
            ("/live/a/index.m3u8", 200), ("/live/b/index.m3u8", 200), ("/live/a/index.m3u8", 404),
        ] {
            metrics.finished(summary(path, status, .milliseconds(40)))
        }
        metrics.finished(summary("/live/a/v0/1.ts", nil, .seconds(1)))
        let text = String(decoding: registry.prometheusText(), as: UTF8.self)
        #expect(text.contains(#"backcast_http_requests_total{code="200",route="playlist"} 2"#))
        #expect(text.contains(#"backcast_http_requests_total{code="404",route="playlist"} 1"#))
        #expect(text.contains(#"backcast_http_requests_total{code="0",route="segment"} 1"#))
        #expect(text.contains(#"backcast_playlist_request_duration_seconds_bucket{le="0.05"} 3"#))
        #expect(text.contains(#"backcast_playlist_request_duration_seconds_bucket{le="0.025"} 0"#))
    }

    private func summary(_ path: String, _ status: Int?, _ duration: Duration) -> RequestSummary {
        RequestSummary(
            method: .get, path: path, remoteAddress: "", status: status.map { HTTPStatus(rawValue: $0) },
            byteCount: 0, duration: duration, isComplete: status != nil)
    }
}
