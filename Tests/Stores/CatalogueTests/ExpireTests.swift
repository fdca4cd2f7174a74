import Postgres
import Testing
import Timeline

@testable import Catalogue

@Suite("Forgetting")
struct ExpireTests {
    @Test("What begins before the cut expires and is counted, and the cut never moves back")
    func cut() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            try await test.publish(0..<5, on: recording)
            try await test.publish(0..<5, of: audio, on: recording)
            let cut = midnight + 9 * second
            #expect(try await test.catalogue.expire(recording.channel, before: cut, graceSeconds: 0) == 6)
            for rendition in [video, audio] {
                #expect(try await test.starts(recording, rendition) == [12 * second, 16 * second])
            }
            #expect(
                try await test.catalogue.expire(recording.channel, before: cut - second, graceSeconds: 0) == 0
            )
            #expect(try await test.catalogue.publishedHead(of: recording.row).expiredBefore == cut)
            #expect(try await test.number("SELECT count(*) FROM segment") == 4)
        }
    }

    @Test("Another channel loses nothing")
    func otherChannel() async throws {
        try await withCatalogue { test in
            let (one, other) = (
                try await ChannelRecording("one", in: test), try await ChannelRecording("other", in: test)
            )
            for recording in [one, other] { try await test.publish(0..<3, on: recording) }
            #expect(
                try await test.catalogue.expire(one.channel, before: midnight + minute, graceSeconds: 0) == 3)
            #expect(try await test.held(other).count == 3)
        }
    }

    @Test(
        "Losses, spans and discontinuity starts before the cut expire too, except the one in effect at the cut"
    )
    func surroundings() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            var batch = recording.batch(recording.published(0..<5, sequence: 1), sequence: 1)
            batch.losses = [Loss(window: window(0, 8 * second), reason: .sourceGap)]
            batch.losses.append(Loss(window: window(0, 9 * second), reason: .sourceGap))
            batch.discontinuityStarts = [0, 4, 8, 30].enumerated().map { index, begin in
                DiscontinuityStart(
                    sequence: Int32(index), begin: midnight + Int64(begin) * second, cause: .hole,
                    targetSeconds: 4)
            }
            _ = try await test.catalogue.commit(batch)
            for (begin, end) in [(0, 8), (8, 9)] as [(Int64, Int64)] {
                try await test.catalogue.beginRecording(channel: recording.row, at: midnight + begin * second)
                try await test.switchOff(recording, at: midnight + end * second)
            }
            try await test.catalogue.expire(recording.channel, before: midnight + 8 * second, graceSeconds: 0)
            #expect(try await test.number("SELECT count(*) FROM loss") == 1)
            #expect(try await test.number("SELECT count(*) FROM recording_span") == 1)
            #expect(try await test.rows("SELECT epoch FROM epoch ORDER BY 1") == [[2], [3]])
            try await test.catalogue.expire(
                recording.channel, before: midnight + 10 * second, graceSeconds: 0)
            #expect(try await test.rows("SELECT epoch FROM epoch ORDER BY 1") == [[2], [3]])
        }
    }

    @Test("Segments that overlap a kept recording survive, still play, and are not kept twice")
    func kept() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            try await test.publish(0..<8, on: recording)
            for (begin, end) in [(9, 16), (10, 12)] as [(Int64, Int64)] {
                _ = try await test.pool.query(
                    """
                    INSERT INTO recording (channel_id, begin_us, end_us) VALUES (\(recording.row),
                        \((midnight + begin * second).microseconds), \((midnight + end * second).microseconds))
                    """)
            }
            let expiredBefore = try await test.catalogue.expire(
                recording.channel, before: midnight + 24 * second, graceSeconds: 0)
            #expect(expiredBefore == 4)
            #expect(try await test.starts(recording) == [8, 12, 24, 28].map { $0 * second })
            #expect(try await test.number("SELECT count(*) FROM segment_kept") == 2)
            #expect(try await test.number("SELECT segments::bigint FROM block") == 4)
            let rest = try await test.catalogue.expire(
                recording.channel, before: midnight + hour, graceSeconds: 0)
            #expect(rest == 2)
            #expect(try await test.starts(recording) == [8 * second, 12 * second])
        }
    }

    @Test("A cut in the future expires everything so far but does not reject later segments")
    func purge() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            try await test.publish(0..<3, on: recording)
            let endOfTime = Instant(microseconds: .max)
            #expect(
                try await test.catalogue.expire(recording.channel, before: endOfTime, graceSeconds: 0) == 3)
            let cut = try await test.catalogue.publishedHead(of: recording.row).expiredBefore
            #expect(cut > midnight + minute && cut < midnight + 36_500 * day)
            let next = recording.fact(3, at: cut + second - midnight)
            _ = try await test.catalogue.commit(recording.batch([.archived(next)]))
            #expect(try await test.held(recording).count == 1)
        }
    }

    @Test("Expiring includes what is published ahead of the clock, but not more")
    func purgeAhead() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            let ahead = 200 * 365 * day
            let fact = recording.fact(0, at: ahead)
            _ = try await test.catalogue.commit(
                recording.batch([DecidedSegment(fact: fact, number: 0, discontinuitySequence: 0)]))
            let endOfTime = Instant(microseconds: .max)
            #expect(
                try await test.catalogue.expire(recording.channel, before: endOfTime, graceSeconds: 0) == 1)
            #expect(try await test.catalogue.publishedHead(of: recording.row).expiredBefore == fact.end)
        }
    }

    @Test("A long span expires day by day up to the cut, across holes too")
    func steps() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            let starts: [Int64] = [0, day / 2, day + hour, 40 * day, 40 * day + minute, 41 * day]
            let facts = starts.enumerated().map { recording.fact(Int64($0.offset), at: $0.element) }
            _ = try await test.catalogue.commit(recording.batch(facts.map { .archived($0) }))
            let cut = midnight + 40 * day + second
            #expect(try await test.catalogue.expire(recording.channel, before: cut, graceSeconds: 0) == 4)
            #expect(try await test.catalogue.publishedHead(of: recording.row).expiredBefore == cut)
            let left = try await test.starts(recording)
            #expect(left == [40 * day + minute, 41 * day])
        }
    }

    @Test("A week of one rendition expires within seconds")
    func speed() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            let begun = ContinuousClock.now
            try await test.fill(recording, segments: 7 * 21_600)
            let began = ContinuousClock.now
            let count = try await test.catalogue.expire(
                recording.channel, before: midnight + 7 * day, graceSeconds: 0)
            let took = ContinuousClock.now - began
            #expect(count == 151_200)
            // Both are longer on a slow machine.
            #expect(took < max(.seconds(60), (began - begun) * 5), "151,200 rows took \(took)")
        }
    }
}
