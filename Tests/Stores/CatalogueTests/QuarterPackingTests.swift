import Postgres
import TestSupport
import Testing
import Timeline

@testable import Catalogue

@Suite("Packing of closed quarters", .serialized)
struct QuarterPackingTests {
    private let evening = midnight + day

    private func range(_ first: Int64 = 0, count: Int = 8) -> QuarterRange {
        let begin = midnight.microseconds + first * Quarter.microseconds
        return QuarterRange(first: Quarter(rendition: 1, containing: begin), count: count)
    }

    /// What rows say, without what is packed.
    private func rows(_ test: TestCatalogue, _ range: QuarterRange) async throws -> [QuarterRecord] {
        try await test.catalogue.scanned(range, test.catalogue.versions(of: range.quarters))
    }

    private func expectSame(_ test: TestCatalogue, _ range: QuarterRange) async throws {
        let (read, rows) = (try await test.catalogue.quarters(range), try await rows(test, range))
        #expect(read.map(\.quarter) == rows.map(\.quarter))
        #expect(read.map(\.version) == rows.map(\.version))
        #expect(read.map(\.segments) == rows.map(\.segments))
        #expect(read.map(\.repaired) == rows.map(\.repaired))
    }

    private func packed(_ test: TestCatalogue) async throws -> Int64? {
        try await test.number(
            "SELECT count(*) FROM packed_quarter JOIN block USING (rendition_id, quarter_us, revision)")
    }

    /// Deletes rows without a trace in the summaries, so that only what is packed has the segments.
    private func hideRows(_ test: TestCatalogue) async throws {
        _ = try await test.pool.query("DELETE FROM segment")
    }

