import Catalogue
import Journal
import Postgres
import TestSupport
import Testing
import Timeline

@testable import Recorder

@Suite("A catalogue that loses what it had")
struct LostFactTests {
    private static let held = "SELECT origin_number FROM segment ORDER BY start_us"

    private func search(_ process: RecordingProcess) -> LostFactSearch {
        LostFactSearch(dependencies: process.dependencies, logger: silentLogger)
    }

    /// Takes the catalogue back to when only the first segments were there, as a restored backup does.
    private func restore(_ fixture: RecorderFixture, keeping count: Int) async throws {
        for table in ["segment", "intake"] {
            _ = try await fixture.rows("DELETE FROM \(table) WHERE origin_number >= \(count)")
        }
        _ = try await fixture.rows("UPDATE rendition SET next_number = \(count)")
    }

    @Test("gets it again from the journal, once, also after a restart", arguments: [false, true])
    func lost(restarts: Bool) async throws {
        try await RecorderFixture.run { fixture in
            var process = try await RecordingProcess(fixture, opening: [video(0)])
            try await process.record(0...149)
            try await process.commitAll()
            var search = search(process)
            #expect(await search.round() == 0)
            try await restore(fixture, keeping: 20)
            if restarts {
                await process.kill()
                process = try await RecordingProcess(fixture, opening: [video(0)])
                search = self.search(process)
            }
            #expect(await search.round() == 130)
            #expect(try await fixture.rows(Self.held) == (0...149).map(String.init))
            #expect(await search.round() == 0)
            #expect(try await fixture.rows(Self.held).count == 150)
            await process.kill()
        }
    }

    @Test(
        "gets again what a backup has as still to be fetched, or as waiting for its key",
        arguments: ["listed", "key_pending"])
    func unsettled(state: String) async throws {
        try await RecorderFixture.run { fixture in
            let process = try await RecordingProcess(fixture)
            try await process.record(0...9)
            try await process.commitAll()
            var search = search(process)
            #expect(await search.round() == 0)
            _ = try await fixture.rows("DELETE FROM segment WHERE origin_number >= 8")
            _ = try await fixture.rows("UPDATE intake SET state = '\(state)' WHERE origin_number >= 8")
            #expect(await search.round() == 2)
            #expect(try await fixture.rows(Self.held) == (0...9).map(String.init))
            #expect(try await fixture.rows("SELECT DISTINCT state FROM intake") == ["stored"])
            #expect(await search.round() == 0)
            await process.kill()
        }
    }

    @Test("gets better bytes again, also of segments that it still has")
    func repairs() async throws {
        try await RecorderFixture.run { fixture in
            let process = try await RecordingProcess(fixture)
            try await process.record(0...9)
            try await process.commitAll()
            let facts = try await process.journal.replayEntered(after: nil, limit: 100).compactMap(\.1.fact)
            let better = try [5, 9].map { number in
                var fact = try #require(facts.first { $0.identity.number == number })
                (fact.revision, fact.replaces) = (1, 0)
                return JournalEntry.segment(fact)
            }
            await process.journal.trim(try await process.journal.append(better))
            try await restore(fixture, keeping: 8)
            var search = search(process)
            #expect(await search.round() == 4)
            let revisions = "SELECT coalesce(repair_revision, revision) FROM segment ORDER BY start_us"
            let expected = (0...9).map { $0 == 5 || $0 == 9 ? "1" : "0" }
            #expect(try await fixture.rows(revisions) == expected)
            #expect(await search.round() == 0)
            await process.kill()
        }
    }

    /// The epochs of the published log are not in the journal.
    @Test("gets the discontinuities of its source again")
    func discontinuities() async throws {
        try await RecorderFixture.run { fixture in
            let process = try await RecordingProcess(fixture)
            try await process.store(try await process.list(0...9, parted: 5))
            try await process.commitAll()
            let said = "SELECT flags & 2048 FROM segment ORDER BY start_us"
            #expect(try await fixture.rows(said) == Array(repeating: "0", count: 10))
            #expect(try await fixture.number("SELECT count(DISTINCT epoch) FROM segment") == 2)
            try await restore(fixture, keeping: 3)
            _ = try await fixture.rows("DELETE FROM epoch WHERE epoch > 0")
            var search = search(process)
            #expect(await search.round() == 7)
            #expect(try await fixture.rows(said) == (0...9).map { $0 == 5 ? "2048" : "0" })
            await process.kill()
        }
    }

