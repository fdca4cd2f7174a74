import HLS
import HTTP
import Testing
import Timeline

@testable import Recorder

@Suite("Filling holes")
struct HoleFillerTests {
    private static let sources = ["one", "two"].map { SourceSettings(url: "http://\($0).test/v.m3u8") }

    private static func hole(_ begin: Double, _ end: Double, of id: RenditionID = video(0), since: Double = 0)
        -> Hole
    {
        Hole(
            rendition: id, window: TimeWindow(begin: at(begin), end: at(end)), source: sources[0].url,
            since: moment(since))
    }

    /// When sources are asked until a time, each answering at once.
    private static func looks(_ filler: inout HoleFiller, until end: Double) -> [Double] {
        var times: [Double] = []
        var time = 0.0
        while time < end {
            if filler.request(use: 9, current: nil, now: moment(time)) != nil {
                times.append(time)
                filler.receiveAnswer(now: moment(time))
            }
            time += 1
        }
        return times
    }

    private static func request(_ hole: Hole, _ part: TimeWindow) throws -> SegmentRequest {
        let entry = list(1...1).segments[0]
        let segment = ListedSegment(
            placed: PlacedSegment(
                identity: SegmentIdentity(rendition: hole.rendition, run: 1, number: 1), start: part.begin,
                duration: part.microseconds),
            entry: entry, arrival: at(0), flags: [], listedNumber: 1, discontinuityCount: 0,
            availableUntil: moment(30))
        var request = SegmentRequest(
            segment: segment, base: try HTTPURL(sources[1].url), use: SourceUse(number: 9, source: sources[1])
        )
        request.repair = Repair(hole: hole)
        return request
    }

    @Test("Other sources are asked at growing distances, for ten minutes")
    func pauses() {
        var filler = HoleFiller(Self.sources)
        #expect(filler.next == nil)
        filler.add(Self.hole(0, 6), now: moment(0))
        let expected: [Double] = [2, 6, 14, 30, 62, 122, 182, 242, 302, 362, 422, 482, 542]
        #expect(Self.looks(&filler, until: 2000) == expected)
        #expect(filler.holes.isEmpty && filler.next == nil)
    }

    @Test(
        "They are asked for as long as one of them is known to list, and six hours at most",
        arguments: [(100, 542.0), (1200, 7200), (100_000, 21_600)])
    func longLists(count: Int, last: Double) {
        var filler = HoleFiller(Self.sources)
        // What the source lists that has lost the media says nothing.
        filler.noteList(list(0...200_000), of: Self.sources[0])
        filler.noteList(list(0...count - 1), of: Self.sources[1])
        filler.add(Self.hole(0, 6), now: moment(0))
        let looks = Self.looks(&filler, until: 30_000)
        #expect((looks.last ?? 0) <= last && (looks.last ?? 0) > last - (last > 600 ? 600 : 60))
        // A look may read a whole segment.
        #expect(looks.count { $0 > 660 } <= 40)
        #expect(filler.holes.isEmpty && filler.next == nil)
    }

    @Test("A source whose media belong elsewhere is not asked for the hole again, and another one is")
    func excludedSources() throws {
        let third = SourceSettings(url: "http://three.test/v.m3u8")
        var filler = HoleFiller(Self.sources + [third])
        filler.add(Self.hole(0, 6), now: moment(0))
        let window = TimeWindow(begin: at(0), end: at(6))
        for sources in [[third, Self.sources[1]], [Self.sources[1]]] {
            let now = try #require(filler.next)
            let playlist = filler.request(use: 9, current: nil, now: now)
            let asked = try #require(playlist)
            #expect(sources.contains(asked.use.source))
            let hole = try #require(filler.fillable(of: video(0)).first)
            var request = try Self.request(hole, window)
            request.use = asked.use
            filler.fetch(request, for: window)
            filler.receiveAnswer(now: now)
            filler.ended()
            filler.reopen(request, excludesSource: true)
        }
        // No source is left that may have it.
        let next = try #require(filler.next)
        let request = filler.request(use: 9, current: nil, now: next)
        #expect(request == nil && filler.holes.isEmpty && filler.next == nil)
        // The next hole waits its time, too.
        filler.add(Self.hole(60, 66), now: moment(100))
        #expect(filler.next == moment(102))
    }

