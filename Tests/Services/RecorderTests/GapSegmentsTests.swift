import Catalogue
import HLS
@testable import Journal
import Monitoring
import Testing
import Timeline

@testable import Recorder

@Suite("A segment that was listed under EXT-X-GAP, and is listed without it later")
struct GapSegmentsTests {
    private static func text(isGap: Bool) -> String {
        "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXT-X-MEDIA-SEQUENCE:0\n#EXTINF:6,\n0.ts\n"
            + "\(isGap ? "#EXT-X-GAP\n" : "")#EXTINF:6,\n1.ts\n#EXTINF:6,\n2.ts\n"
    }

    /// A channel whose segments 40 and 41 are listed as gaps until a time; nothing has been done yet.
    private static func channel(withGapsUntil end: Double) -> SimulatedChannel {
        SimulatedChannel([
            SimulatedSource(
                url: "http://one.test/live.m3u8", renditions: [video(0)],
                faults: [.gap(video(0), 40...41, until: end)])
        ])
    }

    @Test("goes to the archive when its turn has passed, and its time is held")
    func late() {
        var channel = Self.channel(withGapsUntil: 260)
        channel.run(until: 255)
        #expect(!channel.requested.contains { (40...41).contains($0.number) })
        channel.run(until: 600)
        channel.stop()
        let late = channel.segments.filter { $0.fact.flags.contains(.late) }
        #expect(late.map(\.fact.identity.number) == [40, 41])
        #expect(late.allSatisfy { $0.number == nil })
        #expect(Set(channel.losses.map(\.reason)) == [.sourceGap])
        let held = channel.segments.map(\.fact).sorted { $0.start < $1.start }
        #expect(held.count > 90 && zip(held, held.dropFirst()).allSatisfy { $0.end == $1.start })
        #expect(channel.trimmed.count == channel.journal.count)
    }

    /// What an earlier process has left: segments 0 to 5, of which it gave up 2 and 3.
    private static func head(areGaps: Bool) -> RenditionHead {
        let known = (0..<6).map { (number: Int64) in
            let isLost = (2...3).contains(number)
            return KnownSegment(
                run: 7, number: number, start: at(Double(number) * 6), duration: 6 * seconds,
                isLost: isLost, digest: isLost ? [] : [1], isGap: isLost && areGaps)
        }
        return RenditionHead(
            description: RenditionDescription(id: video(0)), nextNumber: 6, known: known)
    }

    @Test(
        "is fetched by a process that has found it a gap, though an earlier one gave it up",
        arguments: [true, false])
    func nextProcess(isFirstGap: Bool) {
        var progress = RenditionProgress(resuming: Self.head(areGaps: false), choice: .auto)
        var list = list(2...6)
        if isFirstGap { list.segments[1].isGap = true }
        _ = progress.list(
            list, from: 4, opensHole: false, cause: nil, hole: .recorderDown, arrival: arrived(43),
            shared: [:])
        var listing = Listing()
        progress.regain(&listing, in: list, at: arrived(43))
        #expect(listing.due.isEmpty)
        list.segments[1].isGap = false
        for isFirst in [true, false] {
            listing = Listing()
            progress.regain(&listing, in: list, at: arrived(43))
            let isDue = isFirst && isFirstGap
            #expect(listing.due.map(\.identity.number) == (isDue ? [3] : []))
            #expect(listing.due.map(\.placed.start) == (isDue ? [at(18)] : []))
        }
    }

    private static let run = SourceRun(
        id: 7, source: SourceClient.identity("http://one.test/live.m3u8"), began: at(0), clock: "arrival")

    /// What a process fetches of its first playlist, after which the source lists segments up to a number.
    private static func fetched(
        of text: String, after head: RenditionHead, journal: [JournalEntry] = [],
    ) throws -> [SegmentRequest] {
        var driver = try StateDriver(
            [SourceSettings(url: "http://one.test/live.m3u8")], heads: [head], newestRun: run, begun: 42)
        let lines = journal.enumerated().map {
            JournalLineRead(position: JournalPosition(file: 1, line: $0), entry: $1)
        }
        var actions = driver.send(.journalRead(.success(lines)), at: 42)
        var fetched: [SegmentRequest] = []
        while let action = actions.popLast() {
            switch action {
            case .fetchPlaylist(let request): actions += try driver.answer(request, text, at: 42.1)
            case .probeSegment(let probe):
                actions += driver.send(.segmentProbed(ProbedSegment(digest: [1]), probe), at: 42.2)
            case .fetchSegment(let request): fetched.append(request)
            default: break
            }
        }
        return fetched.sorted { $0.segment.identity.number < $1.segment.identity.number }
    }