    @Test(
        "gets losses again, those of segments that did not come in time as well", arguments: [false, true])
    func losses(isOverdue: Bool) async throws {
        try await RecorderFixture.run { fixture in
            let clock = TestClock()
            let process = try await RecordingProcess(fixture, clock: clock.clock)
            var listed = try await process.list(0...9)
            let missing = listed.remove(at: 5)
            if !isOverdue { try await process.lose(missing) }
            try await process.store(listed)
            for seconds in [6.5, 18.5] {
                clock.pass(seconds)
                try await process.commitAll()
            }
            let losses = "SELECT reason, begin_us, end_us FROM loss"
            let before = try await fixture.rows(losses)
            #expect(before.count == 1)
            try await restore(fixture, keeping: 3)
            _ = try await fixture.rows("DELETE FROM loss")
            var search = search(process)
            #expect(await search.round() == 6)
            #expect(try await fixture.rows(losses) == before)
            await process.kill()
        }
    }

    @Test("gets markers again also where the journal has many between two segments")
    func markers() async throws {
        try await RecorderFixture.run { fixture in
            let process = try await RecordingProcess(fixture)
            try await process.record(0...9)
            try await process.commitAll()
            let count = 2 * Limits.factsPerBatch + 50
            let markers = (0..<count).map {
                JournalEntry.marker(Marker(id: "break-\($0)", sourceStart: at(60), begin: at(60)))
            }
            await process.journal.trim(try await process.journal.append(markers))
            try await process.record(0...19)
            try await process.commitAll()
            try await restore(fixture, keeping: 10)
            var search = search(process)
            #expect(await search.round() == 10)
            #expect(try await fixture.number("SELECT count(*) FROM marker") == count)
            await process.kill()
        }
    }

    @Test(
        "gets it again in every channel, however much it has taken since of the same source runs",
        arguments: [(1, false), (1, true), (200, true)])
    func behindNewer(newer: Int, looksBefore: Bool) async throws {
        try await RecorderFixture.run { fixture in
            let process = try await RecordingProcess(fixture)
            let other = try await RecordingProcess(
                fixture, channel: try await fixture.otherChannel(), sharing: process.dependencies)
            var search = search(process)
            for recording in [process, other] {
                try await recording.record(0...19)
                try await recording.commitAll()
            }
            if looksBefore { #expect(await search.round() == 0) }
            // A replica that lacks the last commits takes over, and recording goes on.
            try await restore(fixture, keeping: 17)
            for recording in [process, other] {
                try await recording.record(0...(19 + newer))
                try await recording.commitAll()
            }
            #expect(await search.round() == 6)
            let held = try await fixture.rows(
                "SELECT origin_number FROM segment JOIN rendition USING (rendition_id) ORDER BY channel_id, start_us"
            )
            let all = (0...(19 + newer)).map(String.init)
            #expect(held == all + all)
            let before = fixture.pool.statementCount
            #expect(await search.round() == 0)
            #expect(fixture.pool.statementCount == before + 2, "the channels, and the facts of all of them")
            await process.kill()
        }
    }

    @Test("gets all but what it refuses, which is looked for once")
    func refused() async throws {
        try await RecorderFixture.run { fixture in
            let process = try await RecordingProcess(fixture, opening: [video(0)])
            try await process.record(0...9)
            try await process.commitAll()
            try await restore(fixture, keeping: 5)
            _ = try await fixture.rows("ALTER TABLE intake ADD CHECK (origin_number <> 9)")
            var search = search(process)
            #expect(await search.round() == 4)
            #expect(search.refused(of: fixture.channel.row).map(\.number) == [9])
            #expect(try await fixture.rows(Self.held) == (0...8).map(String.init))
            let before = fixture.pool.statementCount
            #expect(await search.round() == 0)
            #expect(fixture.pool.statementCount == before + 2)
            #expect(search.refused(of: fixture.channel.row).map(\.number) == [9])
            await process.kill()
        }
    }

    @Test("Segments whose identities were deleted after two days are not missing")
    func pruned() async throws {
        try await RecorderFixture.run { fixture in
            let process = try await RecordingProcess(fixture)
            try await process.record(0...9)
            try await process.commitAll()
            _ = try await fixture.rows("DELETE FROM intake WHERE origin_number < 9")
            var search = search(process)
            #expect(await search.round() == 0)
            #expect(try await fixture.rows("SELECT origin_number FROM intake") == ["9"])
            await process.kill()
        }
    }

    @Test("does not get back what has expired")
    func expired() async throws {
        try await RecorderFixture.run { fixture in
            let process = try await RecordingProcess(fixture, opening: [video(0)])
            try await process.record(0...9)
            try await process.commitAll()
            try await restore(fixture, keeping: 0)
            _ = try await fixture.rows("UPDATE line SET forgotten_us = end_us")
            var search = search(process)
            #expect(await search.round() == 0)
            #expect(try await fixture.rows(Self.held).isEmpty)
            await process.kill()
        }
    }
}
