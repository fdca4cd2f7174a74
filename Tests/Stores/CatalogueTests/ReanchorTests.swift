import Postgres
import Testing
import Timeline

@testable import Catalogue

/// A channel that was recorded while a clock was wrong goes on at now.
@Suite("Reanchoring")
struct ReanchorTests {
    /// Records five segments that end before now, one across now, and ten that begin `lead` after now.
    ///
    /// - Returns: the recording, and now, microseconds after midnight
    private func ahead(
        by lead: Int64 = 8 * hour, _ test: TestCatalogue,
    ) async throws -> (recording: ChannelRecording, now: Int64) {
        let recording = try await ChannelRecording(in: test)
        let now = try await test.catalogue.databaseTime() - midnight
        let starts = (0..<5).map { now - minute + $0 * 4 * second }
        let across = recording.fact(5, at: now - minute + 20 * second, lasting: minute)
        var batch = recording.batch(
            starts.enumerated().map { published(recording, Int64($0.offset), at: $0.element) } + [
                DecidedSegment(fact: across, number: 5, discontinuitySequence: 0)
            ] + (6..<16).map { published(recording, $0, at: now + lead + $0 * 4 * second, sequence: 1) },
            sequence: 1)
        batch.sourceRuns = [
            SourceRun(id: 1, source: "http://h/", began: midnight + now, clock: "arrival")
        ]
        batch.discontinuityStarts = [(0, now - minute), (1, now + lead)].map { sequence, begin in
            DiscontinuityStart(
                sequence: sequence, begin: midnight + begin, cause: .hole, targetSeconds: 4)
        }
        batch.losses = [
            Loss(window: window(now - minute, now + hour), reason: .sourceStalled),
            Loss(window: window(now + lead, now + lead + minute), reason: .segmentMissing, rendition: video),
        ]
        batch.lost = [
            PlacedSegment(
                identity: SegmentIdentity(rendition: video, run: 1, number: 16),
                start: midnight + now + lead + minute, duration: 4 * second)
        ]
        #expect(try await test.catalogue.commit(batch))
        try await test.catalogue.beginRecording(channel: recording.row, at: midnight + now - minute)
        return (recording, now)
    }

    private func published(
        _ recording: ChannelRecording, _ number: Int64, at start: Int64, sequence: Int32 = 0,
    ) -> DecidedSegment {
        DecidedSegment(
            fact: recording.fact(number, at: start), number: number, discontinuitySequence: sequence)
    }

