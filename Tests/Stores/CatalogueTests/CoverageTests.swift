import Postgres
import Testing
import Timeline

@testable import Catalogue

@Suite("Timeline")
struct CoverageTests {
    private func gap(_ begin: Int64, _ end: Int64, _ reason: GapReason, _ rendition: RenditionID? = nil)
        -> Gap
    {
        Gap(window: window(begin * second, end * second), reason: reason, rendition: rendition)
    }

    private func span(_ begin: Int64, _ end: Int64, segments: Int) -> CoverageSpan {
        CoverageSpan(
            window: window(begin * second, end * second), segments: segments, bytes: Int64(segments) * 1000)
    }

    /// A channel set to record from midnight on, with a given live edge.
    private func recording(
        _ test: TestCatalogue, _ segments: [DecidedSegment], losses: [Loss] = [], edge: Int64
    )
        async throws -> ChannelRecording
    {
        let recording = try await ChannelRecording(in: test)
        try await test.catalogue.beginRecording(channel: recording.row, at: midnight)
        var batch = recording.batch(
            segments.map { remade($0, fence: recording.fence) }, watermark: edge * second)
        batch.losses = losses
        _ = try await test.catalogue.commit(batch)
        return recording
    }

    private func remade(_ segment: DecidedSegment, fence: Int64) -> DecidedSegment {
        var segment = segment
        segment.fact.fence = fence
        return segment
    }

    /// Four-second segments that begin at these seconds.
    private func segments(_ starts: [Int64], of rendition: RenditionID = video) throws -> [DecidedSegment] {
        try starts.map { start in
            DecidedSegment(
                fact: SegmentFact(
                    channel: try slug("news"),
                    identity: SegmentIdentity(rendition: rendition, run: 1, number: start),
                    start: midnight + start * second, duration: 4 * second, format: .plain, storedBytes: 1000,
                    plainBytes: 1000, arrived: midnight, digest: [], fence: 0),
                number: start, discontinuitySequence: 0)
        }
    }

