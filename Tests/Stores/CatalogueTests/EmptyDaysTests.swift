import Postgres
import Testing
import Timeline

@testable import Catalogue

@Suite("Empty days")
struct EmptyDaysTests {
    @Test("An empty past day is dropped, while the last three days and days with segments stay")
    func dropping() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            try await test.catalogue.prepareDays(around: midnight)
            try await test.publish(0..<2, on: recording)
            let now = midnight + 5 * day
            #expect(
                try await test.dropEmptyDays(before: now) == [
                    "segment_20231229", "segment_20231230", "segment_20231231", "segment_20240102",
                ])
            try await test.catalogue.expire(recording.channel, before: midnight + day, graceSeconds: 0)
            #expect(try await test.dropEmptyDays(before: now) == ["segment_20240101"])
            #expect(try await test.dropEmptyDays(before: now).isEmpty)
        }
    }

    @Test("Empty days far ahead, which a wrong clock has made, are dropped; days with segments stay")
    func farAhead() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            try await test.catalogue.prepareDays(around: midnight)
            try await test.catalogue.prepareDays(around: midnight + 60 * day)
            let fact = recording.fact(1, at: 61 * day)
            _ = try await test.catalogue.commit(recording.batch([.archived(fact)]))
            let dropped = try await test.dropEmptyDays(before: midnight)
            #expect(
                dropped
                    == ["0227", "0228", "0229", "0301", "0303", "0304"].map { "segment_2024" + $0 })
            #expect(try await test.dropEmptyDays(before: midnight).isEmpty)
            // What is dropped is made again when it is needed.
            let next = recording.fact(2, at: 60 * day)
            _ = try await test.catalogue.commit(recording.batch([.archived(next)]))
            #expect(try await test.number("SELECT count(*) FROM segment") == 2)
        }
    }

    @Test("A year of days costs a few statements, and one that becomes empty among them is found")
    func many() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            let days = Int64(0)..<40
            try await test.catalogue.ensureDays(of: days.map { midnight + $0 * day })
            for number in days {
                let fact = recording.fact(number, at: number * day + hour)
                _ = try await test.catalogue.commit(recording.batch([.archived(fact)]))
            }
            let now = midnight + 60 * day
            #expect(try await test.dropEmptyDays(before: now).count < 40)
            let before = test.pool.statementCount
            #expect(try await test.dropEmptyDays(before: now).isEmpty)
            #expect(test.pool.statementCount - before < 12)
            _ = try await test.pool.query(
                "DELETE FROM segment WHERE start_us < \((midnight + day).microseconds)")
            #expect(try await test.dropEmptyDays(before: now) == ["segment_20240101"])
            _ = try await test.pool.query(
                "DELETE FROM segment WHERE start_us >= \((midnight + 39 * day).microseconds)")
            var dropped: [String] = []
            for _ in 0..<Limits.pruningCalls { dropped += try await test.dropEmptyDays(before: now) }
            #expect(dropped == ["segment_20240209"])
        }
    }

    @Test("Kept recordings do not prevent dropping their day and still play afterwards")
    func kept() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            try await test.publish(0..<3, on: recording)
            _ = try await test.pool.query(
                "INSERT INTO recording (channel_id, begin_us, end_us) VALUES (1, 0, 9000000000000000)")
            try await test.catalogue.expire(recording.channel, before: midnight + day, graceSeconds: 0)
            #expect(
                try await test.dropEmptyDays(before: midnight + 9 * day) == ["segment_20240101"])
            #expect(try await test.held(recording).count == 3)
        }
    }

    @Test("Reads and writes continue while partitions are created and dropped")
    func meanwhile() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            try await test.withOther { other in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask {
                        for number in Int64(0)..<40 {
                            let fact = recording.fact(number, at: (number % 8) * day + number * 4 * second)
                            _ = try await test.catalogue.commit(recording.batch([.archived(fact)]))
                        }
                    }
                    group.addTask {
                        for _ in 0..<20 {
                            _ = try await other.dropEmptyDays(
                                before: midnight + 60 * day, after: midnight + 60 * day)
                        }
                    }
                    group.addTask {
                        for index in Int64(0)..<20 {
                            try await other.prepareDays(around: midnight + index * day)
                        }
                    }
                    group.addTask {
                        for _ in 0..<40 { _ = try await test.held(recording) }
                    }
                    try await group.waitForAll()
                }
            }
            #expect(try await test.held(recording).count == 40)
        }
    }

    @Test("A day whose detachment was interrupted is dropped")
    func interrupted() async throws {
        try await withCatalogue { test in
            try await test.catalogue.prepareDays(around: midnight)
            _ = try await test.pool.query(
                """
                UPDATE pg_inherits SET inhdetachpending = true WHERE inhrelid = 'segment_20240101'::regclass
                """)
            let dropped = try await test.dropEmptyDays(before: midnight + 60 * day)
            #expect(dropped.count == 7 && dropped.first == "segment_20240101")
        }
    }
}

extension TestCatalogue {
    fileprivate func dropEmptyDays(before now: Instant) async throws -> [String] {
        try await catalogue.dropEmptyDays(before: now, after: now)
    }
}
