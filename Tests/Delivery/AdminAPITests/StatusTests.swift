import Catalogue
import HTTP
import HTTPSupport
import Monitoring
import Postgres
import Testing
import Timeline

@testable import AdminAPI

@Suite struct StatusTests {
    @Test("The status of this process's recorder, field by field")
    func recorded() async throws {
        try await withAdmin { admin async throws in
            try await admin.create("a")
            admin.board.set(Self.status, of: try #require(ChannelID("a")))
            let answer = try await admin.send(.get, "/api/v1/channels/a/status")
            #expect(answer.status == 200)
            #expect(
                answer.text == """
                    {"channel":"a","state":"recording","detail":null,"live_edge":"2026-07-26T05:05:12.000Z",\
                    "lag_seconds":4.0,"source":{"url":"http://origin.example/a.m3u8","priority":-1,\
                    "allow_invalid_certificate":true},"clock":"source","clock_offset_seconds":-1.235,\
                    "zone_correction_seconds":28800,"clock_step_seconds":-30.5,\
                    "drift_seconds":0.25,"source_changes":2,"deviations":["EXTINF: without a comma"],\
                    "since":"2026-07-26T05:00:16.000Z","renditions":[{"id":"v0","kind":"video",\
                    "last_segment":"2026-07-26T05:05:06.000Z","bits_per_second":5000000,"seen":12,"stored":9,\
                    "lost":{"segment_missing":1,"segment_corrupt":2},"retries":3,"parts":1},{"id":"a0","kind":"audio","last_segment":null,\
                    "bits_per_second":0,"seen":0,"stored":0,"lost":{},"retries":0,"parts":0}]}
                    """)
        }
    }

    private static var status: ChannelStatus {
        var status = ChannelStatus(state: .recording, since: TestAdmin.now - 300 * Microseconds.perSecond)
        status.liveEdge = TestAdmin.now - 4 * Microseconds.perSecond
        status.sourceURL = "http://origin.example/a.m3u8"
        status.sourcePriority = -1
        status.acceptsInvalidCertificate = true
        status.clock = "source"
        status.clockOffsetSeconds = -1.2346
        status.zoneCorrectionSeconds = 28_800
        status.clockStepSeconds = -30.5
        (status.driftSeconds, status.sourceChanges) = (0.25, 2)
        status.deviations = ["EXTINF: without a comma"]
        status.renditions = [
            RenditionStatus(
                id: RenditionID(kind: .audio, index: 0), lastSegment: nil, bitsPerSecond: 0, seen: 0,
                stored: 0,
                lost: [:], bytes: 0),
            RenditionStatus(
                id: RenditionID(kind: .video, index: 0),
                lastSegment: TestAdmin.now - 10 * Microseconds.perSecond, bitsPerSecond: 5_000_000, seen: 12,
                stored: 9, lost: [.segmentCorrupt: 2, .segmentMissing: 1], bytes: 6_750_000),
        ]
        (status.renditions[1].retries, status.renditions[1].parts) = (3, 1)
        return status
    }

