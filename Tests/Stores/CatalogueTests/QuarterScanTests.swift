import Postgres
import Testing
import Timeline

@testable import Catalogue

@Suite("Quarters read at once", .serialized)
struct QuarterScanTests {
    private func range(_ minutes: Int64, count: Int) -> QuarterRange {
        QuarterRange(
            first: Quarter(rendition: 1, containing: (midnight + minutes * minute).microseconds), count: count
        )
    }

    @Test("Each quarter has the segments that begin in it and a version; an empty one has none")
    func quarters() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            _ = try await test.catalogue.commit(
                recording.batch([
                    .archived(recording.fact(0)),
                    .archived(recording.fact(1, at: 15 * minute - second, lasting: second)),
                    .archived(recording.fact(2, at: 15 * minute)),
                    .archived(recording.fact(3, at: 45 * minute)),
                ]))
            let records = try await test.catalogue.quarters(range(0, count: 3))
            #expect(records.map(\.quarter) == range(0, count: 3).quarters)
            #expect(
                records.map { $0.segments.map { ($0.start - midnight) / second } } == [[0, 899], [900], []])
            #expect(records.map { $0.version?.segments } == [2, 1, nil])
            let versions = try await test.catalogue.versions(of: range(0, count: 4).quarters)
            #expect(versions.count == 3 && versions[records[0].quarter] == records[0].version)
            try await test.catalogue.expire(recording.channel, before: midnight + second, graceSeconds: 0)
            #expect(try await test.catalogue.quarters(range(0, count: 1))[0].version != records[0].version)
        }
    }

    @Test("Cue tags come with their segments, from the archive and from a journal alike")
    func cueTags() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            var facts = (0..<3).map { recording.fact($0) }
            facts[1].cueTags = ["#EXT-X-CUE-OUT:30", "#EXT-OATCLS-SCTE35:/DAl+w=="]
            facts[1].flags = .hasCueTags
            var batch = recording.batch(recording.published(0..<3))
            for index in facts.indices { batch.segments[index].fact = facts[index] }
            _ = try await test.catalogue.commit(batch)
            let read = try await test.catalogue.quarters(range(0, count: 1))[0].segments
            #expect(read.map(\.cueTags) == facts.map(\.cueTags))
            #expect(try await test.number("SELECT count(*) FROM segment WHERE cue_tags IS NULL") == 2)
        }
    }

    @Test("A day is read with an index-only scan")
    func indexOnly() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            try await test.fill(recording, segments: 2 * 21_600, strangers: 5)
            let day = range(24 * 60, count: 96)
            #expect(
                try await test.catalogue.quarters(day).map(\.segments.count)
                    == Array(repeating: 225, count: 96))
            let begin = day.first.begin
            let plan = try await test.plan(
                of: Catalogue.scan(of: day),
                with: [1, begin, begin + 96 * Quarter.microseconds, 100_001] as [any Sendable])
            #expect(plan.contains("Index Only Scan using segment_20240102_pkey"), "\(plan)")
            #expect(plan.contains("Heap Fetches: 0") && !plan.contains("Index Scan using"), "\(plan)")
        }
    }
}
