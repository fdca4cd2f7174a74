import Postgres
import Testing
import Timeline

@testable import Catalogue

@Suite("Gaps of many channels")
struct CommonGapsTests {
    /// Two hours of four-second segments in both renditions, except those left out.
    private func record(
        _ recording: ChannelRecording, in test: TestCatalogue, video missingVideo: Range<Int64>,
        audio missingAudio: Range<Int64>
    ) async throws {
        var facts: [SegmentFact] = []
        for number in 0..<Int64(1800) {
            if !missingVideo.contains(number) { facts.append(recording.fact(number)) }
            if !missingAudio.contains(number) { facts.append(recording.fact(number, of: audio)) }
        }
        var batch = recording.batch(facts.map { .archived($0) }, watermark: 2 * hour)
        batch.losses = [
            Loss(window: window(hour, hour + 20 * second), reason: .sourceStalled),
            Loss(window: window(hour, hour + minute), reason: .segmentMissing, rendition: audio),
        ]
        _ = try await test.catalogue.commit(batch)
        try await test.catalogue.beginRecording(channel: recording.row, at: midnight)
    }

    @Test("Each channel has its own window and only the gaps that all its renditions share")
    func windows() async throws {
        try await withCatalogue { test in
            let (one, other, whole) = (
                try await ChannelRecording("one", in: test), try await ChannelRecording("other", in: test),
                try await ChannelRecording("whole", in: test)
            )
            try await record(one, in: test, video: 900..<910, audio: 905..<920)
            try await record(other, in: test, video: 100..<400, audio: 100..<400)
            try await record(whole, in: test, video: 0..<0, audio: 5..<10)
            let windows = [
                one.row: window(30 * minute, 2 * hour), other.row: window(10 * minute, 20 * minute + second),
                whole.row: window(0, 2 * hour),
            ]
            let gaps = try await test.catalogue.commonGaps(in: windows)
            #expect(
                gaps == [
                    one.row: [
                        Gap(window: window(hour + 20 * second, hour + 40 * second), reason: .segmentMissing)
                    ],
                    other.row: [
                        Gap(window: window(10 * minute, 20 * minute + second), reason: .recorderDown)
                    ],
                ])
            for (recording, window) in [(one, windows[one.row]), (other, windows[other.row])] {
                let report = try await test.catalogue.timeline(
                    of: recording.channel, in: try #require(window))
                #expect(report.gaps.filter { $0.rendition == nil } == gaps[recording.row])
            }
        }
    }

    @Test("Only time that was set to record counts as missing, and only after the expiry cut")
    func intended() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            try await test.publish(0..<5, on: recording)
            try await test.catalogue.beginRecording(channel: recording.row, at: midnight + minute)
            try await test.switchOff(recording, at: midnight + 3 * minute)
            let asked = [recording.row: window(0, hour)]
            #expect(
                try await test.catalogue.commonGaps(in: asked)[recording.row]?.map(\.window)
                    == [window(minute, 3 * minute)])
            try await test.catalogue.expire(recording.channel, before: midnight + 2 * minute, graceSeconds: 0)
            #expect(
                try await test.catalogue.commonGaps(in: asked)[recording.row]?.map(\.window)
                    == [window(2 * minute, 3 * minute)])
            #expect(try await test.catalogue.commonGaps(in: [:]).isEmpty)
        }
    }

    @Test("Live edges are returned for channels that are not deleted")
    func edges() async throws {
        try await withCatalogue { test in
            let (one, other) = (
                try await ChannelRecording("one", in: test), try await ChannelRecording("other", in: test)
            )
            try await test.publish(0..<5, on: one)
            try await test.catalogue.delete(other.channel.id)
            #expect(
                try await test.catalogue.liveEdges() == [
                    LiveEdge(channel: one.channel.id, row: one.row, watermark: midnight + 20 * second)
                ])
        }
    }

    @Test("Losses that ended before a window are not read")
    func formerLosses() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            _ = try await test.pool.query(
                """
                INSERT INTO loss (channel_id, begin_us, end_us, reason)
                SELECT \(recording.row), \(midnight.microseconds) - n * 60000000,
                    \(midnight.microseconds) - n * 60000000 + 5000000, 1
                FROM generate_series(1, 20000::bigint) AS n
                """)
            _ = try await test.pool.query("ANALYZE loss")
            let asked = [recording.row: window(-2 * minute - 1, second)]
            let array = "'{%}'::bigint[]"
            let plan = try await test.plan(
                of: Catalogue.materials(of: asked),
                with: [
                    "'{\(recording.row)}'::int[]",
                    array.replacing("%", with: "\((midnight - 2 * minute - 1).microseconds)"),
                    array.replacing("%", with: "\((midnight + second).microseconds)"),
                    Quarter.microseconds + Catalogue.longestSegment, Quarter.microseconds,
                ])
            #expect(plan.contains(/loss_by_end.*actual rows=2\b/), "\(plan)")
            #expect(!plan.contains(/Rows Removed by .*: \d{3}/), "\(plan)")
        }
    }

    @Test("The gaps of ten channels are read quickly in one query")
    func speed() async throws {
        try await withCatalogue { test in
            var windows: [Int32: TimeWindow] = [:]
            let begun = ContinuousClock.now
            for index in 0..<10 {
                let recording = try await ChannelRecording("channel\(index)", in: test)
                try await record(recording, in: test, video: 100..<110, audio: 0..<0)
                windows[recording.row] = window(5 * minute, 5 * minute + 15 * second)
            }
            let began = ContinuousClock.now
            #expect(try await test.catalogue.commonGaps(in: windows).isEmpty)
            // Both are longer on a slow machine.
            #expect(ContinuousClock.now - began < max(.seconds(10), (began - begun) * 10))
        }
    }
}