    @Test("A channel of one source has nowhere to look, and the source without the media is not asked")
    func others() {
        var alone = HoleFiller([Self.sources[0]])
        alone.add(Self.hole(0, 6), now: moment(0))
        #expect(alone.holes.isEmpty)
        var filler = HoleFiller(Self.sources)
        filler.add(Self.hole(0, 6), now: moment(0))
        let request = filler.request(use: 9, current: nil, now: moment(2))
        #expect(request?.use.source == Self.sources[1])
        let current = SourceUse(number: 4, source: Self.sources[1])
        filler.receiveAnswer(now: moment(2))
        let again = filler.request(use: 10, current: current, now: moment(20))
        #expect(again?.use == current)
    }

    @Test("Segments that are lost in a row are one hole, and holes are bounded")
    func merging() {
        var filler = HoleFiller(Self.sources)
        for place in 0..<3 { filler.add(Self.hole(Double(place) * 6, Double(place) * 6 + 6), now: moment(0)) }
        filler.add(Self.hole(0, 6, of: audio), now: moment(0))
        #expect(filler.holes.map { $0.window.microseconds / seconds } == [18, 6])
        for place in 0..<2000 {
            filler.add(Self.hole(Double(place) * 20 + 100, Double(place) * 20 + 106), now: moment(0))
        }
        #expect(filler.holes.count == Limits.holes)
    }

    @Test("What is fetched leaves the rest of a hole; what fails is a hole again; one is fetched at a time")
    func parts() throws {
        var filler = HoleFiller(Self.sources)
        filler.add(Self.hole(0, 18), now: moment(0))
        _ = filler.request(use: 9, current: nil, now: moment(2))
        for begin in [6.0, 12] {
            let window = TimeWindow(begin: at(begin), end: at(begin + 6))
            let hole = try #require(filler.fillable(of: video(0)).first { $0.part(of: window) != nil })
            filler.fetch(try Self.request(hole, window), for: window)
        }
        #expect(filler.holes.map(\.window) == [TimeWindow(begin: at(0), end: at(6))])
        let started = (0..<2).map { _ in filler.start(now: moment(2)) }
        let running = try #require(started[0])
        #expect(started[1] == nil)
        filler.ended()
        filler.reopen(running)
        #expect(filler.holes.map(\.window) == [TimeWindow(begin: at(0), end: at(12))])
        // The other one cannot be expected to be there any more.
        let expired = filler.start(now: moment(40))
        #expect(expired == nil)
        #expect(filler.holes.map(\.window) == [TimeWindow(begin: at(0), end: at(18))])
    }

    @Test("Media that are cut otherwise fill a hole where three quarters of them lie in it")
    func otherCuts() {
        let hole = Self.hole(10, 20)
        #expect(hole.part(of: TimeWindow(begin: at(9), end: at(13)))?.begin == at(10))
        #expect(hole.part(of: TimeWindow(begin: at(8), end: at(12))) == nil)
        #expect(hole.part(of: TimeWindow(begin: at(0), end: at(30))) == nil)
    }

    @Test("Nothing is kept twice where both sources bring a segment in the end")
    func once() {
        let lost = PublisherStage.lost(video(0), 12)
        let other = PlacedSegment(
            identity: SegmentIdentity(rendition: video(0), run: 0, number: 7), start: at(11),
            duration: 6 * seconds)
        var missingSegments = MissingSegments()
        let areNews = (0..<2).map { _ in missingSegments.beginSearch(lost) }
        #expect(areNews == [true, false])
        var late = missingSegments
        let settled = missingSegments.repaired(other)
        #expect(settled.map(\.identity) == [lost.identity])
        let cameToo = missingSegments.came(lost)
        #expect(cameToo)
        let cameTwice = late.came(lost)
        #expect(!cameTwice && late.isRecovered(other))
    }
}
