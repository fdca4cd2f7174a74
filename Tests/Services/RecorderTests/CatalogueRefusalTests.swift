import Catalogue
import Foundation
import Journal
import TestSupport
import Testing
import Timeline

@testable import Recorder

@Suite("Errors of PostgreSQL while a channel is recorded")
struct CatalogueRefusalTests {
    /// Makes PostgreSQL answer writes of identities with an error, all or those that meet a condition.
    private func fail(_ fixture: RecorderFixture, _ code: String, when condition: String = "true")
        async throws
    {
        _ = try await fixture.rows(
            """
            CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                IF \(condition) THEN RAISE EXCEPTION 'by the test' USING ERRCODE = '\(code)'; END IF;
                RETURN NEW; END $$
            """)
        _ = try await fixture.rows(
            "CREATE TRIGGER fail BEFORE INSERT ON intake FOR EACH ROW EXECUTE FUNCTION fail()")
    }

    private func work(_ fixture: RecorderFixture) async throws {
        _ = try await fixture.rows("DROP TRIGGER fail ON intake")
    }

    @Test(
        "Whatever error it is, recording goes on, and what was stored goes in when it has passed",
        arguments: ["57014", "25006", "58030", "XX000", "40003", "55000", "26000", "42501", "P0001"])
    func away(code: String) async throws {
        try await RecorderFixture.run { fixture in
            let process = try await RecordingProcess(fixture, opening: [video(0)])
            try await fail(fixture, code)
            for last in [2, 5, 8] {
                try await process.record(last - 2...last)
                #expect(try await process.commitOnce())
                #expect(await process.state.isRecording)
            }
            #expect(try await fixture.number("SELECT count(*) FROM segment") == 0)
            try await work(fixture)
            try await process.commitAll()
            #expect(
                try await fixture.rows("SELECT number FROM segment ORDER BY start_us")
                    == (0...8).map(String.init))
            #expect(process.dependencies.journal.refusedLines.isEmpty)
            await process.kill()
        }
    }

    @Test(
        "A fact that it refuses is set aside, blocks nothing, and goes in at a later start",
        arguments: ["22021", "22003", "23502"])
    func refused(code: String) async throws {
        try await RecorderFixture.run { fixture in
            let process = try await RecordingProcess(fixture, opening: [video(0)])
            try await fail(fixture, code, when: "NEW.origin_number = 2 AND NEW.state = 'stored'")
            try await process.record(0...9)
            try await process.commitAll()
            let held = "SELECT origin_number || ' ' || number FROM segment ORDER BY start_us"
            let expected = [0, 1, 3, 4, 5, 6, 7, 8, 9].enumerated().map { "\($0.element) \($0.offset)" }
            #expect(try await fixture.rows(held) == expected)
            #expect(try await fixture.rows("SELECT next_number FROM rendition") == ["9"])
            #expect(
                try await fixture.rows("SELECT reason, note FROM loss") == [
                    "7|the catalogue refuses the fact"
                ])
            #expect(Array(process.dependencies.journal.refusedLines.values) == [1])
            #expect(try await process.journal.waitingCount() == 0)
            try await process.record(10...12)
            try await process.commitAll()
            #expect(try await fixture.rows("SELECT next_number FROM rendition") == ["12"])
            let file = URL(filePath: fixture.journal.path(of: "news/refused.jsonl"))
            #expect(try String(contentsOf: file, encoding: .utf8).split(separator: "\n").count == 1)
            await process.kill()

            try await work(fixture)
            let later = try await RecordingProcess(fixture, opening: [video(0)])
            try await later.commitAll()
            #expect(
                try await fixture.rows("SELECT origin_number FROM segment WHERE number IS NULL") == ["2"])
            #expect(!FileManager.default.fileExists(atPath: file.path()))
            await later.kill()
        }
    }

    private func keyPending(_ number: Int64, of channel: Channel) -> KeyPendingSegment {
        KeyPendingSegment(
            channel: channel.id, identity: SegmentIdentity(rendition: video(0), run: 1, number: number),
            start: at(Double(number) * 6), duration: 6 * seconds, container: .transportStream,
            cipher: .init(keyURL: "http://origin.test/key", iv: []), arrived: at(12),
            source: "http://origin.test/", fence: 1)
    }

    @Test("One that cannot be set aside either does not keep the others of such a channel from the catalogue")
    func unownedStuck() async throws {
        try await RecorderFixture.run { fixture in
            let process = try await RecordingProcess(fixture, opening: [video(0)])
            try await process.record(0...9)
            try await fail(fixture, "22003", when: "NEW.origin_number = 2")
            try FileManager.default.createDirectory(
                atPath: fixture.journal.path(of: "news/refused.jsonl"), withIntermediateDirectories: true)
            let unowned = UnownedJournal(channel: fixture.channel, dependencies: process.dependencies)
            var calls = 0
            while calls < 5, try await unowned.enterBatch() == nil { calls += 1 }
            #expect(calls < 5)
            #expect(try await fixture.number("SELECT count(*) FROM segment") == 9)
            #expect(try await process.journal.waitingCount() == 1)
            // Nor does it where a page of lines after it waits for keys.
            let pending = (0..<120).map { JournalEntry.keyPending(keyPending(100 + $0, of: fixture.channel)) }
            _ = try await process.journal.append(pending)
            try await process.record(10...12)
            calls = 0
            while calls < 5, try await unowned.enterBatch() == nil { calls += 1 }
            #expect(try await fixture.number("SELECT count(*) FROM segment") == 12)
            #expect(try await unowned.enterBatch()?.count == 120)
            // A timeline that the channel has left must not lead the recorder.
            let point = ReanchorPoint(fence: .max, instant: at(-60))
            try await unowned.setAsidePreviousTimeline(of: point, now: at(100_000))
            #expect(try await process.journal.waitingCount() == 120)
            await process.kill()
        }
    }

    @Test("A fact that it refuses does not block the journal of a channel that another node records")
    func unowned() async throws {
        try await RecorderFixture.run { fixture in
            let process = try await RecordingProcess(fixture, opening: [video(0)])
            try await process.record(0...9)
            try await fail(fixture, "22003", when: "NEW.origin_number = 2")
            let journal = UnownedJournal(channel: fixture.channel, dependencies: process.dependencies)
            while try await journal.enterBatch() == nil {}
            #expect(try await fixture.number("SELECT count(*) FROM segment") == 9)
            #expect(Array(process.dependencies.journal.refusedLines.values) == [1])
            await process.kill()
        }
    }
}
