import Catalogue
import Journal
import SegmentStore
import Testing
import Timeline

@testable import Recorder

@Suite("A playlist of which the bytes of a segment decide")
struct DoubtfulPlaylistTests {
    private static let source = SourceSettings(url: "http://one.test/live.m3u8")
    private static let requestTime = 12.0

    /// Segments without dates.
    private static func media(_ first: Int, names: String, count: Int = 3) -> String {
        let entries = (first..<first + count).map { "#EXTINF:6,\n\(names)\($0).ts\n" }
        return "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXT-X-MEDIA-SEQUENCE:\(first)\n" + entries.joined()
    }

    /// Has stored segments 10 to 12.
    private static func recorded(stored: [Int64] = [10, 11, 12]) throws -> StateDriver {
        var driver = try StateDriver([source])
        let opening = driver.send(.journalRead(.success([])), at: 0)
        var listed: [SegmentRequest] = []
        for request in opening.playlistRequests {
            listed += try driver.answer(request, media(10, names: "a"), at: 0.1).segmentRequests
        }
        for request in listed where stored.contains(request.segment.identity.number) {
            let (segment, number) = (request.segment, request.segment.identity.number)
            let name = SegmentName(start: segment.placed.start, revision: 0, fileExtension: .transportStream)
            let object = CommittedObject(
                key: .segment(PublisherStage.fact(video(0), 0).channel, video(0), name), byteCount: 1,
                digest: [UInt8(number)], wasThere: false)
            let stored = StoredSegment(
                object: object, format: SegmentFormat(container: .transportStream), flags: [], plainBytes: 1)
            driver.send(.segmentStored(stored, request), at: 1)
        }
        return driver
    }

    /// The same, and gets a playlist that names 11 to 13 otherwise.
    private static func doubting(stored: [Int64] = [10, 11, 12]) throws -> (StateDriver, [RecordingAction]) {
        var driver = try recorded(stored: stored)
        let actions = try answerNext(&driver, at: requestTime, media(11, names: "b"))
        return (driver, actions)
    }

    private static func answerNext(
        _ driver: inout StateDriver, at time: Double, _ text: String,
    ) throws -> [RecordingAction] {
        let request = try #require(driver.playlistRequests(at: time).first)
        return try driver.answer(request, text, at: time)
    }

    private static func run(_ driver: StateDriver) -> Int64? {
        driver.state.progress.renditions[video(0)]?.run
    }

    @Test("A segment that cannot be read says nothing: the next playlist is judged once more")
    func keepInDoubt() throws {
        var (driver, actions) = try Self.doubting()
        let run = Self.run(driver)
        for failure in 0..<3 {
            let probe = try #require(actions.probes.first)
            #expect(probe.timeLimit == .seconds(6 - 0.5 * Double(failure)))
            driver.send(.probeFailed(probe), at: Self.requestTime + 0.5 * Double(failure))
            actions = driver.send(.clockAdvanced, at: Self.requestTime + 0.5 * Double(failure + 1))
        }
        #expect(actions.probes.isEmpty && actions.playlistRequests.isEmpty)
        #expect(Self.run(driver) == run)
        // It can be read with the next playlist, and is the one that was stored.
        let again = try Self.answerNext(&driver, at: Self.requestTime + 4.1, Self.media(11, names: "b"))
        let probe = try #require(again.probes.first)
        let number = UInt8(probe.segment.identity.number)
        let probed = ProbedSegment(digest: [number])
        #expect(driver.send(.segmentProbed(probed, probe), at: 17).segmentURIs == ["b13.ts"])
        #expect(Self.run(driver) == run)
    }

    @Test("A source that never lets it be read is recorded all the same, as another source run")
    func neverRead() throws {
        var (driver, actions) = try Self.doubting()
        let run = Self.run(driver)
        var probeCount = 0
        for time in stride(from: Self.requestTime, to: Self.requestTime + 8, by: 0.25) {
            for probe in actions.probes {
                probeCount += 1
                driver.send(.probeFailed(probe), at: time)
            }
            actions = driver.send(.clockAdvanced, at: time + 0.25)
            for request in actions.playlistRequests {
                actions += try driver.answer(request, Self.media(11, names: "b"), at: time + 0.25)
            }
        }
        #expect(probeCount == 6)
        #expect(Self.run(driver) != run)
    }

    @Test("No try takes longer than the playlist may be in doubt")
    func deadline() throws {
        var (driver, actions) = try Self.doubting()
        let probe = try #require(actions.probes.first)
        actions = driver.send(.probeFailed(probe), at: Self.requestTime + 6)
        #expect(driver.send(.clockAdvanced, at: Self.requestTime + 7).probes.isEmpty)
    }

    @Test(
        "Compared is a segment whose bytes are known",
        arguments: [([10, 11], 11), ([12], 12), ([10], 11)] as [([Int64], Int64)])
    func knownBytes(stored: [Int64], compared: Int64) throws {
        let (_, actions) = try Self.doubting(stored: stored)
        #expect(actions.probes.map(\.segment.identity.number) == [compared])
    }

