@testable import Catalogue
@testable import Journal
import TestSupport
import Testing
import Timeline

@testable import Recorder

@Suite("A backlog")
struct BacklogCommitTests {
    private let both = [video(0), RenditionID(kind: .audio, index: 0)]

    @Test(
        "of four thousand facts goes in by batches, in order, and memory is bounded while the database is away",
        .timeLimit(.minutes(30)))
    func away() async throws {
        try await RecorderFixture.run { fixture in
            let process = try await RecordingProcess(fixture, opening: both)
            try await process.record(0...9, of: both)
            try await process.commitAll()
            try await fixture.cluster.stop()
            let committing = Task { try await process.commitAll() }
            var held = 0
            for first in stride(from: 10, to: 2_010, by: 250) {
                try await process.record(first...first + 249, of: both)
                held = max(held, await process.heldCount)
            }
            #expect(held > Limits.heldFacts / 2 && held <= Limits.heldFacts)
            #expect(await process.pendingCount <= Limits.heldFacts)
            try await fixture.cluster.start()
            _ = try await committing.value
            let last = try await process.commitAll()
            #expect(last.held <= Limits.heldFacts)
            try await Self.expectWhole(fixture, process, count: 2_010, renditions: 2)
            await process.kill()
        }
    }

    /// Where a process ends that enters what waited.
    enum End: CaseIterable {
        case beforeTheFirstBatch
        case betweenTwoBatches
        case beforeTheJournalIsTrimmed
    }

    @Test(
        "of a killed process goes in after the restart, nothing lost, nothing doubled",
        arguments: End.allCases)
    func killed(end: End) async throws {
        try await RecorderFixture.run { fixture in
            let folder = fixture.journal
            let first = try await RecordingProcess(fixture, opening: both, journal: folder.path(of: "a"))
            try await first.record(0...9, of: both)
            try await first.commitAll()
            for start in stride(from: 10, to: 610, by: 200) {
                try await first.record(start...start + 199, of: both)
            }
            var journal = folder.path(of: "a")
            if end == .beforeTheJournalIsTrimmed {
                _ = try await Command.run("/usr/bin/cp", ["-r", journal, folder.path(of: "b")])
                journal = folder.path(of: "b")
            }
            if end != .beforeTheFirstBatch {
                for _ in 0..<7 { #expect(try await first.commitOnce()) }
                let entered = try await fixture.number("SELECT count(*) FROM segment") ?? 0
                #expect(entered > 20 && entered <= 720)
            }
            await first.kill()
            let second = try await RecordingProcess(fixture, opening: both, journal: journal)
            #expect(try await second.list(600...609).isEmpty)
            try await second.commitAll()
            try await Self.expectWhole(fixture, second, count: 610, renditions: 2)
            await second.kill()
        }
    }

    @Test("lets what is listed meanwhile go in behind it, in order")
    func listedMeanwhile() async throws {
        try await RecorderFixture.run { fixture in
            let first = try await RecordingProcess(fixture, opening: [video(0)])
            try await first.record(0...649)
            await first.kill()
            let second = try await RecordingProcess(fixture)
            let listed = try await second.list(640...653)
            #expect(listed.map(\.identity.number) == [650, 651, 652, 653])
            // The second download is through before the first, while the backlog is read.
            try await second.store([listed[1]])
            #expect(try await second.commitOnce())
            try await second.store([listed[0], listed[2]])
            try await second.commitAll()
            try await second.store([listed[3]])
            try await second.commitAll()
            try await Self.expectWhole(fixture, second, count: 654, renditions: 1)
            await second.kill()
        }
    }

    @Test("keeps the line of a segment that is read back before its writer was told that it is written")
    func readBackFirst() throws {
        let nothing = Instant(microseconds: 0)
        var publication = Publication(
            channel: 1,
            lease: Lease(
                fence: 1,
                publishedHead: PublishedHead(
                    discontinuitySequence: 0, end: nothing, watermark: nothing, expiredBefore: nothing,
                    targetSeconds: 6)))
        publication.open(video(0), now: moment(0))
        publication.resumed(waiting: [])
        let facts = [0.0, 6].map { PublisherStage.fact(video(0), $0) }
        publication.listed(facts.map(\.placed), now: moment(0))
        // what stores                              what commits
        // the line of the second one is written
        //                                          reads the line; the backlog has ended
        // is told of the line, behind a segment
        // that is still on its way
        let line = JournalPosition(file: 1, line: 0)
        _ = publication.read([JournalLineRead(position: line, entry: .segment(facts[1]))], now: moment(0))
        publication.stored(facts[1], at: line, now: moment(0))
        #expect(publication.nextBatch(now: moment(0))?.doneLines.contains(line) != true)
        #expect(publication.positions[facts[1].identity] == [line])
    }

    @Test("keeps the line of a part whose better bytes wait, until they are in the catalogue")
    func partReplaced() {
        let nothing = Instant(microseconds: 0)
        let head = PublishedHead(
            discontinuitySequence: 0, end: nothing, watermark: nothing, expiredBefore: nothing,
            targetSeconds: 6)
        var publication = Publication(channel: 1, lease: Lease(fence: 1, publishedHead: head))
        publication.open(video(0), now: moment(0))
        let facts = [0.0, 6].map { PublisherStage.fact(video(0), $0) }
        publication.listed(facts.map(\.placed), now: moment(0))
        var better = facts[1]
        (better.revision, better.replaces) = (1, 0)
        let lines = (0...2).map { JournalPosition(file: 1, line: $0) }
        publication.stored(facts[1], at: lines[0], isFinal: false, now: moment(0))
        publication.stored(better, at: lines[1], now: moment(0))
        _ = publication.nextBatch(now: moment(0))
        #expect(publication.entered() == [])
        publication.stored(facts[0], at: lines[2], now: moment(0))
        #expect(publication.nextBatch(now: moment(0))?.batch.segments.map(\.fact.revision) == [0, 1])
        #expect(Set(publication.entered()) == Set(lines))
    }

    /// Every segment once, numbers in the order of starts, one epoch, no hole, the watermark at the end, an
    /// empty journal, and no transaction with more facts than a batch may have.
    private static func expectWhole(
        _ fixture: RecorderFixture, _ process: RecordingProcess, count: Int, renditions: Int,
    ) async throws {
        let sums = try await fixture.rows(
            """
            SELECT count(*), count(DISTINCT (feed_id, origin_number)), count(DISTINCT number), max(number)
            FROM segment GROUP BY rendition_id
            """)
        #expect(sums == Array(repeating: "\(count)|\(count)|\(count)|\(count - 1)", count: renditions))
        let disorder = """
            SELECT count(*) FROM (SELECT number - lag(number) OVER (PARTITION BY rendition_id ORDER BY start_us) AS step
                FROM segment) AS s WHERE step <> 1
            """
        #expect(try await fixture.number(disorder) == 0)
        #expect(try await fixture.number("SELECT count(*) FROM epoch") == 1)
        #expect(try await fixture.number("SELECT count(*) FROM loss") == 0)
        let reach = "SELECT (SELECT max(start_us + duration_us) FROM segment) - watermark_us FROM line"
        #expect(try await fixture.number(reach) == 0)
        let largest = "SELECT max(c) FROM (SELECT count(*) AS c FROM segment GROUP BY xmin::text) AS t"
        #expect(try await fixture.number(largest) ?? 0 <= Limits.factsPerBatch)
        #expect(try await process.journal.waitingCount() == 0)
        #expect(await process.heldCount == 0)
    }
}