    @Test("What begins ahead of now leaves the timeline, and the published log ends with what is left")
    func head() async throws {
        try await withCatalogue { test in
            let (recording, now) = try await ahead(test)
            let end = midnight + now - minute + 20 * second + minute
            let revision = try await test.catalogue.head(of: recording.row).revision
            let reanchored = try await test.catalogue.reanchor(recording.channel)
            #expect(reanchored == Reanchored(liveEdge: end, setAside: 10))
            #expect(try await test.held(recording).map(\.number) == [0, 1, 2, 3, 4, 5])
            #expect(try await test.number("SELECT count(*) FROM set_aside") == 10)
            let head = try await test.catalogue.head(of: recording.row)
            #expect(head.publishedHead.end == end && head.publishedHead.watermark == end)
            #expect(head.publishedHead.discontinuitySequence == 2)
            #expect(head.revision == revision + 1)
            #expect(
                try await test.rows("SELECT epoch::bigint, begin_us FROM epoch ORDER BY epoch") == [
                    [0, (midnight + now - minute).microseconds], [2, end.microseconds],
                ])
            #expect(try await test.catalogue.reanchor(recording.channel) == nil)
        }
    }

    @Test("What has better bytes is set aside with both of them, so that nothing of it is deleted early")
    func repaired() async throws {
        try await withCatalogue { test in
            let (recording, now) = try await ahead(test)
            let first = recording.fact(7, at: now + 8 * hour + 28 * second)
            var better = first
            (better.replaces, better.revision, better.storedBytes, better.digest) = (0, 1, 9_000, [9])
            better.format.codecs = "avc1.640028"
            _ = try await test.catalogue.commit(recording.batch([.archived(better)], sequence: 1))
            let reanchored = try await test.catalogue.reanchor(recording.channel)
            #expect(reanchored?.setAside == 10)
            let rows = try await test.rows(
                """
                SELECT revision::bigint, stored_bytes::bigint FROM set_aside
                WHERE start_us = \(first.start.microseconds) ORDER BY revision
                """)
            #expect(rows == [[0, first.storedBytes], [1, 9_000]])
            for fact in [first, better] {
                let isHeld = try await test.catalogue.refers(
                    to: fact.name, of: video, in: recording.channel.id)
                #expect(isHeld)
            }
        }
    }

    @Test("A recorder resumes from what is left, with its number and identity")
    func resuming() async throws {
        try await withCatalogue { test in
            let (recording, now) = try await ahead(test)
            _ = try await test.catalogue.reanchor(recording.channel)
            let resumed = try #require(try await test.catalogue.heads(of: recording.row).first)
            #expect(resumed.nextNumber == 6)
            #expect(resumed.known.map(\.number) == [0, 1, 2, 3, 4, 5])
            #expect(resumed.last?.end == midnight + now - minute + 20 * second + minute)
            let lease = try #require(
                try await test.catalogue.takeLease(channel: recording.row, node: ChannelRecording.node))
            #expect(lease.reanchor?.setsAside(recording.fact(6, at: now + 8 * hour)) == true)
            #expect(lease.reanchor?.setsAside(recording.fact(0, at: now - minute)) == false)
        }
    }

    @Test("Timeline, summaries and losses show nothing ahead of now")
    func timeline() async throws {
        try await withCatalogue { test in
            let (recording, now) = try await ahead(test)
            _ = try await test.catalogue.reanchor(recording.channel)
            let ahead = (midnight + now + hour).microseconds
            #expect(try await test.number("SELECT count(*) FROM block WHERE end_us > \(ahead)") == 0)
            #expect(try await test.number("SELECT count(*) FROM loss WHERE end_us >= \(ahead)") == 0)
            #expect(try await test.number("SELECT count(*) FROM loss") == 1)
            let report = try await test.catalogue.timeline(
                of: recording.channel, in: window(now + hour, now + 9 * hour))
            #expect(report.spans.isEmpty && report.gaps.isEmpty)
        }
    }

    @Test("What the former owner still enters ahead is set aside; its lease is lost")
    func formerOwner() async throws {
        try await withCatalogue { test in
            let (recording, now) = try await ahead(test)
            _ = try await test.catalogue.reanchor(recording.channel)
            let start = now + 8 * hour + 10 * minute
            var late = recording.batch([published(recording, 17, at: start)])
            late.losses = [Loss(window: window(start, start + second), reason: .segmentMissing)]
            late.lost = [
                PlacedSegment(
                    identity: SegmentIdentity(rendition: video, run: 1, number: 18),
                    start: midnight + start, duration: second)
            ]
            for _ in 1...2 { #expect(try await test.catalogue.commit(late) == false) }
            #expect(try await test.number("SELECT count(*) FROM set_aside") == 11)
            let fact = late.segments[0].fact
            #expect(
                try await test.catalogue.missing([recording.row: [fact.placed]]).isEmpty)
            #expect(try await test.held(recording).count == 6)
            #expect(try await test.number("SELECT max(origin_number) FROM intake") == 5)
            #expect(try await test.number("SELECT count(*) FROM loss") == 1)
            #expect(try await test.catalogue.publishedHead(of: recording.row).end < midnight + now + hour)
        }
    }

    @Test("Later recording at those times does not mix with what was set aside, which retention deletes")
    func later() async throws {
        try await withCatalogue { test in
            let (former, now) = try await ahead(test)
            _ = try await test.catalogue.reanchor(former.channel)
            var recording = former
            recording.fence = try #require(
                try await test.catalogue.takeLease(channel: former.row, node: ChannelRecording.node)
            ).fence
            let start = now + 8 * hour + 24 * second
            var fact = recording.fact(6, at: start)
            fact.revision = 1
            let segment = DecidedSegment(fact: fact, number: 6, discontinuitySequence: 2)
            #expect(try await test.catalogue.commit(recording.batch([segment], sequence: 2)))
            #expect(try await test.starts(recording).last == start)
            let cut = midnight + start + second
            #expect(try await test.catalogue.expire(recording.channel, before: cut, graceSeconds: 0) == 8)
            #expect(try await test.number("SELECT count(*) FROM set_aside") == 9)
            let hours = try await test.catalogue.pendingDeletionHours(limit: 10)
            var names: Set<SegmentName> = []
            for hour in hours { names.formUnion(try await test.catalogue.names(in: hour)) }
            #expect(names.contains(former.fact(7, at: start + 4 * second).name))
        }
    }

    @Test("A channel that lies ahead as a whole begins again, and the time ahead is no recording span")
    func whole() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            let now = try await test.catalogue.databaseTime() - midnight
            try await test.catalogue.beginRecording(channel: recording.row, at: midnight + now + hour)
            let facts = (0..<3).map { published(recording, $0, at: now + hour + $0 * 4 * second) }
            _ = try await test.catalogue.commit(recording.batch(facts))
            let reanchored = try await test.catalogue.reanchor(recording.channel)
            #expect(reanchored == Reanchored(liveEdge: nil, setAside: 3))
            let head = try await test.catalogue.publishedHead(of: recording.row)
            #expect(head.end.microseconds == 0 && head.watermark.microseconds == 0)
            #expect(try await test.number("SELECT count(*) FROM recording_span") == 0)
            #expect(try await test.number("SELECT count(*) FROM epoch") == 0)
        }
    }

    @Test(
        "Nothing happens to a channel that lies ahead by no more than clocks differ", arguments: [-hour, 0])
    func notAhead(lead: Int64) async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            let now = try await test.catalogue.databaseTime() - midnight
            _ = try await test.catalogue.commit(
                recording.batch([published(recording, 0, at: now + lead + 30 * second)]))
            let before = try await test.rows("SELECT fence, revision, end_us FROM line")
            #expect(try await test.catalogue.reanchor(recording.channel) == nil)
            #expect(try await test.rows("SELECT fence, revision, end_us FROM line") == before)
            #expect(try await test.held(recording).count == 1)
        }
    }
}