    @Test(
        "Of numbers and names that begin again, the first segment is compared with the second one, if there is one",
        arguments: [(10, 1, 6), (9, 3, 3)])
    func beginsAgain(first: Int, count: Int, length: Int64) throws {
        var driver = try Self.recorded()
        let run = Self.run(driver)
        var actions = try Self.answerNext(&driver, at: 24, Self.media(first, names: "a", count: count))
        var reads = 0
        while let probe = actions.probes.first, reads < 10 {
            reads += 1
            // Each plays for half of what EXTINF says.
            let number = probe.segment.identity.number
            let probed = ProbedSegment(
                digest: [UInt8(number) + 100], firstTimestamp: number * 270_000, measuredDuration: 3_000_000)
            actions = driver.send(.segmentProbed(probed, probe), at: 24)
        }
        #expect(Self.run(driver) != run)
        let placed = actions.segmentRequests.map(\.segment.placed)
        #expect(placed.map(\.identity.number) == (first..<first + count).map(Int64.init))
        #expect(placed.allSatisfy { abs($0.duration - length * seconds) < 20_000 })
    }

    @Test(
        "A process that begins when a source has begun again and ended says that no recorder ran before that")
    func endedMeanwhile() throws {
        let known = (Int64(1000)...1002).map {
            KnownSegment(
                run: 7, number: $0, start: at(Double($0 - 1000) * 6), duration: 6 * seconds, isLost: false,
                digest: [UInt8($0 - 1000)])
        }
        let head = RenditionHead(
            description: RenditionDescription(id: video(0)), nextNumber: 3, known: known)
        var driver = try StateDriver([Self.source], heads: [head], begun: 100)
        let request = try #require(driver.begin(at: 100).playlistRequests.first)
        // 78 seconds behind the first one that is held.
        let text = Self.media(0, names: "a").replacing(
            "#EXTINF", with: "#EXT-X-PROGRAM-DATE-TIME:2023-11-14T22:14:38Z\n#EXTINF", maxReplacements: 1)
        var actions = try driver.answer(request, text + "#EXT-X-ENDLIST\n", at: 100)
        while let probe = actions.probes.first {
            actions = driver.send(.segmentProbed(ProbedSegment(digest: [99]), probe), at: 100)
        }
        let losses = actions.flatMap { action in
            guard case .journal(let entries) = action else { return [Loss]() }
            return entries.compactMap { if case .loss(let loss) = $0 { loss } else { nil } }
        }
        #expect(losses.map(\.reason) == [.recorderDown])
        #expect(losses.map(\.window) == [TimeWindow(begin: at(18), end: at(78))])
    }

    @Test("Names whose bytes cannot be compared are in doubt again when they change again")
    func uncomparedNames() {
        var follower = PlaylistFollower()
        follower.take(list(10...15, name: { "a\($0).ts" }), now: moment(0))
        let other = list(11...16, name: { "b\($0).ts" })
        #expect(follower.judge(other, now: moment(6)) == .undecided(index: 0))
        follower.assume(upTo: nil)
        #expect(follower.judge(other, now: moment(6)) == .new(from: 5, missing: 0))
        follower.take(other, now: moment(6))
        let another = list(12...17, name: { "c\($0).ts" })
        #expect(follower.judge(another, now: moment(12)) == .undecided(index: 0))
    }

    @Test(
        "Numbers too low for an old playlist are another numbering after two targets, others after three",
        arguments: [(2, 2), (390, 2), (410, 3)])
    func far(first: Int, targets: Int) {
        var follower = PlaylistFollower()
        follower.take(list(500...502), now: moment(0))
        let again = list(first...first + 2)
        #expect(follower.judge(again, now: moment(Double(targets) * 6 - 0.5)) == .stale)
        #expect(follower.judge(again, now: moment(Double(targets) * 6)) != .stale)
    }

    @Test("Dates without reason tell no date of a number that was passed over")
    func absurdDates() {
        var follower = PlaylistFollower()
        follower.take(list(10...11, date: { $0 == 10 ? -1_469_509_516 : 31_000_000_000 }), now: moment(0))
        #expect(follower.date(of: 313) == nil)
        follower = PlaylistFollower()
        follower.take(list(20...21, date: { Double($0) * 6 }), now: moment(0))
        #expect(follower.date(of: 23) == at(138))
    }

    @Test("After a start, names of a known number that change once more are compared once more")
    func namesAfterStart() {
        var follower = PlaylistFollower(resumingAfter: 1)
        let first = list(1...1, name: { "a\($0).ts" })
        #expect(follower.judge(first, now: moment(0)) == .undecided(index: 0))
        follower.confirm(by: first, now: moment(0))
        #expect(follower.judge(first, now: moment(0)) == .nothingNew)
        follower.take(first, now: moment(0))
        let other = list(1...1, name: { "b\($0).ts" })
        #expect(follower.judge(other, now: moment(8)) == .undecided(index: 0))
        // A source that renames its segments with each playlist is found out then.
        follower.confirm(by: other, now: moment(8))
        #expect(follower.judge(other, now: moment(8)) == .nothingNew)
        follower.take(other, now: moment(8))
        #expect(follower.judge(list(1...1, name: { "c\($0).ts" }), now: moment(16)) == .nothingNew)
    }
}