    private static func text(_ numbers: ClosedRange<Int>, gaps: Set<Int> = []) -> String {
        let entries = numbers.map { "\(gaps.contains($0) ? "#EXT-X-GAP\n" : "")#EXTINF:6,\n\($0).ts\n" }
        return "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXT-X-MEDIA-SEQUENCE:\(numbers.lowerBound)\n"
            + entries.joined()
    }

    @Test("is fetched at once by a process that does not find it a gap any more", arguments: [5, 6])
    func filledBefore(last: Int) throws {
        let fetched = try Self.fetched(of: Self.text(1...last), after: Self.head(areGaps: true))
        #expect(fetched.map(\.segment.identity.number) == [2, 3] + (last > 5 ? [6] : []))
        #expect(fetched.prefix(2).map(\.segment.start) == [at(12), at(18)])
        #expect(fetched.allSatisfy { $0.segment.identity.run == 7 })
        // What was lost for another reason is not asked for once more.
        let others = try Self.fetched(of: Self.text(1...last), after: Self.head(areGaps: false))
        #expect(others.map(\.segment.identity.number) == (last > 5 ? [6] : []))
    }

    @Test("is not fetched by a process that still finds it a gap, or has its bytes in the journal")
    func notFilledBefore() throws {
        var fact = PublisherStage.fact(video(0), 12)
        fact.identity = SegmentIdentity(rendition: video(0), run: 7, number: 2)
        let fetched = try Self.fetched(
            of: Self.text(2...5, gaps: [3]), after: Self.head(areGaps: true), journal: [.segment(fact)])
        #expect(fetched.isEmpty)
    }

    @Test("stays lost when it leaves the playlist before that")
    func gone() {
        var channel = Self.channel(withGapsUntil: 400)
        channel.run(until: 600)
        channel.stop()
        #expect(!channel.requested.contains { (40...41).contains($0.number) })
        #expect(channel.status?.renditions.map(\.lost) == [[.sourceGap: 2]])
    }

    @Test("is published in its turn while one before it is still being fetched")
    func inTurn() throws {
        var driver = try StateDriver([SourceSettings(url: "http://one.test/live.m3u8")])
        let opening = try #require(driver.begin(at: 0).playlistRequests.first)
        var fetched = try driver.answer(opening, Self.text(isGap: true), at: 0.1).segmentRequests
        #expect(fetched.map(\.segment.entry.uri) == ["0.ts", "2.ts"])
        var (polls, time) = ([PlaylistRequest](), 6.0)
        while polls.isEmpty, time < 10 {
            time += 0.5
            polls = driver.playlistRequests(at: time)
        }
        let again = try driver.answer(try #require(polls.first), Self.text(isGap: false), at: time)
        #expect(again.segmentURIs == ["1.ts"])
        fetched += again.segmentRequests
        for request in fetched {
            let stored = PartialSegmentTests.stored(request.segment, measured: nil, timestamp: nil)
            driver.send(.segmentStored(stored, request), at: 10.5)
        }
        // Nothing was given up, as the catalogue has not answered yet.
        var actions = driver.send(.catalogueAnswered(.success(true)), at: 11)
        var segments: [DecidedSegment] = []
        for time in stride(from: 11.1, to: 13, by: 0.1) {
            while let action = actions.popLast() {
                guard case .commit(let batch) = action else { continue }
                segments += batch.segments
                actions += driver.send(.catalogueAnswered(.success(true)), at: time)
            }
            actions = driver.send(.clockAdvanced, at: time)
        }
        #expect(segments.map(\.number) == [0, 1, 2])
        #expect(segments.map(\.fact.identity.number) == [0, 1, 2])
    }
}