    @Test(
        "Adjacent segments form one span, and missing recordings form gaps with the reported reason")
    func spansAndGaps() async throws {
        try await withCatalogue { test in
            let recording = try await recording(
                test, segments([0, 4, 8, 20, 24, 40]),
                losses: [Loss(window: window(12 * second, 20 * second), reason: .sourceStalled)], edge: 50)
            let report = try await test.catalogue.timeline(of: recording.channel, in: window(-hour, hour))
            #expect(
                report.spans == [
                    span(0, 12, segments: 3), span(20, 28, segments: 2), span(40, 44, segments: 1),
                ])
            #expect(
                report.gaps == [
                    gap(12, 20, .sourceStalled), gap(28, 40, .recorderDown), gap(44, 50, .recorderDown),
                ])
        }
    }

    @Test("What a channel holds is what any of its video renditions holds")
    func replacedVariants() async throws {
        try await withCatalogue { test in
            let later = RenditionID(kind: .video, index: 1)
            let recording = try await recording(
                test, segments([0, 4, 8]) + segments([8, 12, 3_600, 3_604], of: later), edge: 3_608)
            let coverage = try await test.catalogue.coverage(
                of: recording.row, in: window(-second, 7_200 * second))
            #expect(coverage == [window(0, 16 * second), window(3_600 * second, 3_608 * second)])
            let near = try await test.catalogue.available(
                of: recording.row, near: window(3_000 * second, 3_010 * second), limit: 5)
            #expect(near == [window(3_600 * second, 3_608 * second), window(0, 16 * second)])
            let report = try await test.catalogue.timeline(
                of: recording.channel, in: window(-second, 7_200 * second))
            #expect(
                report.spans.map(\.window) == [
                    window(0, 16 * second), window(3_600 * second, 3_608 * second),
                ])
            #expect(report.spans.map(\.segments) == [4, 2])
        }
    }

    @Test("Spans and gaps are cut to the window, and a span counts all segments that overlap it")
    func cut() async throws {
        try await withCatalogue { test in
            let recording = try await recording(test, segments([0, 4, 8, 20, 24]), edge: 28)
            let report = try await test.catalogue.timeline(
                of: recording.channel, in: window(5 * second, 22 * second))
            #expect(report.spans == [span(5, 12, segments: 2), span(20, 22, segments: 1)])
            #expect(report.gaps == [gap(12, 20, .recorderDown)])
        }
    }

    @Test("Whole quarters are answered from their summaries, with the same result as from rows")
    func quarters() async throws {
        try await withCatalogue { test in
            let starts = (0..<900).map { Int64($0) * 4 }.filter { $0 != 1_000 }
            let recording = try await recording(test, segments(starts), edge: 3_600)
            let report = try await test.catalogue.timeline(
                of: recording.channel, in: window(-second, 3_600 * second))
            #expect(report.spans == [span(0, 1_000, segments: 250), span(1_004, 3_600, segments: 649)])
            #expect(report.gaps == [gap(1_000, 1_004, .recorderDown)])
            let part = try await test.catalogue.timeline(
                of: recording.channel, in: window(2 * second, 2_702 * second))
            #expect(part.spans == [span(2, 1_000, segments: 250), span(1_004, 2_702, segments: 425)])
        }
    }

    @Test("A report of more spans than it lists ends before the first that is left out, and has no false gap")
    func manySpans() async throws {
        try await withCatalogue { test in
            let count: Int64 = 10_003
            let recording = try await ChannelRecording(in: test)
            try await test.catalogue.beginRecording(channel: recording.row, at: midnight)
            for first in stride(from: 0, to: count, by: 1000) {
                let segments = (first..<min(first + 1000, count)).map {
                    DecidedSegment(
                        fact: recording.fact($0, at: $0 * 4 * second, lasting: 2 * second), number: $0,
                        discontinuitySequence: 0)
                }
                _ = try await test.catalogue.commit(recording.batch(segments))
            }
            let report = try await test.catalogue.timeline(of: recording.channel, in: window(0, day))
            #expect(report.gaps.allSatisfy { $0.window.microseconds == 2 * second })
            #expect(report.spans.count == 10_000 && report.gaps.count == 10_000)
            let end = try #require(report.end)
            #expect(end == midnight + 40_000 * second)
            let rest = try await test.catalogue.timeline(
                of: recording.channel, in: TimeWindow(begin: end, end: midnight + day))
            #expect(rest.end == nil && rest.spans.count == 3 && rest.gaps.count == 2)
        }
    }

    @Test(
        "A report ends before the first span of another rendition that it has no place for",
        arguments: [(9_950, 80, 50), (10, 130, 100)] as [(Int64, Int64, Int64)])
    func manyReplacedSpans(first: Int64, second: Int64, listed: Int64) async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            let unit = Microseconds.perSecond
            let change = first * 4 * unit + minute
            for (rendition, begin, count) in [(video, 0, first), (secondVideo, change, second)] {
                for lower in stride(from: 0, to: count, by: 1000) {
                    let segments = (lower..<min(lower + 1000, count)).map {
                        DecidedSegment(
                            fact: recording.fact(
                                $0, of: rendition, at: begin + $0 * 4 * unit, lasting: 2 * unit),
                            number: $0, discontinuitySequence: 0)
                    }
                    _ = try await test.catalogue.commit(recording.batch(segments))
                }
            }
            let before = test.pool.statementCount
            let report = try await test.catalogue.timeline(of: recording.channel, in: window(0, day))
            #expect(test.pool.statementCount - before <= 130)
            #expect(report.end == midnight + change + listed * 4 * unit)
            #expect(report.spans.count == Int(first + listed))
            let end = try #require(report.end)
            let rest = try await test.catalogue.timeline(
                of: recording.channel, in: TimeWindow(begin: end, end: midnight + day))
            #expect(rest.end == nil && rest.spans.count == Int(second - listed))
        }
    }

    @Test("Of very many spans the newest are told, as far back as those of every rendition are known")
    func newestSpans() async throws {
        try await withCatalogue { test in
            let count: Int64 = 10_100
            let other = RenditionID(kind: .video, index: 1)
            let recording = try await ChannelRecording(in: test)
            // What only the other rendition holds, at the begin and near the end.
            var beside = try segments([2, 40_002], of: other).map { remade($0, fence: recording.fence) }
            for index in beside.indices { beside[index].fact.duration = second }
            for first in stride(from: 0, to: count, by: 1000) {
                let segments = (first..<min(first + 1000, count)).map {
                    DecidedSegment(
                        fact: recording.fact($0, at: $0 * 4 * second, lasting: 2 * second), number: $0,
                        discontinuitySequence: 0)
                }
                let others = first + 1000 < count ? [] : beside
                _ = try await test.catalogue.commit(recording.batch(segments + others))
            }
            let spans = try await test.catalogue.coverage(of: recording.row, in: window(0, day))
            #expect(spans.count == 10_000)
            #expect(spans.last == window((count - 1) * 4 * second, (count * 4 - 2) * second))
            #expect(spans.first?.begin == midnight + 400 * second)
            #expect(spans.contains(window(40_000 * second, 40_003 * second)))
            #expect(zip(spans, spans.dropFirst()).allSatisfy { $0.end < $1.begin })
        }
    }

    @Test("A segment inside a longer one neither splits the span nor shortens it")
    func overlapping() async throws {
        try await withCatalogue { test in
            var all = try segments([0, 4, 8, 20])
            all[0].fact.duration = 20 * second
            let recording = try await recording(test, all, edge: 24)
            let report = try await test.catalogue.timeline(of: recording.channel, in: window(0, minute))
            #expect(report.spans == [span(0, 24, segments: 4)] && report.gaps.isEmpty)
        }
    }

    @Test(
        "A gap belongs to one rendition or, if all lack it, to the channel; only its own losses explain it"
    )
    func renditions() async throws {
        try await withCatalogue { test in
            let losses = [
                Loss(window: window(8 * second, 12 * second), reason: .segmentMissing, rendition: audio),
                Loss(window: window(12 * second, 16 * second), reason: .keyMissing, rendition: video),
            ]
            let recording = try await recording(
                test, segments([0, 4, 8, 20]) + segments([0, 4, 16, 20], of: audio), losses: losses, edge: 24)
            let report = try await test.catalogue.timeline(of: recording.channel, in: window(0, minute))
            #expect(report.spans == [span(0, 12, segments: 3), span(20, 24, segments: 1)])
            #expect(
                report.gaps == [
                    gap(8, 12, .segmentMissing, audio), gap(12, 16, .keyMissing),
                    gap(16, 20, .recorderDown, video),
                ])
        }
    }

    @Test(
        "A rendition has no gap before it appeared or after it ended, unless a loss was reported")
    func lives() async throws {
        try await withCatalogue { test in
            let late = try segments([8, 12], of: secondVideo)
            let early = try segments([0], of: audio)
            let losses = [
                Loss(window: window(4 * second, 8 * second), reason: .segmentMissing, rendition: audio)
            ]
            let recording = try await recording(
                test, segments([0, 4, 8, 12, 20]) + late + early, losses: losses, edge: 24)
            let report = try await test.catalogue.timeline(of: recording.channel, in: window(0, minute))
            #expect(report.gaps == [gap(4, 8, .segmentMissing, audio), gap(16, 20, .recorderDown)])
        }
    }

    @Test("Nothing is a gap while the channel was not set to record")
    func outside() async throws {
        try await withCatalogue { test in
            let recording = try await recording(test, segments([0, 30]), edge: 60)
            try await test.switchOff(recording, at: midnight + 10 * second)
            try await test.catalogue.beginRecording(channel: recording.row, at: midnight + 20 * second)
            try await test.switchOff(recording, at: midnight + 40 * second)
            let report = try await test.catalogue.timeline(of: recording.channel, in: window(0, hour))
            #expect(
                report.gaps == [
                    gap(4, 10, .recorderDown), gap(20, 30, .recorderDown), gap(34, 40, .recorderDown),
                ])
        }
    }

    @Test("The report ends at the expiry cut and at the live edge")
    func bounds() async throws {
        try await withCatalogue { test in
            let recording = try await recording(test, segments([0, 4, 8, 12]), edge: 12)
            try await test.catalogue.expire(recording.channel, before: midnight + 4 * second, graceSeconds: 0)
            let report = try await test.catalogue.timeline(of: recording.channel, in: window(-hour, hour))
            #expect(report == TimelineReport(spans: [span(4, 12, segments: 2)], gaps: []))
            let later = try await test.catalogue.timeline(of: recording.channel, in: window(minute, hour))
            #expect(later == TimelineReport(spans: [], gaps: []))
        }
    }

    @Test(
        "The rest of a segment that the cut divided is not a gap, but more than a segment is",
        arguments: [
            (5, 8, nil), (7, 8, nil), (8, 8, nil), (9, 20, (9, 20)), (16, 20, nil), (13, 20, (13, 20)),
        ]
            as [(Int64, Int64, (Int64, Int64)?)])
    func cutSegment(cut: Int64, first: Int64, expected: (Int64, Int64)?) async throws {
        try await withCatalogue { test in
            let recording = try await recording(
                test, segments([0, 4, 8, 20, 24]) + segments([0, 4, 8, 20, 24], of: audio), edge: 28)
            try await test.catalogue.expire(
                recording.channel, before: midnight + cut * second, graceSeconds: 0)
            let report = try await test.catalogue.timeline(of: recording.channel, in: window(-hour, hour))
            let gaps = expected.map { [gap($0.0, $0.1, .recorderDown)] } ?? []
            #expect(report.spans.first?.window.begin == midnight + first * second)
            #expect(report.gaps.filter { $0.window.begin < midnight + first * second } == gaps)
            let asked = [recording.row: window(0, first * second)]
            #expect(
                try await test.catalogue.commonGaps(in: asked) == (gaps.isEmpty ? [:] : [recording.row: gaps])
            )
        }
    }

    @Test("A kept segment that the cut divided is held up to its end")
    func cutKeptSegment() async throws {
        try await withCatalogue { test in
            let recording = try await recording(test, segments([0, 4, 8, 12]), edge: 16)
            let (begin, end) = ((midnight + 4 * second).microseconds, (midnight + 8 * second).microseconds)
            _ = try await test.pool.query(
                """
                INSERT INTO recording (channel_id, begin_us, end_us)
                VALUES (\(recording.row), \(begin), \(end))
                """
            )
            try await test.catalogue.expire(recording.channel, before: midnight + 6 * second, graceSeconds: 0)
            let report = try await test.catalogue.timeline(of: recording.channel, in: window(0, hour))
            #expect(report == TimelineReport(spans: [span(6, 16, segments: 3)], gaps: []))
        }
    }

    @Test("A channel without segments has neither spans nor gaps")
    func nothing() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            try await test.catalogue.beginRecording(channel: recording.row, at: midnight)
            let report = try await test.catalogue.timeline(of: recording.channel, in: window(0, hour))
            #expect(report == TimelineReport(spans: [], gaps: []))
            #expect(
                try await test.catalogue.available(of: recording.row, near: window(0, hour), limit: 5).isEmpty
            )
        }
    }

    @Test("At most five available spans are offered, nearest first, between expiry cut and live edge")
    func available() async throws {
        try await withCatalogue { test in
            let starts = (0..<8).map { Int64($0) * 3_600 }
            let recording = try await recording(test, segments(starts), edge: 7 * 3_600 + 1)
            let middle = 3 * hour + 20 * minute
            let found = try await test.catalogue.available(
                of: recording.row, near: window(middle, middle + minute), limit: 5)
            #expect(found == [3, 4, 2, 5, 1].map { window($0 * hour, $0 * hour + 4 * second) })
            try await test.catalogue.expire(recording.channel, before: midnight + 6 * hour, graceSeconds: 0)
            let left = try await test.catalogue.available(
                of: recording.row, near: window(0, second), limit: 5)
            #expect(left == [window(6 * hour, 6 * hour + 4 * second), window(7 * hour, 7 * hour + second)])
        }
    }

    @Test("What is recorded next is found within a quarter of an hour, and behind hours without any")
    func next() async throws {
        try await withCatalogue { test in
            let starts = [0, 4, 100, 3 * 3_600 + 60] as [Int64]
            let recording = try await recording(test, segments(starts), edge: 4 * 3_600)
            func next(_ from: Int64) async throws -> Int64? {
                let found = try await test.catalogue.firstRecorded(
                    of: recording.row, from: midnight + from * second)
                return found.map { ($0 - midnight) / second }
            }
            for (from, expected) in [(-100, 0), (0, 0), (7, 7), (8, 100), (103, 103), (104, 10_860)] {
                #expect(try await next(Int64(from)) == Int64(expected), "\(from)")
            }
            #expect(try await next(3 * 3_600 + 64) == nil)
        }
    }

    @Test("A window at the limit of the time range neither traps nor fails")
    func extremes() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            try await test.publish(0..<1, on: recording)
            let all = TimeWindow(begin: Instant(microseconds: .min), end: Instant(microseconds: .max))
            #expect(try await test.catalogue.timeline(of: recording.channel, in: all).spans.count == 1)
            #expect(try await test.catalogue.available(of: recording.row, near: all, limit: 5).count == 1)
            let last = TimeWindow(begin: Instant(microseconds: .max), end: Instant(microseconds: .max))
            #expect(try await test.catalogue.available(of: recording.row, near: last, limit: 5).count == 1)
        }
    }
}