    @Test("Packed quarters say the same as their rows, over random recordings and ranges")
    func equal() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            var chance = SeededGenerator(seed: 12)
            var facts: [SegmentFact] = []
            var start: Int64 = 0
            for number in 0..<600 as Range<Int64> {
                var fact = recording.fact(number, at: start, bytes: .random(in: 1...9_000, using: &chance))
                fact.duration = .random(in: 3_900_000...4_100_000, using: &chance)
                if number % 90 == 0 { fact.format.width = Int(number) }
                if number % 7 == 0 {
                    (fact.flags, fact.measuredDuration) = (.measuredDuration, 3_000_000 + number)
                }
                if number % 50 == 9 {
                    (fact.flags, fact.cueTags) = (.hasCueTags, ["#EXT-X-CUE-OUT:\(number)"])
                }
                if number > 300 { fact.iv = Array(repeating: UInt8(number % 251), count: 16) }
                facts.append(fact)
                start += fact.duration + (number % 70 == 0 ? 900 * second : 0)
            }
            let decided = facts.enumerated().map { index, fact in
                index % 11 == 0
                    ? .archived(fact)
                    : DecidedSegment(fact: fact, number: Int64(index), discontinuitySequence: 0)
            }
            _ = try await test.catalogue.commit(recording.batch(decided))
            for fact in facts where fact.identity.number % 40 == 3 {
                var better = fact
                (better.replaces, better.revision, better.storedBytes) = (0, 1, 9_999)
                _ = try await test.catalogue.commit(recording.batch([.archived(better)]))
            }
            let every = range(count: 16)
            let expected = try await rows(test, every)
            #expect(expected.contains { $0.repaired != nil })
            let held = expected.count { $0.version != nil }
            #expect(try await test.catalogue.packQuarters(at: evening) == held)
            #expect(try await packed(test) == Int64(held))
            for _ in 0..<40 {
                let first = Int.random(in: 0..<16, using: &chance)
                try await expectSame(
                    test, range(Int64(first), count: .random(in: 1...(16 - first), using: &chance)))
            }
            try await hideRows(test)
            let read = try await test.catalogue.quarters(every)
            #expect(read.map(\.segments) == expected.map(\.segments))
            #expect(read.map(\.repaired) == expected.map(\.repaired))
        }
    }

    @Test("Only closed quarters are packed, each once until it changes")
    func closed() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            try await test.publish(0..<450, on: recording)
            #expect(try await test.catalogue.packQuarters(at: midnight + 15 * minute) == 0)
            #expect(try await test.catalogue.packQuarters(at: midnight + 17 * minute) == 1)
            #expect(try await test.catalogue.packQuarters(at: midnight + 17 * minute) == 0)
            try await test.publish(450..<451, on: recording)
            #expect(try await test.catalogue.packQuarters(at: midnight + 47 * minute) == 2)
            #expect(try await packed(test) == 3)
        }
    }

    @Test("After a repair, a late segment or partial expiry, rows are read until the quarter is packed again")
    func changed() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            try await test.publish(0..<100, on: recording)
            try await test.publish(101..<300, on: recording)
            try await test.catalogue.packQuarters(at: evening)
            var better = recording.fact(5)
            (better.replaces, better.revision, better.storedBytes) = (0, 1, 9_999)
            _ = try await test.catalogue.commit(recording.batch([.archived(better)]))
            #expect(try await test.catalogue.quarters(range())[0].repaired?[5].storedBytes == 9_999)
            #expect(try await packed(test) == 1)
            #expect(try await test.catalogue.packQuarters(at: evening) == 1)
            try await expectSame(test, range())
            _ = try await test.catalogue.commit(recording.batch([.archived(recording.fact(100))]))
            #expect(try await test.catalogue.quarters(range())[0].segments.count == 225)
            #expect(try await test.catalogue.packQuarters(at: evening) == 1)
            try await test.catalogue.expire(
                recording.channel, before: midnight + 10 * second, graceSeconds: 0)
            #expect(
                try await test.catalogue.quarters(range())[0].segments.first?.start == midnight + 12 * second)
            #expect(try await test.catalogue.packQuarters(at: evening) == 1)
            try await expectSame(test, range())
            try await test.catalogue.expire(
                recording.channel, before: midnight + 15 * minute, graceSeconds: 0)
            #expect(try await test.number("SELECT count(*) FROM packed_quarter") == 1)
        }
    }

    @Test("Changes by a program that does not know packed quarters are seen, and packed in a later round")
    func earlierProgram() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            try await test.publish(0..<300, on: recording)
            try await test.catalogue.packQuarters(at: evening)
            _ = try await test.pool.query(
                "UPDATE segment SET plain_bytes = 7 WHERE start_us = \(midnight.microseconds)")
            _ = try await test.pool.query(
                "UPDATE block SET revision = revision + 1 WHERE quarter_us = \(midnight.microseconds)")
            #expect(try await test.catalogue.quarters(range())[0].segments[0].plainBytes == 7)
            #expect(try await test.catalogue.packQuarters(at: evening) == 1)
            try await expectSame(test, range())
            _ = try await test.pool.query("DELETE FROM block WHERE quarter_us = \(midnight.microseconds)")
            #expect(try await test.number("SELECT count(*) FROM packed_quarter") == 1)
        }
    }

    @Test("Damaged bytes and those of a later version are read as rows")
    func damaged() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            try await test.publish(0..<300, on: recording)
            try await test.catalogue.packQuarters(at: evening)
            for change: Statement in [
                "UPDATE packed_quarter SET packed = set_byte(packed, 0, 9)",
                "UPDATE packed_quarter SET packed = set_byte(packed, 20, get_byte(packed, 20) # 64)",
                "UPDATE packed_quarter SET packed = ''",
            ] {
                _ = try await test.pool.query(change)
                try await expectSame(test, range())
                #expect(
                    try await test.catalogue.quarters(range()).map(\.segments.count).prefix(2) == [225, 75])
            }
        }
    }

    @Test("A quarter that another transaction is changing is left out, without waiting for it")
    func changing() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            try await test.publish(0..<300, on: recording)
            try await test.pool.transaction { transaction in
                _ = try await transaction.query(
                    "UPDATE block SET revision = revision + 1 WHERE quarter_us = \(midnight.microseconds)")
                #expect(try await test.catalogue.packQuarters(at: evening) == 1)
            }
            let quarter = range().first
            var version = try #require(try await test.catalogue.versions(of: [quarter])[quarter])
            version.revision -= 1
            let stale = Catalogue.packing([quarter], [version], [[1]])
            #expect(try await test.pool.query(stale).affectedRows == 0)
            #expect(try await test.catalogue.packQuarters(at: evening) == 1)
            try await expectSame(test, range())
        }
    }

    @Test("A packed day is one query")
    func oneQuery() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            try await test.fill(recording, segments: 22_500)
            while try await test.catalogue.packQuarters(at: evening + day) > 0 {}
            let before = test.pool.statementCount
            let counts = try await test.catalogue.quarters(range(count: 100)).map(\.segments.count)
            #expect(counts == Array(repeating: 225, count: 100))
            #expect(test.pool.statementCount == before + 1)
        }
    }
}
