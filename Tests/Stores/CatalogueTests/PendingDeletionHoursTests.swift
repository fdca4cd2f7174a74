import Postgres
import Testing
import Timeline

@testable import Catalogue

@Suite("Hours pending deletion")
struct PendingDeletionHoursTests {
    private func pending(_ test: TestCatalogue, limit: Int = 100) async throws -> [String] {
        try await test.catalogue.pendingDeletionHours(limit: limit)
            .map { "\($0.channel)/\($0.rendition) \(($0.hour - midnight) / hour)" }.sorted()
    }

    @Test("A segment that comes after it expired schedules its hour, so that its file does not stay")
    func afterExpiry() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            try await test.publish(0..<1, on: recording)
            try await test.catalogue.expire(
                recording.channel, before: midnight + 2 * hour, graceSeconds: 7_200)
            let late = recording.fact(900, at: hour + minute)
            let valid = recording.fact(1800, at: 2 * hour)
            for _ in 0..<2 {
                _ = try await test.catalogue.commit(recording.batch([.archived(late), .archived(valid)]))
            }
            #expect(try await pending(test) == ["news/v0 1"])
            #expect(try await test.starts(recording) == [2 * hour])
        }
    }

    @Test(
        "Each hour that lost a segment is scheduled once, due after the grace period, until it is completed")
    func grace() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            let starts = [0, hour - second, hour, 3 * hour + minute]
            let facts = [video, audio].flatMap { rendition in
                starts.enumerated().map {
                    recording.fact(Int64($0.offset), of: rendition, at: $0.element, lasting: second)
                }
            }
            _ = try await test.catalogue.commit(recording.batch(facts.map { .archived($0) }))
            try await test.catalogue.expire(
                recording.channel, before: midnight + 2 * hour, graceSeconds: 7_200)
            #expect(try await pending(test).isEmpty)
            #expect(try await test.number("SELECT count(*) FROM pending_deletion_hour") == 4)
            _ = try await test.pool.query("UPDATE pending_deletion_hour SET not_before = now()")
            #expect(try await pending(test) == ["news/a0 0", "news/a0 1", "news/v0 0", "news/v0 1"])
            #expect(try await pending(test, limit: 3).count == 3)
            for hour in try await test.catalogue.pendingDeletionHours(limit: 3) {
                try await test.catalogue.completeDeletion(hour)
            }
            #expect(try await pending(test).count == 1)
            #expect(
                try await test.catalogue.pendingDeletionHours(limit: 3).map(\.before) == [midnight + 2 * hour]
            )
        }
    }

    @Test("The grace period of the next hours can end early, a few at a time")
    func expedited() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            let facts = (0..<3).map { recording.fact(Int64($0), at: Int64($0) * hour) }
            _ = try await test.catalogue.commit(recording.batch(facts.map { .archived($0) }))
            for (index, cut) in [hour, 3 * hour].enumerated() {
                try await test.catalogue.expire(
                    recording.channel, before: midnight + cut, graceSeconds: 3600 * (index + 1))
            }
            #expect(try await test.catalogue.expediteDeletions(limit: 2) == 2)
            #expect(try await pending(test) == ["news/v0 0", "news/v0 1"])
            #expect(try await test.catalogue.expediteDeletions(limit: 2) == 1)
            #expect(try await test.catalogue.expediteDeletions(limit: 2) == 0)
            #expect(try await pending(test).count == 3)
        }
    }

    @Test("Hours that could not be deleted are the last whose grace period ends early")
    func failedLast() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            let facts = (0..<3).map { recording.fact(Int64($0), at: Int64($0) * hour) }
            _ = try await test.catalogue.commit(recording.batch(facts.map { .archived($0) }))
            for (index, grace) in [0, 7_200, 7_200].enumerated() {
                try await test.catalogue.expire(
                    recording.channel, before: midnight + Int64(index + 1) * hour, graceSeconds: grace)
                for hour in try await test.catalogue.pendingDeletionHours(limit: 9) {
                    try await test.catalogue.postpone(hour, seconds: 600)
                }
            }
            #expect(try await test.catalogue.expediteDeletions(limit: 2) == 2)
            #expect(try await pending(test) == ["news/v0 1", "news/v0 2"])
            #expect(try await test.catalogue.expediteDeletions(limit: 2) == 1)
            #expect(try await pending(test).count == 3)
        }
    }

    @Test("An hour that is scheduled again gets a new grace period and is not completed by the old one")
    func again() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            try await test.publish(0..<4, on: recording)
            try await test.catalogue.expire(recording.channel, before: midnight + 4 * second, graceSeconds: 0)
            let hour = try #require(try await test.catalogue.pendingDeletionHours(limit: 1).first)
            try await test.catalogue.expire(
                recording.channel, before: midnight + 8 * second, graceSeconds: 7_200)
            try await test.catalogue.completeDeletion(hour)
            #expect(try await pending(test).isEmpty)
            #expect(try await test.number("SELECT count(*) FROM pending_deletion_hour") == 1)
        }
    }

    @Test(
        "The names still in use are those after the cut and those of kept recordings, with revisions"
    )
    func names() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            var repaired = recording.fact(3, at: hour - second)
            repaired.revision = 2
            let sound = SegmentFormat(container: .aac)
            let facts = [
                recording.fact(0), recording.fact(1), recording.fact(2, at: 30 * minute), repaired,
                recording.fact(4, at: hour),
                recording.fact(1, of: audio, format: sound),
            ]
            _ = try await test.catalogue.commit(recording.batch(facts.map { .archived($0) }))
            _ = try await test.pool.query(
                """
                INSERT INTO recording (channel_id, begin_us, end_us) VALUES (\(recording.row),
                    \((midnight + 5 * second).microseconds), \((midnight + 6 * second).microseconds))
                """)
            try await test.catalogue.expire(
                recording.channel, before: midnight + 40 * minute, graceSeconds: 0)
            let hours = try await test.catalogue.pendingDeletionHours(limit: 10)
            let first = try #require(hours.first { $0.rendition == video })
            #expect(try await test.catalogue.names(in: first) == [facts[1].name, repaired.name])
            #expect(hours.count == 1)
        }
    }
}
