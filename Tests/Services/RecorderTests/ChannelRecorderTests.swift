import Concurrency
@testable import Catalogue
import TestSupport
import Testing
import Timeline

@testable import Recorder

@Suite("Channel recorder")
struct ChannelRecorderTests {
    @Test("A rendition that only the journal knows keeps its id and its attributes after a kill")
    func renditionFromJournal() async throws {
        try await RecorderFixture.run { fixture in
            let first = try await RecordingProcess(fixture, opening: [video(0), video(1)])
            let known = await first.descriptions
            #expect(known.map(\.resolution) == ["640x360", "640x180"])
            try await first.record(0...2, of: [video(0), video(1)])
            await first.kill()
            #expect(try await fixture.number("SELECT count(*) FROM rendition") == 0)
            let second = try await RecordingProcess(fixture, opening: [video(0), video(1)])
            #expect(await second.descriptions == known)
            try await second.commitAll()
            let rows = "SELECT name, match ->> 'resolution', next_number FROM rendition ORDER BY name"
            #expect(try await fixture.rows(rows) == ["v0|640x360|3", "v1|640x180|3"])
            await second.kill()
        }
    }

    @Test("Patience goes by the steady clock: a step of the wall's neither ends it nor makes it longer")
    func clockStep() async throws {
        try await RecorderFixture.run { fixture in
            let clock = TestClock()
            let process = try await RecordingProcess(fixture, opening: [video(0)], clock: clock.clock)
            let listed = try await process.list(0...2)
            try await process.store([listed[0], listed[2]])
            try await process.commitAll()
            for step in [3_600.0, -7_200] {
                clock.step(step)
                try await process.commitAll()
                #expect(try await fixture.number("SELECT count(*) FROM segment") == 1)
            }
            clock.pass(6.5)
            try await process.commitAll()
            #expect(try await fixture.number("SELECT count(*) FROM loss") == 1)
            clock.pass(18.5)
            try await process.commitAll()
            #expect(try await fixture.rows("SELECT number FROM segment ORDER BY start_us") == ["0", "1"])
            await process.kill()
        }
    }

