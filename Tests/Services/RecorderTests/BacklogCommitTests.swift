import Catalogue
import Journal
import TestSupport
import Testing
import Timeline

@testable import Recorder

@Suite("A backlog")
struct BacklogCommitTests {
    private let both = [video(0), RenditionID(kind: .audio, index: 0)]

    @Test(
        "of four thousand facts goes in by batches, in order, and memory is bounded while the database is away",
        .timeLimit(.minutes(10)))
    func away() async throws {
        try await House.run { house in
            let process = try await RecordingProcess(house, opening: both)
            try await process.record(0...9, of: both)
            try await process.commitAll()
            try await house.cluster.stop()
            let committing = Task { try await process.commitAll() }
            var held = 0
            for first in stride(from: 10, to: 2_010, by: 250) {
                try await process.record(first...first + 249, of: both)
                held = max(held, await process.recorder.positions.count)
            }
            #expect(held > Limits.heldFacts / 2 && held <= Limits.heldFacts)
            #expect(await process.recorder.publisher.slotCount <= Limits.heldFacts)
            try await house.cluster.start()
            _ = try await committing.value
            let last = try await process.commitAll()
            #expect(last.held <= Limits.heldFacts)
            try await Self.expectWhole(house, process, count: 2_010, renditions: 2)
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
        try await House.run { house in
            let folder = house.journal
            let first = try await RecordingProcess(house, opening: both, journal: folder.path(of: "a"))
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
                for _ in 0..<7 { #expect(try await first.recorder.commit()) }
                let entered = try await house.number("SELECT count(*) FROM segment") ?? 0
                #expect(entered > 20 && entered <= 720)
            }
            await first.kill()
            let second = try await RecordingProcess(house, journal: journal)
            #expect(await second.list(600...609).isEmpty)
            try await second.commitAll()
            try await Self.expectWhole(house, second, count: 610, renditions: 2)
            await second.kill()
        }
    }

    @Test("lets what is listed meanwhile go in behind it, in order")
    func listedMeanwhile() async throws {
        try await House.run { house in
            let first = try await RecordingProcess(house, opening: [video(0)])
            try await first.record(0...649)
            await first.kill()
            let second = try await RecordingProcess(house)
            let listed = await second.recorder.resumedList(640...653)
            #expect(listed.map(\.identity.number) == [650, 651, 652, 653])
            // The second download is through before the first, while the backlog is read.
            try await second.store([listed[1]])
            #expect(try await second.recorder.commit())
            try await second.store([listed[0], listed[2]])
            try await second.commitAll()
            try await second.store([listed[3]])
            try await second.commitAll()
            try await Self.expectWhole(house, second, count: 654, renditions: 1)
            await second.kill()
        }
    }

    @Test("keeps the line of a segment that is read back before its writer was told that it is written")
    func readBackFirst() async throws {
        try await House.run { house in
            let clock = TestClock()
            let first = try await RecordingProcess(house, opening: [video(0)], clock: clock.clock)
            let listed = await first.list(0...1)
            var fact = PublisherStage.fact(video(0), 6)
            (fact.channel, fact.identity) = (house.channel.id, listed[1].identity)
            // who stores                               who commits
            // the line is written with another's
            //                                          reads the line; the backlog has ended
            // holds the fact, behind a segment that
            // is still on its way
            let line = try #require(try await first.recorder.journal.append([.segment(fact)]).first)
            _ = try await first.recorder.readBack()
            await first.recorder.hold(fact, at: line)
            try await first.commitAll()
            #expect(try await house.number("SELECT count(*) FROM segment") == 0)
            await first.kill()
            let second = try await RecordingProcess(house, clock: clock.clock)
            try await second.commitAll()
            #expect(try await house.rows("SELECT origin_number FROM segment") == ["1"])
            await second.kill()
        }
    }

    /// Every segment once, numbers in the order of starts, one epoch, no hole, the watermark at the end, an empty journal,
    /// and no transaction with more facts than a batch may have.
    private static func expectWhole(
        _ house: House, _ process: RecordingProcess, count: Int, renditions: Int,
    ) async throws {
        let sums = try await house.rows(
            """
            SELECT count(*), count(DISTINCT (feed_id, origin_number)), count(DISTINCT number), max(number)
            FROM segment GROUP BY rendition_id
            """)
        #expect(sums == Array(repeating: "\(count)|\(count)|\(count)|\(count - 1)", count: renditions))
        let disorder = """
            SELECT count(*) FROM (SELECT number - lag(number) OVER (PARTITION BY rendition_id ORDER BY start_us) AS step
                FROM segment) AS s WHERE step <> 1
            """
        #expect(try await house.number(disorder) == 0)
        #expect(try await house.number("SELECT count(*) FROM epoch") == 1)
        #expect(try await house.number("SELECT count(*) FROM loss") == 0)
        let reach = "SELECT (SELECT max(start_us + duration_us) FROM segment) - watermark_us FROM line"
        #expect(try await house.number(reach) == 0)
        let largest = "SELECT max(c) FROM (SELECT count(*) AS c FROM segment GROUP BY xmin::text) AS t"
        #expect(try await house.number(largest) ?? 0 <= Limits.factsPerBatch)
        #expect(try await process.recorder.journal.hasEntries() == false)
        #expect(await process.recorder.positions.isEmpty)
    }
}

extension ChannelRecorder {
    /// A list after a restart: the bytes of the segment in question are the ones stored.
    func resumedList(_ numbers: ClosedRange<Int>) async -> [ListedSegment] {
        let playlist = RecorderTests.list(numbers, date: { Double($0) * 6 })
        let time = Double(numbers.upperBound + 1) * 6
        let arrival = Arrival(date: at(time), moment: moment(time))
        var outcome = await listArrived(playlist, of: video(0), arrival: arrival)
        if let probe = outcome.probe {
            let digest = renditions[video(0)]?.digests[probe.identity.number] ?? []
            outcome = await probed(digest, probe, playlist, arrival: arrival)
        }
        return outcome.segments
    }
}
