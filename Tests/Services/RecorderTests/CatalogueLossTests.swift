import Journal
import TestSupport
import Testing
import Timeline

@testable import Recorder

@Suite("A catalogue that loses what it had")
struct CatalogueLossTests {
    private static let held = "SELECT origin_number FROM segment ORDER BY start_us"

    private func repair(_ fixture: RecorderFixture, _ process: RecordingProcess) async throws -> Int {
        try await CatalogueLoss(channel: fixture.channel, parts: process.parts, logger: silentLogger)
            .repair().entered
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
            #expect(try await repair(fixture, process) == 0)
            try await restore(fixture, keeping: 20)
            if restarts {
                await process.kill()
                process = try await RecordingProcess(fixture, opening: [video(0)])
            }
            #expect(try await repair(fixture, process) == 130)
            #expect(try await fixture.rows(Self.held) == (0...149).map(String.init))
            #expect(try await repair(fixture, process) == 0)
            #expect(try await fixture.rows(Self.held).count == 150)
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
            let loss = CatalogueLoss(channel: fixture.channel, parts: process.parts, logger: silentLogger)
            let first = try await loss.repair()
            #expect(first.entered == 4 && first.missing.map(\.number) == [9])
            #expect(try await fixture.rows(Self.held) == (0...8).map(String.init))
            let second = try await loss.repair(known: first.missing)
            #expect(second.entered == 0 && second.missing == first.missing)
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
            #expect(try await repair(fixture, process) == 0)
            #expect(try await fixture.rows(Self.held).isEmpty)
            await process.kill()
        }
    }
}
