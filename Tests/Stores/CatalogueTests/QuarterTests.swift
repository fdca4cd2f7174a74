import Postgres
import Testing
import Timeline

@testable import Catalogue

/// A row of `block`.
private struct Block: Equatable {
    var revision: Int64
    var segments: Int64
    var bytes: Int64
    var held: Int64
    var peak: Int64
    var unpublished: Int64
    var contiguous: Bool
}

@Suite("Summaries of quarters")
struct QuarterTests {
    private func blocks(_ test: TestCatalogue) async throws -> [Int64: Block] {
        let rows = try await test.pool.query("SELECT * FROM block ORDER BY quarter_us")
        return try Dictionary(
            uniqueKeysWithValues: rows.map { row in
                let quarter: Int64 = try row.decode("quarter_us")
                let block = Block(
                    revision: try row.decode("revision"), segments: try row.decode("segments"),
                    bytes: try row.decode("bytes"), held: try row.decode("held_us"),
                    peak: try row.decode("peak_bps"),
                    unpublished: try row.decode("unpublished"), contiguous: try row.decode("contiguous"))
                return ((quarter - midnight.microseconds) / minute, block)
            })
    }

    @Test("A summary counts the segments that begin in its quarter, and each change adds a revision")
    func counting() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            let facts = [
                recording.fact(0, bytes: 1_000), recording.fact(1, lasting: 2 * second, bytes: 3_000),
                recording.fact(2, at: 14 * minute + 58 * second, bytes: 500),
                recording.fact(3, at: 15 * minute + 2 * second),
            ]
            for (number, fact) in facts.enumerated() {
                let segment = DecidedSegment(fact: fact, number: Int64(number), discontinuitySequence: 0)
                _ = try await test.catalogue.commit(recording.batch([segment]))
            }
            #expect(
                try await blocks(test) == [
                    0: Block(
                        revision: 3, segments: 3, bytes: 4_500, held: 10 * second, peak: 12_000,
                        unpublished: 0,
                        contiguous: false),
                    15: Block(
                        revision: 1, segments: 1, bytes: 1_000, held: 4 * second, peak: 2_000, unpublished: 0,
                        contiguous: true),
                ])
        }
    }

    @Test("A late segment closes the hole and adds a revision; a batch without changes adds none")
    func repair() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            try await test.publish(0..<2, on: recording)
            try await test.publish(3..<5, on: recording)
            #expect(try await blocks(test)[0]?.contiguous == false)
            for _ in 0..<2 {
                _ = try await test.catalogue.commit(recording.batch([.archived(recording.fact(2))]))
            }
            #expect(
                try await blocks(test)[0]
                    == Block(
                        revision: 3, segments: 5, bytes: 5_000, held: 20 * second, peak: 2_000,
                        unpublished: 1,
                        contiguous: true))
        }
    }

    @Test(
        "A change of sequence or format, a hole, or an overlap above a millisecond makes a quarter not contiguous",
        arguments: [
            (4_000_000, 0, false, true), (4_001_000, 0, false, true), (4_001_001, 0, false, false),
            (3_998_999, 0, false, false), (4_000_000, 1, false, false), (4_000_000, 0, true, false),
        ] as [(Int64, Int32, Bool, Bool)])
    func contiguous(start: Int64, discontinuitySequence: Int32, isOtherState: Bool, expected: Bool)
        async throws
    {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            var format = SegmentFormat.plain
            if isOtherState { format.width = 640 }
            let next = DecidedSegment(
                fact: recording.fact(1, at: start, format: format), number: 1,
                discontinuitySequence: discontinuitySequence)
            _ = try await test.catalogue.commit(recording.batch(recording.published(0..<1) + [next]))
            #expect(try await blocks(test)[0]?.contiguous == expected)
        }
    }

    @Test("A quarter that expires partly is summarised again, an emptied one loses its summary")
    func expiring() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            try await test.publish(0..<300, on: recording)
            try await test.catalogue.expire(
                recording.channel, before: midnight + 18 * minute, graceSeconds: 0)
            let blocks = try await blocks(test)
            #expect(blocks.keys.sorted() == [15])
            #expect(blocks[15]?.segments == 30 && blocks[15]?.revision == 2)
        }
    }
}
