import Postgres
import Testing
import Timeline

@testable import Catalogue

@Suite("Better bytes of published segments")
struct RepairTests {
    private let quarter = QuarterRange(
        first: Quarter(rendition: 1, containing: midnight.microseconds), count: 1)

    private func repair(_ fact: SegmentFact, revision: Int16 = 1) -> SegmentFact {
        var better = fact
        (better.replaces, better.revision, better.flags) = (fact.revision, revision, .independent)
        (better.storedBytes, better.plainBytes, better.digest) = (9_000, 8_990, [9, UInt8(revision)])
        better.format.codecs = "avc1.640028"
        return better
    }

    @Test("What was published stays; closed windows get the better bytes")
    func repaired() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            var facts = (0..<3).map { recording.fact($0) }
            (facts[1].flags, facts[1].measuredDuration) = ([.damaged, .measuredDuration], 1_500_000)
            let published = facts.enumerated().map {
                DecidedSegment(fact: $1, number: Int64($0), discontinuitySequence: 0)
            }
            _ = try await test.catalogue.commit(recording.batch(published))
            let before = try await test.catalogue.quarters(quarter)[0]
            #expect(before.repaired == nil)
            for _ in 0..<2 {
                _ = try await test.catalogue.commit(recording.batch([.archived(repair(facts[1]))]))
            }
            let record = try await test.catalogue.quarters(quarter)[0]
            #expect(record.version != before.version)
            #expect(record.version?.revision == (before.version?.revision ?? 0) + 1)
            var shown = before.segments[1]
            shown.flags.insert(.repaired)
            #expect(record.segments == [before.segments[0], shown, before.segments[2]])
            let better = try #require(record.repaired)
            #expect(better.map(\.number) == [0, 1, 2] && better.map(\.revision) == [0, 1, 0])
            #expect(better[1].storedBytes == 9_000 && better[1].plainBytes == 8_990)
            #expect(better[1].flags == .independent && better[1].mediaDuration == 4 * second)
            #expect(better[1].start == facts[1].start && better[1].duration == facts[1].duration)
            let formats = try await test.catalogue.formats([better[1].formatID])
            #expect(formats[better[1].formatID]?.codecs == "avc1.640028")
            #expect(try await test.number("SELECT next_number FROM rendition") == 3)
        }
    }

    @Test("Bytes of an earlier revision do not come back, and a later one takes their place")
    func order() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            let fact = recording.fact(0)
            _ = try await test.catalogue.commit(recording.batch(recording.published(0..<1)))
            for revision: Int16 in [2, 1, 3] {
                _ = try await test.catalogue.commit(
                    recording.batch([.archived(repair(fact, revision: revision))]))
            }
            #expect(try await test.catalogue.quarters(quarter)[0].repaired?.map(\.revision) == [3])
            let heads = try await test.catalogue.heads(of: recording.row)
            #expect(heads.first?.known.first?.digest == [9, 3])
        }
    }

    @Test("Better bytes of a segment that never entered are its first ones")
    func alone() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            _ = try await test.catalogue.commit(recording.batch([.archived(repair(recording.fact(0)))]))
            let record = try await test.catalogue.quarters(quarter)[0]
            #expect(record.segments.map(\.revision) == [1] && record.repaired == nil)
        }
    }

    @Test("First bytes and better ones in one batch, as after a restart, are both there")
    func together() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            let fact = recording.fact(0)
            _ = try await test.catalogue.commit(
                recording.batch([.archived(fact), .archived(repair(fact))]))
            let record = try await test.catalogue.quarters(quarter)[0]
            #expect(record.segments.map(\.revision) == [0] && record.repaired?.map(\.revision) == [1])
        }
    }

    /// A part of these bytes, which came after the first ones.
    private func part(_ fact: SegmentFact, revision: Int16, bytes: Int64) -> SegmentFact {
        var part = repair(fact, revision: revision)
        (part.flags, part.storedBytes, part.plainBytes) = (.damaged, bytes, bytes)
        return part
    }

    @Test("Of several better ones in one batch the newest whole one is listed", arguments: [false, true])
    func several(isReversed: Bool) async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            var facts = (0..<2).map { recording.fact($0) }
            for index in facts.indices { facts[index].flags = .damaged }
            _ = try await test.catalogue.commit(recording.batch(facts.map { .archived($0) }))
            let versions = [
                part(facts[0], revision: 1, bytes: 2_000), part(facts[0], revision: 2, bytes: 3_000),
                repair(facts[1], revision: 1), repair(facts[1], revision: 2),
                part(facts[1], revision: 3, bytes: 9_500),
            ].map { DecidedSegment.archived($0) }
            _ = try await test.catalogue.commit(
                recording.batch(isReversed ? versions.reversed() : versions))
            let repaired = try await test.catalogue.quarters(quarter)[0].repaired
            #expect(repaired?.map(\.revision) == [2, 2])
        }
    }

    @Test("A part takes the place of a shorter one, and of nothing whole")
    func parts() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            var facts = (0..<2).map { recording.fact($0) }
            facts[1].flags = .damaged
            _ = try await test.catalogue.commit(recording.batch(facts.map { .archived($0) }))
            var listed: [[Int16]] = []
            // Another source may have whole segments of fewer bytes.
            var smaller = repair(facts[1], revision: 3)
            (smaller.storedBytes, smaller.plainBytes) = (900, 900)
            for better in [
                part(facts[0], revision: 1, bytes: 990), part(facts[1], revision: 1, bytes: 990),
                part(facts[1], revision: 2, bytes: 1_010), smaller,
                part(facts[1], revision: 4, bytes: 1_020),
            ] {
                _ = try await test.catalogue.commit(recording.batch([.archived(better)]))
                let record = try await test.catalogue.quarters(quarter)[0]
                listed.append((record.repaired ?? record.segments).map(\.revision))
            }
            #expect(listed == [[0, 0], [0, 0], [0, 2], [0, 3], [0, 3]])
        }
    }

    @Test("Both names of a kept segment stay in use")
    func names() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            let fact = recording.fact(0)
            _ = try await test.catalogue.commit(recording.batch(recording.published(0..<2)))
            _ = try await test.catalogue.commit(recording.batch([.archived(repair(fact))]))
            _ = try await test.pool.query(
                """
                INSERT INTO recording (channel_id, begin_us, end_us) VALUES (\(recording.row),
                    \(midnight.microseconds), \((midnight + second).microseconds))
                """)
            try await test.catalogue.expire(
                recording.channel, before: midnight + 40 * minute, graceSeconds: 0)
            let hour = try #require(try await test.catalogue.pendingDeletionHours(limit: 10).first)
            #expect(try await test.catalogue.names(in: hour) == [fact.name, repair(fact).name])
            try await test.catalogue.expireFormats(graceSeconds: 0)
            #expect(try await test.number("SELECT count(*) FROM state") == 2)
        }
    }
}
