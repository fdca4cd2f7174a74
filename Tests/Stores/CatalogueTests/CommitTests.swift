import Postgres
import Testing
import Timeline

@testable import Catalogue

@Suite("Committing batches")
struct CommitTests {
    @Test("A committed segment is read back with everything that a playlist needs")
    func wholeFact() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            var format = SegmentFormat(
                container: .fragmentedMP4, tracks: "video:hevc", codecs: "hvc1.1.6.L93.B0")
            (format.width, format.height, format.sampleRate) = (1920, 1080, 44_100)
            format.audioChannels = 6
            (format.initName, format.keyMethod, format.keyName) = (
                "init-0123456789abcdef.mp4", "AES-128", "ab"
            )
            format.drmTags = ["#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"skd://a,b\"", "{\"}"]
            var fact = recording.fact(7, lasting: 3_999_999, bytes: 5_000, format: format)
            (fact.revision, fact.flags, fact.plainBytes) = (2, [.late, .damaged], 4_990)
            (fact.iv, fact.programDateTime) = (Array(0..<16), midnight)
            _ = try await test.catalogue.commit(
                recording.batch([DecidedSegment(fact: fact, number: 0, discontinuitySequence: 3)]))
            let held = try await test.held(recording)
            let segment = try #require(held.first)
            #expect(
                segment
                    == RecordedSegment(
                        start: fact.start, duration: 3_999_999, number: 0, discontinuitySequence: 3,
                        revision: 2,
                        formatID: segment.formatID, flags: [.late, .damaged], storedBytes: 5_000,
                        plainBytes: 4_990,
                        iv: Array(0..<16)))
            #expect(try await test.catalogue.formats([segment.formatID]) == [segment.formatID: format])
        }
    }

    @Test("A measured duration is stored, and read where EXTINF has to say it")
    func measured() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            var facts = (0..<4).map { recording.fact($0) }
            for index in facts.indices { facts[index].measuredDuration = 2_000_000 + Int64(index) }
            for index in [1, 3] { facts[index].flags = .measuredDuration }
            facts[3].measuredDuration = nil
            _ = try await test.catalogue.commit(recording.batch(facts.map { .archived($0) }))
            let range = QuarterRange(
                first: Quarter(rendition: 1, containing: midnight.microseconds), count: 1)
            let held = try await test.catalogue.quarters(range)[0].segments
            #expect(held.map(\.mediaDuration) == [4 * second, 2_000_001, 4 * second, 4 * second])
            #expect(held.map(\.duration) == Array(repeating: 4 * second, count: 4))
            #expect(try await test.number("SELECT sum(measured_us) FROM segment") == 6_000_003)
        }
    }

    @Test("Committing a batch twice has the same effect as once")
    func twice() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            var batch = recording.batch(recording.published(0..<3, sequence: 1), sequence: 1)
            batch.discontinuityStarts = [
                DiscontinuityStart(sequence: 1, begin: midnight, cause: .start, targetSeconds: 4)
            ]
            batch.sourceRuns = [
                SourceRun(id: 1, source: "http://origin.test", began: midnight, clock: "source")
            ]
            batch.losses = [Loss(window: window(minute, 2 * minute), reason: .sourceStalled)]
            batch.lost = [
                PlacedSegment(
                    identity: recording.fact(9).identity, start: midnight + minute, duration: 4 * second)
            ]
            for _ in 0..<2 { #expect(try await test.catalogue.commit(batch)) }
            #expect(try await test.held(recording).map(\.number) == [0, 1, 2])
            #expect(try await test.number("SELECT count(*) FROM loss") == 1)
            #expect(try await test.number("SELECT count(*) FROM intake") == 4)
            #expect(try await test.number("SELECT count(*) FROM epoch") == 1)
            #expect(try await test.number("SELECT next_number FROM rendition") == 3)
            #expect(try await test.number("SELECT segments::bigint FROM block") == 3)
            #expect(try await test.number("SELECT revision::bigint FROM block") == 1)
        }
    }

    @Test("A duplicate identity or loss in a batch is stored once, published if one of them is")
    func twiceWithin() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            let fact = recording.fact(0)
            var batch = recording.batch([
                .archived(fact), DecidedSegment(fact: fact, number: 5, discontinuitySequence: 0),
            ])
            batch.losses = Array(repeating: Loss(window: window(minute, hour), reason: .sourceGap), count: 2)
            let lost = PlacedSegment(identity: recording.fact(1).identity, start: midnight, duration: second)
            batch.lost = [lost, lost]
            #expect(try await test.catalogue.commit(batch))
            #expect(try await test.held(recording).map(\.number) == [5])
            #expect(try await test.number("SELECT count(*) FROM loss") == 1)
        }
    }

    @Test("A loss that grows is one row, and a shorter one that comes once more changes nothing")
    func growingLoss() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            for end in [minute, 2 * minute, minute] {
                var batch = recording.batch()
                batch.losses = [
                    Loss(window: window(0, end), reason: .sourceUnreachable, rendition: audio),
                    Loss(window: window(0, end / 2), reason: .sourceUnreachable, rendition: audio),
                    Loss(window: window(0, second), reason: .sourceUnreachable, rendition: video),
                    Loss(window: window(0, second), reason: .sourceStalled, rendition: audio),
                ]
                #expect(try await test.catalogue.commit(batch))
            }
            #expect(try await test.number("SELECT count(*) FROM loss") == 3)
            #expect(
                try await test.number("SELECT max(end_us) FROM loss") == (midnight + 2 * minute).microseconds)
            let short = (midnight + second).microseconds
            #expect(try await test.number("SELECT count(*) FROM loss WHERE end_us = \(short)") == 2)
        }
    }

    @Test("With a stale fence, segments are stored without numbers, and the head stays as it is")
    func stale() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            try await test.publish(0..<2, on: recording)
            let before = try await test.catalogue.publishedHead(of: recording.row)
            _ = try await test.catalogue.takeLease(channel: recording.row, node: ChannelRecording.node)
            var batch = recording.batch(recording.published(2..<4, sequence: 8), sequence: 8)
            batch.discontinuityStarts = [
                DiscontinuityStart(sequence: 8, begin: midnight, cause: .hole, targetSeconds: 9)
            ]
            batch.losses = [Loss(window: window(minute, hour), reason: .diskFull)]
            #expect(try await test.catalogue.commit(batch) == false)
            #expect(try await test.held(recording).map(\.number) == [0, 1, nil, nil])
            #expect(try await test.held(recording).map(\.discontinuitySequence) == [0, 0, 0, 0])
            #expect(try await test.catalogue.publishedHead(of: recording.row) == before)
            #expect(try await test.number("SELECT count(*) FROM epoch") == 0)
            #expect(try await test.number("SELECT count(*) FROM loss") == 1)
            #expect(try await test.number("SELECT next_number FROM rendition") == 2)
        }
    }

    @Test("A former owner's description does not replace the current one")
    func staleDescription() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            var batch = recording.batch()
            var description = RenditionDescription(id: video, position: 3)
            description.resolution = "1280x720"
            batch.renditions = [description]
            #expect(try await test.catalogue.commit(batch))
            batch.fence -= 1
            batch.renditions = [RenditionDescription(id: video), RenditionDescription(id: audio)]
            #expect(try await test.catalogue.commit(batch) == false)
            #expect(
                try await test.catalogue.heads(of: recording.row).map(\.description)
                    == [description, RenditionDescription(id: audio)])
        }
    }

    @Test("A segment whose rendition was never described is stored")
    func undescribed() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            var batch = recording.batch([.archived(recording.fact(0, of: audio))])
            batch.losses = [Loss(window: window(0, minute), reason: .keyMissing, rendition: secondVideo)]
            #expect(try await test.catalogue.commit(batch))
            #expect(try await test.starts(recording, audio) == [0])
            #expect(try await test.number("SELECT count(*) FROM loss WHERE rendition_id IS NULL") == 0)
        }
    }

    @Test(
        "A segment without a discontinuity sequence gets the last one that begins before its middle",
        arguments: [(0, 0), (7, 0), (8, 1), (12, 1), (17, 1), (18, 2), (400, 2)] as [(Int64, Int32)])
    func discontinuitySequence(start: Int64, expected: Int32) async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            var batch = recording.batch()
            batch.discontinuityStarts = [(0, 0), (10, 1), (20, 2)].map { number, begin in
                DiscontinuityStart(
                    sequence: Int32(begin), begin: midnight + Int64(number) * second, cause: .hole,
                    targetSeconds: 4)
            }
            batch.segments = [.archived(recording.fact(0, at: start * second))]
            #expect(try await test.catalogue.commit(batch))
            #expect(try await test.held(recording).map(\.discontinuitySequence) == [expected])
        }
    }

    @Test(
        "Finding an old discontinuity sequence is fast, and of two with the same begin the later one is used")
    func manySequences() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            let begun = ContinuousClock.now
            _ = try await test.pool.query(
                """
                INSERT INTO epoch
                SELECT \(recording.row), n, \(midnight.microseconds) + n / 2 * 1000000::bigint, 'hole', 4
                FROM generate_series(0, 100000) AS n
                """)
            let facts = (Int64(0)..<100).map { recording.fact($0) }
            let began = ContinuousClock.now
            _ = try await test.catalogue.commit(recording.batch(facts.map { .archived($0) }))
            let took = ContinuousClock.now - began
            // Both are longer on a slow machine.
            #expect(took < max(.seconds(10), (began - begun) * 20), "100 facts took \(took)")
            #expect(
                try await test.held(recording).map(\.discontinuitySequence) == (0..<100).map { 8 * $0 + 5 })
        }
    }

    @Test("Without any discontinuity start the sequence is 0")
    func noSequence() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            #expect(try await test.catalogue.commit(recording.batch([.archived(recording.fact(0))])))
            #expect(try await test.held(recording).map(\.discontinuitySequence) == [0])
        }
    }

    @Test(
        "A lost segment that arrives is stored at its new time, and a stored one cannot become lost"
    )
    func lostThenStored() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            let fact = recording.fact(1)
            var batch = recording.batch()
            batch.lost = [PlacedSegment(identity: fact.identity, start: fact.start + 5, duration: second)]
            for _ in 0..<2 { #expect(try await test.catalogue.commit(batch)) }
            #expect(try await test.catalogue.heads(of: recording.row).first?.known.map(\.isLost) == [true])
            #expect(try await test.catalogue.commit(recording.batch([.archived(fact)])))
            #expect(try await test.catalogue.commit(batch))
            #expect(try await test.starts(recording) == [4 * second])
            let known = try await test.catalogue.heads(of: recording.row).first?.known
            #expect(known?.map(\.isLost) == [false] && known?.map(\.digest) == [fact.digest])
        }
    }

    @Test("Segments that begin before the expiry cut and losses that end there are not stored")
    func expiredBefore() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            try await test.publish(0..<1, on: recording)
            try await test.catalogue.expire(recording.channel, before: midnight + 8 * second, graceSeconds: 0)
            var batch = recording.batch(recording.published(1..<4))
            batch.losses = [
                Loss(window: window(0, 8 * second), reason: .sourceGap),
                Loss(window: window(0, 9 * second), reason: .sourceGap),
            ]
            #expect(try await test.catalogue.commit(batch))
            #expect(try await test.starts(recording) == [8 * second, 12 * second])
            #expect(
                try await test.number("SELECT max(end_us) FROM loss") == (midnight + 9 * second).microseconds)
            #expect(try await test.number("SELECT count(*) FROM loss") == 1)
        }
    }

    @Test("Equal formats share one row with the latest time of use, and reuse takes no id")
    func formats() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            var other = SegmentFormat.plain
            other.width = 640
            for number in [Int64(5), 2, 3, 0, 1] {
                let format = number == 3 ? other : .plain
                #expect(
                    try await test.catalogue.commit(
                        recording.batch([.archived(recording.fact(number, format: format))])))
            }
            let rows = try await test.pool.query("SELECT last_used_us, state_id FROM state ORDER BY state_id")
            #expect(
                try rows.map { try $0.decode(0, as: Int64.self) }
                    == [midnight + 24 * second, midnight + 16 * second].map(\.microseconds))
            #expect(try rows.map { try $0.decode(1, as: Int32.self) } == [1, 2])
        }
    }

    @Test("The published head and the next numbers never decrease")
    func growing() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            #expect(
                try await test.catalogue.commit(
                    recording.batch(recording.published(4..<6, sequence: 3), sequence: 3)))
            #expect(
                try await test.catalogue.commit(
                    recording.batch(recording.published(2..<4, sequence: 1), sequence: 1)))
            let publishedHead = try await test.catalogue.publishedHead(of: recording.row)
            #expect(
                publishedHead.discontinuitySequence == 3 && publishedHead.end == midnight + 24 * second
                    && publishedHead.watermark == publishedHead.end)
            #expect(try await test.number("SELECT next_number FROM rendition") == 6)
        }
    }

    @Test("Concurrent batches are committed one after the other")
    func together() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            try await test.publish(0..<1, on: recording)
            try await test.withOther { other in
                try await withThrowingTaskGroup(of: Bool.self) { group in
                    for index in Int64(0)..<8 {
                        let batch = recording.batch(recording.published((1 + index * 5)..<(6 + index * 5)))
                        group.addTask { try await (index % 2 == 0 ? test.catalogue : other).commit(batch) }
                        group.addTask { try await (index % 2 == 0 ? other : test.catalogue).commit(batch) }
                    }
                    for try await held in group { #expect(held) }
                }
            }
            #expect(try await test.held(recording).map(\.number) == (0..<41).map { $0 })
            #expect(try await test.number("SELECT next_number FROM rendition") == 41)
            #expect(try await test.number("SELECT segments::bigint FROM block") == 41)
        }
    }

    @Test("Two channels that commit the same format on a new day do not wait for each other")
    func twoChannels() async throws {
        try await withCatalogue { test in
            let recordings = [
                try await ChannelRecording("one", in: test), try await ChannelRecording("two", in: test),
            ]
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for recording in recordings {
                    for index in Int64(0)..<10 {
                        let facts = [
                            recording.fact(index, at: index * day),
                            recording.fact(index, of: audio, at: index * day),
                        ]
                        group.addTask {
                            try await test.catalogue.commit(recording.batch(facts.map { .archived($0) }))
                        }
                    }
                }
                for try await held in group { #expect(held) }
            }
            for recording in recordings { #expect(try await test.held(recording).count == 10) }
        }
    }

    @Test("A channel without a published head is a permanent error")
    func unknownChannel() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            var batch = recording.batch(recording.published(0..<1))
            batch.channel = 999
            let error = await failure(of: { try await test.catalogue.commit(batch) })
            #expect(error?.isTransient == false)
        }
    }
}
