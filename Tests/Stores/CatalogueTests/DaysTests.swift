import Postgres
import Testing
import Timeline

@testable import Catalogue

@Suite("Days")
struct DaysTests {
    @Test(
        "A day begins at midnight UTC, also before 1970",
        arguments: [
            (0, 0), (1, 0), (86_399_999_999, 0), (86_400_000_000, 86_400_000_000), (-1, -86_400_000_000),
        ]
            as [(Int64, Int64)])
    func beginning(instant: Int64, expected: Int64) {
        #expect(Catalogue.day(of: instant) == expected)
    }

    @Test("Partitions are created from three days ago to three days ahead, also by two processes at once")
    func preparing() async throws {
        try await withCatalogue { test in
            try await test.withOther { other in
                async let one: Void = test.catalogue.prepareDays(around: midnight)
                async let two: Void = other.prepareDays(around: midnight)
                _ = try await (one, two)
            }
            try await test.catalogue.prepareDays(around: midnight)
            let names = try await test.pool.query(
                """
                SELECT inhrelid::regclass::text AS name FROM pg_inherits
                WHERE inhparent = 'segment_rolling'::regclass ORDER BY 1
                """
            ).map { try $0.decode("name", as: String.self) }
            #expect(
                names == [
                    "segment_20231229", "segment_20231230", "segment_20231231", "segment_20240101",
                    "segment_20240102",
                    "segment_20240103", "segment_20240104",
                ])
        }
    }

    @Test("Segments of distant days get their partitions when they are committed")
    func far() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            let starts = [-19_000 * day, -4 * second, 0, 400 * day, 3000 * day]
            let facts = starts.enumerated().map { recording.fact(Int64($0.offset), at: $0.element) }
            #expect(try await test.catalogue.commit(recording.batch(facts.map { .archived($0) })))
            #expect(try await test.held(recording).map(\.start) == facts.map(\.start))
        }
    }

    @Test("A partition that another process has dropped is created again")
    func droppedElsewhere() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            try await test.catalogue.prepareDays(around: midnight)
            try await test.withOther { other in
                let dropped = try await other.dropEmptyDays(
                    before: midnight + 30 * day, after: midnight + 30 * day)
                #expect(dropped.count == 7)
            }
            #expect(try await test.publish(0..<2, on: recording))
            #expect(try await test.held(recording).count == 2)
        }
    }

    @Test("An interrupted detachment is completed and the day attached again")
    func halfDetached() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            try await test.publish(0..<1, on: recording)
            _ = try await test.pool.query("ALTER TABLE segment_rolling DETACH PARTITION segment_20240101")
            try await test.withOther { other in
                _ = try await other.commit(recording.batch(recording.published(1..<2)))
            }
            #expect(try await test.held(recording).map(\.number) == [0, 1])
        }
    }
}
