import Catalogue
import Monitoring
import Testing
import Timeline

@testable import Recorder

@Suite("A part of a segment, after a restart")
struct PartAfterRestartTests {
    private static let rows = """
        SELECT origin_number, greatest(revision, repair_revision),
            coalesce(repair_flags, flags) & \(SegmentFlags.parts.rawValue)
        FROM segment ORDER BY start_us
        """

    /// Records six segments, of which the fifth is a part, and is killed.
    private func recordPart(_ fixture: RecorderFixture, entersCatalogue: Bool) async throws {
        let process = try await RecordingProcess(fixture)
        let listed = try await process.list(0...5)
        try await process.store(listed.filter { $0.identity.number != 4 })
        try await process.store(listed.filter { $0.identity.number == 4 }, flags: .damaged)
        #expect(await process.state.progress.renditions[video(0)]?.status.parts == 1)
        if entersCatalogue { try await process.commitAll() }
        await process.kill()
    }

    @Test(
        "is asked for again while the source lists it, and replaced once",
        arguments: [true, false])
    func replaced(entersCatalogue: Bool) async throws {
        try await RecorderFixture.run { fixture in
            try await recordPart(fixture, entersCatalogue: entersCatalogue)
            let second = try await RecordingProcess(fixture)
            let listed = try await second.list(3...7)
            #expect(listed.map(\.identity.number) == [4, 6, 7])
            let part = try #require(listed.first)
            #expect(part.duration == 6_000_000 && listed[1].start - part.start == 12_000_000)
            let held = try #require(await second.held(part))
            #expect(held.byteCount == 400 && held.isDamaged && held.revision == 0)
            try await second.store([part], revision: 1)
            try await second.store(Array(listed.dropFirst()))
            try await second.commitAll()
            let expected = [0, 1, 2, 3, 4, 5, 6, 7].map { "\($0)|\($0 == 4 ? 1 : 0)|0" }
            #expect(try await fixture.rows(Self.rows) == expected)
            await second.kill()

            let third = try await RecordingProcess(fixture)
            #expect(try await third.list(3...8).map(\.identity.number) == [8])
            await third.kill()
        }
    }

    @Test("stays when the source does not list it any more")
    func gone() async throws {
        try await RecorderFixture.run { fixture in
            try await recordPart(fixture, entersCatalogue: true)
            let second = try await RecordingProcess(fixture)
            #expect(try await second.list(5...7).map(\.identity.number) == [6, 7])
            await second.kill()
        }
    }
}
