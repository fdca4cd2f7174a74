import Postgres
import Testing
import Timeline

@testable import Catalogue

@Suite("Committing batches of several channels")
struct GroupCommitTests {
    private func recordings(_ count: Int, in test: TestCatalogue) async throws -> [ChannelRecording] {
        var recordings: [ChannelRecording] = []
        for index in 0..<count { recordings.append(try await ChannelRecording("ch\(index)", in: test)) }
        return recordings
    }

    @Test("One transaction has the same effect on each channel as one of its own")
    func together() async throws {
        try await withCatalogue { test in
            let recordings = try await recordings(3, in: test)
            let batches = recordings.enumerated().map { index, recording in
                recording.batch(recording.published(0..<Int64(index + 1)))
            }
            for _ in 0..<2 {
                let held = try await test.catalogue.commit(batches.reversed())
                #expect(held == Dictionary(uniqueKeysWithValues: recordings.map { ($0.row, true) }))
            }
            for (index, recording) in recordings.enumerated() {
                #expect(try await test.held(recording).map(\.number) == (0...Int64(index)).map { $0 })
                let head = try await test.number(
                    "SELECT watermark_us FROM line WHERE channel_id = \(recording.row)")
                #expect(head == (midnight + Int64(index + 1) * 4 * second).microseconds)
            }
            #expect(
                try await test.rows("SELECT next_number FROM rendition ORDER BY channel_id") == [
                    [1], [2], [3],
                ])
            #expect(try await test.number("SELECT count(DISTINCT xmin::text) FROM block") == 1)
        }
    }

    @Test("A channel whose lease is lost is stored without numbers, and the others are published")
    func lostLease() async throws {
        try await withCatalogue { test in
            var recordings = try await recordings(3, in: test)
            recordings[1].fence -= 1
            let held = try await test.catalogue.commit(recordings.map { $0.batch($0.published(0..<2)) })
            #expect(recordings.map { held[$0.row] } == [true, false, true])
            for (index, recording) in recordings.enumerated() {
                #expect(try await test.held(recording).map(\.number) == (index == 1 ? [nil, nil] : [0, 1]))
            }
        }
    }

    @Test("A channel that another transaction has locked is left out and does not hold up the others")
    func locked() async throws {
        try await withCatalogue { test in
            let recordings = try await recordings(3, in: test)
            let batches = recordings.map { $0.batch($0.published(0..<1)) }
            let held = try await test.pool.transaction { transaction in
                _ = try await transaction.query(
                    "SELECT FROM line WHERE channel_id = \(recordings[1].row) FOR UPDATE")
                return try await test.catalogue.commit(batches)
            }
            #expect(held == [recordings[0].row: true, recordings[2].row: true])
            #expect(try await test.catalogue.commit(batches[1]))
            for recording in recordings { #expect(try await test.held(recording).count == 1) }
        }
    }

    @Test("A channel of which the database refuses a value is left out, and so is one without a row")
    func refused() async throws {
        try await withCatalogue { test in
            let recordings = try await recordings(5, in: test)
            var batches = recordings.map { $0.batch($0.published(0..<2)) }
            batches[3].segments[1].fact.duration = 0
            batches.append(Batch(unpublishedIn: 4711))
            let held = try await test.catalogue.commit(batches)
            #expect(held.keys.sorted() == recordings.indices.filter { $0 != 3 }.map { recordings[$0].row })
            for (index, recording) in recordings.enumerated() {
                #expect(try await test.held(recording).count == (index == 3 ? 0 : 2))
            }
            let error = await failure { try await test.catalogue.commit(batches[3]) }
            #expect(error?.refusedFacts?.segments.map(\.fact.identity.number) == [1])
        }
    }

    @Test("Summaries that are added to are those that their segments have", arguments: 0..<6)
    func summaries(_ seed: Int) async throws {
        try await withCatalogue { test in
            let recordings = try await recordings(2, in: test)
            var numbers = Array(Int64(0)..<240)
            // Mostly in order, with segments that come late, holes, other formats and discontinuities.
            var chance = SystemRandomNumberGenerator()
            for _ in 0..<seed * 3 {
                numbers.swapAt(.random(in: 0..<240, using: &chance), .random(in: 0..<240, using: &chance))
            }
            numbers.removeAll { _ in seed > 1 && Int.random(in: 0..<40, using: &chance) == 0 }
            while !numbers.isEmpty {
                let part = Array(numbers.prefix(.random(in: 1...20, using: &chance)))
                numbers.removeFirst(part.count)
                let batches = recordings.map { recording in
                    recording.batch(part.map { segment($0, of: recording, seed: seed) })
                }
                _ = try await test.catalogue.commit(batches)
            }
            let columns: Statement = """
                SELECT rendition_id::bigint, quarter_us, segments::bigint, bytes, held_us, peak_bps, unpublished::bigint,
                    contiguous::int::bigint, begin_us, end_us FROM block ORDER BY 1, 2
                """
            let kept = try await test.rows(columns)
            #expect(kept.count == 4)
            try await test.pool.transaction { transaction in
                try await transaction.summarise(
                    Set(kept.map { Quarter(rendition: Int32($0[0] ?? 0), containing: $0[1] ?? 0) }))
            }
            #expect(try await test.rows(columns) == kept)
        }
    }

    private func segment(_ number: Int64, of recording: ChannelRecording, seed: Int) -> DecidedSegment {
        var format = SegmentFormat.plain
        if seed > 2, number > 150 { format.width = 640 }
        let fact = recording.fact(number, bytes: 1000 + number * 7 % 90, format: format)
        let isArchived = seed > 3 && number % 50 == 0
        return DecidedSegment(
            fact: fact, number: isArchived ? nil : number,
            discontinuitySequence: isArchived ? nil : seed > 4 && number > 60 ? 1 : 0)
    }
}