    @Test("A node that does not record answers with what the recording node reports, while it is alive")
    func reported() async throws {
        try await withAdmin { admin async throws in
            try await admin.create("a")
            let id = try #require(ChannelID("a"))
            let channel = try await admin.record("a", minutes: 2)
            let (node, other) = (TestAdmin.node, "00000000-0000-0000-0000-000000000002")
            // Only the holder of the lease is believed.
            try await admin.catalogue.report([id: Self.status], node: other)
            let before = try await admin.send(.get, "/api/v1/channels/a/status")
            #expect(before.text.contains(#""since":null"#))
            try await admin.catalogue.report([id: Self.status], node: node)
            let after = try await admin.send(.get, "/api/v1/channels/a/status")
            admin.board.set(Self.status, of: id)
            #expect(try await admin.send(.get, "/api/v1/channels/a/status").text == after.text)
            #expect(after.text.contains(#""seen":12,"stored":9"#))
            admin.board.set(nil, of: id)
            _ = try await admin.pool.query(
                "UPDATE channel_status SET reported_at = reported_at - interval '21 seconds'")
            #expect(
                try await admin.catalogue.reportedStatus(of: channel.row, as: ChannelStatus.self) == nil)
            #expect(try await admin.send(.get, "/api/v1/channels/a/status").text == before.text)
        }
    }

    @Test("A report that cannot be read is as none")
    func unreadableReport() async throws {
        try await withAdmin { admin async throws in
            try await admin.create("a")
            let channel = try await admin.record("a", minutes: 2)
            try await admin.catalogue.report(
                [try #require(ChannelID("a")): ["state": "of another version"]], node: TestAdmin.node)
            #expect(
                try await admin.catalogue.reportedStatus(of: channel.row, as: ChannelStatus.self) == nil)
            #expect(try await admin.send(.get, "/api/v1/channels/a/status").status == 200)
        }
    }

    @Test("A process that does not record reads the catalogue: waiting, recording, paused")
    func observed() async throws {
        try await withAdmin { admin async throws in
            try await admin.create("a")
            let waiting = try await admin.send(.get, "/api/v1/channels/a/status")
            #expect(try waiting.string("state") == "waiting" && waiting.string("detail") != nil)
            #expect(waiting.text.contains(#""live_edge":null,"lag_seconds":null,"source":null"#))
            _ = try await admin.record("a", minutes: 2)
            let recording = try await admin.send(.get, "/api/v1/channels/a/status")
            #expect(try recording.string("state") == "recording")
            #expect(recording.text.contains(#""live_edge":"2026-07-26T05:05:16.000Z","lag_seconds":0.0"#))
            #expect(recording.text.contains(#""since":null"#))
            #expect(
                recording.text.contains(
                    #""source":{"url":"http://origin.example/","priority":null,"allow_invalid_certificate":false},"#
                ))
            #expect(
                recording.text.hasSuffix(
                    """
                    "renditions":[{"id":"v0","kind":"video","last_segment":"2026-07-26T05:05:10.000Z",\
                    "bits_per_second":1000000,"seen":null,"stored":null,"lost":null,"retries":null,"parts":null}]}
                    """))
            _ = try await admin.send(.patch, "/api/v1/channels/a", #"{"recording":false}"#)
            #expect(try await admin.send(.get, "/api/v1/channels/a/status").string("state") == "paused")
        }
    }

    @Test("The source of the newest source run is shown with its settings and without its secrets")
    func observedSource() async throws {
        try await withAdmin { admin async throws in
            // As long as a name and a password may be: logs do not show them.
            let name = String(repeating: "user", count: 8)
            let body = """
                {"id":"a","sources":[{"url":"http://one.example/a.m3u8"},{"url":"http://u:p@two.example/live/\(name)/a.m3u8?key=k",\
                "priority":7,"allow_invalid_certificate":true}]}
                """
            #expect(try await admin.send(.post, "/api/v1/channels", body).status == 201)
            let channel = try await admin.channel("a")
            var batch = Batch(
                channel: channel.row, fence: 0,
                publishedHead: PublishedHeadUpdate(
                    discontinuitySequence: 0, end: TestAdmin.now, watermark: TestAdmin.now, targetSeconds: 6))
            let sources = ["http://one.example/a.m3u8", "http://two.example/live/\(name)/a.m3u8?…"]
            batch.sourceRuns = sources.enumerated().map {
                SourceRun(
                    id: Int64($0.offset), source: $0.element,
                    began: Instant(seconds: 1000 + Int64($0.offset)), clock: "source")
            }
            _ = try await admin.catalogue.commit(batch)
            let answer = try await admin.send(.get, "/api/v1/channels/a/status")
            #expect(
                answer.text.contains(
                    #"a.m3u8?…","priority":7,"allow_invalid_certificate":true}"#
                ))
            #expect(try answer.string("clock") == "source")
        }
    }

    @Test(
        "A channel has stalled after three target durations and the allowed latency without a segment, whatever its dates are",
        arguments: [Int64(0), 3_600])
    func stalled(lagSeconds: Int64) async throws {
        try await withAdmin { admin async throws in
            try await admin.create("a")
            let lag = lagSeconds * Microseconds.perSecond
            let channel = try await admin.record("a", minutes: 1, lag: lag)
            let summary = try await admin.catalogue.recordingSummary(of: channel.row)
            for (seconds, state) in [(48, "recording"), (49, "stalled")] {
                let later = TestAdmin.now + lag + Int64(seconds) * Microseconds.perSecond
                let report = CatalogueStatus(channel: channel, now: later).report(on: summary)
                #expect(report.state.rawValue == state)
            }
        }
    }

    @Test("A status takes no parameters")
    func parameters() async throws {
        try await withAdmin { admin async throws in
            try await admin.create("a")
            #expect(try await admin.send(.get, "/api/v1/channels/a/status?x=1").pointers == ["x"])
        }
    }
}