    @Test("What is lost after it was given up is known as lost, and a late repair makes it stored")
    func lostAfterGivingUp() async throws {
        try await RecorderFixture.run { fixture in
            let clock = TestClock()
            let process = try await RecordingProcess(fixture, opening: [video(0)], clock: clock.clock)
            let listed = try await process.list(0...1)
            try await process.store([listed[1]])
            clock.pass(6.5)
            try await process.commitAll()
            let state = "SELECT state FROM intake WHERE origin_number = 0"
            #expect(try await fixture.rows(state) == ["listed"])
            #expect(try await process.dependencies.catalogue.head(of: fixture.channel.row).pending.count == 1)
            try await process.lose(listed[0])
            try await process.commitAll()
            #expect(try await fixture.rows(state) == ["lost"])
            try await process.store([listed[0]])
            try await process.commitAll()
            #expect(try await fixture.rows(state) == ["stored"])
            #expect(
                try await fixture.rows("SELECT number IS NULL FROM segment WHERE origin_number = 0") == ["t"])
            await process.kill()
        }
    }

    @Test("Why a segment is lost is known after a kill while the catalogue was away")
    func lostBeforeKill() async throws {
        try await RecorderFixture.run { fixture in
            let first = try await RecordingProcess(fixture, opening: [video(0)])
            try await first.record(0...1)
            try await first.commitAll()
            let listed = try await first.list(2...4)
            try await first.lose(listed[0])
            try await first.store(Array(listed.dropFirst()))
            await first.kill()
            #expect(try await fixture.number("SELECT count(*) FROM loss") == 0)
            let second = try await RecordingProcess(fixture)
            try await second.record(3...5)
            try await second.commitAll()
            let window = listed[0].placed.window
            let loss = [
                Int64(GapReason.segmentExpired.rawValue), window.begin.microseconds, window.end.microseconds,
            ].map(String.init).joined(separator: "|")
            #expect(try await fixture.rows("SELECT reason, begin_us, end_us FROM loss") == [loss])
            await second.kill()
        }
    }

    @Test("What a killed process was still to fetch is fetched if it is listed, and lost if it is not")
    func listedWhenKilled() async throws {
        try await RecorderFixture.run { fixture in
            let clock = TestClock()
            let first = try await RecordingProcess(fixture, opening: [video(0)], clock: clock.clock)
            let listed = try await first.list(0...4)
            try await first.store([listed[2], listed[4]])
            clock.pass(6.5)
            try await first.commitAll()
            clock.pass(6.5)
            try await first.commitAll()
            let states = "SELECT string_agg(state, ' ' ORDER BY origin_number) FROM intake"
            #expect(try await fixture.rows(states) == ["listed listed stored listed stored"])
            await first.kill()
            let second = try await RecordingProcess(fixture, clock: clock.clock)
            #expect(try await second.list(1...5).map(\.identity.number) == [1, 3, 5])
            try await second.commitAll()
            #expect(try await fixture.rows(states) == ["lost listed stored listed stored"])
            await second.kill()
        }
    }

    @Test("A segment has arrived when the list that first showed it was fetched")
    func arrival() async throws {
        try await RecorderFixture.run { fixture in
            let process = try await RecordingProcess(fixture, opening: [video(0)])
            let listed = try await process.list(0...2)
            try await process.list(1...3)
            try await process.store(listed)
            try await process.commitAll()
            let arrivals = try await fixture.rows("SELECT DISTINCT arrived_us FROM segment")
            let expected = HostClock.system.now() + (moment(18) - .now).wholeMicroseconds
            #expect(arrivals.count == 1)
            let arrival = try #require(arrivals.first.flatMap { Int64($0) })
            #expect((arrival - expected.microseconds).magnitude < 1_000_000)
            await process.kill()
        }
    }

    @Test("A list that lies behind what is held is no restart for one who comes back")
    func staleAfterRestart() async throws {
        try await RecorderFixture.run { fixture in
            let first = try await RecordingProcess(fixture, opening: [video(0)])
            try await first.record(90...100)
            try await first.commitAll()
            await first.kill()
            let second = try await RecordingProcess(fixture)
            #expect(try await second.list(90...98).isEmpty)
            #expect(try await second.list(92...101).map(\.identity.number) == [101])
            await second.kill()
        }
    }

    @Test("A source run has a higher id than those before it, however far back the host's clock was set")
    func runOrder() async throws {
        try await RecorderFixture.run { fixture in
            let first = try await RecordingProcess(fixture, opening: [video(0)])
            try await first.record(100...102)
            try await first.commitAll()
            await first.kill()
            let second = try await RecordingProcess(fixture, source: "http://other.test/")
            try await second.record(200...202)
            try await second.commitAll()
            let numbers = "SELECT origin_number FROM segment ORDER BY feed_id, origin_number"
            #expect(try await fixture.rows(numbers) == ["100", "101", "102", "200", "201", "202"])
            await second.kill()
        }
    }

    @Test(
        "Without dates the first of the renditions that are recorded now leads, not the first that ever was")
    func leading() {
        var progress = ChannelProgress(choice: .auto)
        var generator = SeededRandomNumberGenerator(seed: 1)
        for leading in [video(0), video(1)] {
            _ = progress.open([leading, audio].map { RenditionDescription(id: $0) })
        }
        let starts = [(video(1), 18.0), (audio, 20.0)].map { rendition, time in
            let arrival = arrived(time)
            return progress.playlistArrived(list(0...2), of: rendition, at: arrival, gap: nil, &generator)
                .segments.map(\.placed.start)
        }
        #expect(starts == [[at(0), at(6), at(12)], [at(0), at(6), at(12)]])
    }

    @Test("A rendition without dates beside a dated one lies as far behind arrival as that one")
    func undatedBesideDated() {
        var progress = ChannelProgress(choice: .auto)
        var generator = SeededRandomNumberGenerator(seed: 1)
        _ = progress.open([video(0), audio].map { RenditionDescription(id: $0) })
        // The source lists its segments twenty seconds after their dates, and the audio under other numbers.
        let playlists = [
            (video(0), list(0...2, date: { 1000 + Double($0) * 6 })), (audio, list(70...72)),
        ]
        let starts = playlists.map { rendition, playlist in
            progress.playlistArrived(
                playlist, of: rendition, at: arrived(1038), gap: nil, &generator
            ).segments.map(\.placed.start)
        }
        #expect(starts == Array(repeating: [at(1000), at(1006), at(1012)], count: 2))
    }

    @Test(
        "A rendition without dates lies beside the dated one after a change of source, too",
        arguments: [(6.0, 30.0, 1_020.0), (30, 6, 1_060), (6, 30, 1_080)] as [(Double, Double, Double)])
    func undatedAfterChange(before: Double, after: Double, next: Double) {
        var progress = ChannelProgress(choice: .auto)
        var generator = SeededRandomNumberGenerator(seed: 1)
        var ends: [RenditionID: Instant] = [:]
        // Each list has segments of six seconds until a time, and arrives so many seconds later.
        for (source, numbers, time, late) in [
            ("a", 0...2, 1_018, before), ("b", 500...502, next, after), ("b", 501...504, next + 12, after),
        ] as [(String, ClosedRange<Int>, Double, Double)] {
            _ = progress.use(SourceSettings(url: "http://\(source).test/"))
            _ = progress.open([video(0), audio].map { RenditionDescription(id: $0) })
            let first = time - Double(numbers.count) * 6
            let dated = list(numbers, date: { first + Double($0 - numbers.lowerBound) * 6 })
            let undated = list(numbers.lowerBound + 70...numbers.upperBound + 70)
            let starts = [(video(0), dated), (audio, undated)].map { rendition, playlist in
                progress.playlistArrived(
                    playlist, of: rendition, at: arrived(time + late), gap: nil, &generator
                ).segments.map { segment in
                    ends[rendition] = segment.placed.window.end
                    return segment.placed.start
                }
            }
            #expect(starts[0] == starts[1])
            #expect(ends[video(0)] == at(time) || source == "b")
            #expect(ends[video(0)] == ends[audio])
        }
        #expect(ends[video(0)] == at(next + 12))
    }

    @Test("So does one that is new after a start, in the run in which the dated one goes on")
    func newBesideContinued() {
        var progress = ChannelProgress(choice: .auto)
        var generator = SeededRandomNumberGenerator(seed: 1)
        let known = (0...2).map { number in
            KnownSegment(
                run: 7, number: number, start: at(1000 + Double(number) * 6), duration: 6 * seconds,
                isLost: false, digest: [1])
        }
        let head = RenditionHead(
            description: RenditionDescription(id: video(0)), nextNumber: 3, last: nil, known: known)
        progress.resume([head], newestRun: nil)
        _ = progress.open([video(0), audio].map { RenditionDescription(id: $0) })
        let playlists = [
            (video(0), list(3...5, date: { 1000 + Double($0) * 6 })), (audio, list(73...75)),
        ]
        let listings = playlists.map { rendition, playlist in
            progress.playlistArrived(
                playlist, of: rendition, at: arrived(1056), gap: nil, &generator)
        }
        for listing in listings {
            #expect(listing.segments.map(\.placed.start) == [at(1018), at(1024), at(1030)])
            #expect(listing.segments.map(\.identity.run) == [7, 7, 7])
            #expect(listing.runCause == nil)
        }
    }

    @Test("What the journal has of a timeline that the channel has left does not lead the recording there")
    func reanchored() async throws {
        try await RecorderFixture.run { fixture in
            let former = try await RecordingProcess(fixture)
            let listed = try await former.list(0...9)
            try await former.store(listed)
            let instant = listed[5].placed.start
            let point = ReanchorPoint(fence: former.lease.fence + 1, instant: instant)
            _ = try await fixture.rows(
                """
                UPDATE line SET fence = fence + 1, reanchor_fence = \(point.fence),
                    reanchored_us = \(point.instant.microseconds)
                """)
            let journal = UnownedJournal(channel: fixture.channel, dependencies: former.dependencies)
            try await journal.setAsidePreviousTimeline(of: point, now: instant)
            #expect(try await fixture.number("SELECT count(*) FROM set_aside") == 5)
            await former.kill()
            let present = try await RecordingProcess(fixture)
            #expect(present.lease.reanchor == point)
            #expect(await present.state.progress.renditions[video(0)]?.placing.end == instant)
            try await present.commitAll()
            #expect(try await fixture.rows("SELECT max(origin_number), count(*) FROM segment") == ["4|5"])
            await present.kill()
        }
    }

    @Test(
        "What another node has taken over goes to its archive unpublished, each segment once, batch by batch")
    func formerOwner() async throws {
        try await RecorderFixture.run { fixture in
            let folder = fixture.journal
            let former = try await RecordingProcess(
                fixture, opening: [video(0)], journal: folder.path(of: "former"))
            try await former.record(0...9)
            try await former.commitAll()
            try await former.record(10...159)
            // The source lists the last ten still when the other node takes the channel.
            let present = try await RecordingProcess(
                fixture, journal: folder.path(of: "present"), node: RecorderFixture.otherNode)
            let listed = try await present.list(150...159)
            #expect(listed.count == 10)
            try await present.store(listed)
            try await present.commitAll()
            let journal = UnownedJournal(channel: fixture.channel, dependencies: former.dependencies)
            var batches = 0
            while try await journal.enterBatch() == nil { batches += 1 }
            #expect(batches == 2)
            let sums =
                "SELECT count(*), count(DISTINCT origin_number), count(number), max(number) FROM segment"
            #expect(try await fixture.rows(sums) == ["160|160|20|19"])
            await #expect(throws: TestFailure.self) { try await former.commitAll() }
            #expect(try await fixture.rows(sums) == ["160|160|20|19"])
            await former.kill()
            await present.kill()
        }
    }
}
