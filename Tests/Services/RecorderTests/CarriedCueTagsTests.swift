import Catalogue
import Journal
import Testing
import Timeline

@testable import Recorder

@Suite("Cue tags of a segment that does not come")
struct CarriedCueTagsTests {
    private static let media = """
        #EXTM3U
        #EXT-X-TARGETDURATION:6
        #EXTINF:6,
        0.ts
        #EXT-X-CUE-OUT:30
        #EXTINF:6,
        1.ts
        #EXT-X-CUE-OUT-CONT:6/30
        #EXT-X-VENDOR:1
        #EXTINF:6,
        2.ts
        #EXTINF:6,
        3.ts

        """

    /// Records four segments of which the second comes at a time, or never; the journal answers a time later.
    private func record(secondAt arrival: Double?, writing: Double = 0) throws -> [DecidedSegment] {
        var driver = try StateDriver([SourceSettings(url: "http://one.test/live.m3u8")])
        var segments: [DecidedSegment] = []
        var actions = driver.begin(at: 0)
        var second: SegmentRequest?
        for tick in 1...300 {
            let time = Double(tick) / 10
            var next: [RecordingAction] = []
            func store(_ request: SegmentRequest) {
                let stored = PartialSegmentTests.stored(request.segment, measured: nil, timestamp: nil)
                next += driver.send(.segmentStored(stored, request), at: time)
            }
            for action in actions {
                switch action {
                case .fetchPlaylist(let request) where time < 1:
                    next += try driver.answer(request, Self.media, at: time)
                case .fetchSegment(let request) where request.segment.identity.number != 1: store(request)
                case .fetchSegment(let request) where arrival == nil:
                    let failure = FetchFailure(.segmentExpired, "gone", isTransient: false)
                    next += driver.send(.segmentFailed(failure, request), at: time)
                case .fetchSegment(let request): second = request
                case .readJournal: next += driver.send(.journalRead(.success([])), at: time)
                case .commit(let batch):
                    segments += batch.segments
                    next += driver.send(.catalogueAnswered(.success(true)), at: time)
                default: break
                }
            }
            if let request = second, let arrival, time >= arrival {
                second = nil
                if writing > 0 { driver.holdJournal() }
                store(request)
            }
            if let arrival, writing > 0, time >= arrival + writing { next += driver.releaseJournal(at: time) }
            actions = next + driver.send(.clockAdvanced, at: time)
        }
        return segments.sorted { $0.fact.start < $1.fact.start }
    }

    private static let carried = [
        "#EXT-X-CUE-OUT:30", "#EXT-X-CUE-OUT-CONT:6/30", "#EXT-X-VENDOR:1",
    ]

    @Test("stand before the next one")
    func lost() throws {
        let segments = try record(secondAt: nil)
        #expect(segments.map(\.fact.identity.number) == [0, 2, 3])
        #expect(segments.map(\.fact.cueTags) == [[], Self.carried, []])
        try #require(segments.count == 3)
        #expect(segments[1].fact.flags.contains(.hasCueTags))
    }

    @Test("are not there twice when it comes after its turn")
    func late() throws {
        let segments = try record(secondAt: 20)
        #expect(segments.map(\.fact.identity.number) == [0, 1, 2, 3])
        #expect(segments.map { $0.number != nil } == [true, false, true, true])
        #expect(segments.map(\.fact.cueTags) == [[], [], Self.carried, []])
        try #require(segments.count == 4)
        #expect(!segments[1].fact.flags.contains(.hasCueTags))
    }

    @Test("are not there twice when its turn passes while the journal writes it")
    func writtenLate() throws {
        let segments = try record(secondAt: 3, writing: 17)
        #expect(segments.map(\.fact.identity.number) == [0, 1, 2, 3])
        #expect(segments.map { $0.number != nil } == [true, false, true, true])
        #expect(segments.map(\.fact.cueTags) == [[], [], Self.carried, []])
    }

    @Test("are bounded: the newest stay, and those of the segment itself")
    func many() throws {
        var carried = CarriedCueTags()
        for number in 0..<10_000 {
            let segment = PlacedSegment(
                identity: SegmentIdentity(rendition: audio, run: 1, number: Int64(number)),
                start: at(Double(number)), duration: seconds)
            carried.list(
                segment, ["#EXT-X-CUE-OUT:\(number)", "#EXT-X-VENDOR:" + String(repeating: "x", count: 200)])
            carried.giveUp(segment.identity)
        }
        #expect(carried.waitingCount == Limits.carriedTags)
        var fact = PublisherStage.fact(audio, 10_000)
        fact.cueTags = ["#EXT-X-CUE-IN"]
        var decisions = Publisher.Decisions()
        decisions.segments = [
            DecidedSegment(fact: fact, number: 0, discontinuitySequence: 0)
        ]
        carried.carry(into: &decisions)
        let tags = try #require(decisions.segments.first).fact.cueTags
        #expect(tags.last == "#EXT-X-CUE-IN" && tags.contains("#EXT-X-CUE-OUT:9999"))
        #expect(!tags.contains("#EXT-X-CUE-OUT:0") && tags.count < 2 * Limits.carriedTags)
    }

    @Test("stay with it when it comes in its turn")
    func inTime() throws {
        let segments = try record(secondAt: 3)
        #expect(segments.map(\.fact.cueTags) == [[], [Self.carried[0]], Array(Self.carried.dropFirst()), []])
    }
}
