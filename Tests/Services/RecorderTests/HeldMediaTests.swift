import Testing
import Timeline

@testable import Recorder

@Suite("Media that are held")
struct HeldMediaTests {
    /// Segments of six seconds from a time on, with these timestamps in seconds.
    private func media(_ timestamps: [Double], from begin: Double = 0) -> HeldMedia {
        var media = HeldMedia()
        for (place, timestamp) in timestamps.enumerated() {
            var fact = PublisherStage.fact(video(0), Double(place) / 10)
            (fact.start, fact.duration) = (at(begin + Double(place) * 6), 6 * seconds)
            fact.firstTimestamp = Int64(timestamp * 90_000)
            fact.digest = [UInt8(place)]
            media.add(fact)
        }
        return media
    }

    private func probed(_ timestamp: Double?, digest: [UInt8] = [99]) -> ProbedSegment {
        ProbedSegment(digest: digest, firstTimestamp: timestamp.map { Int64($0 * 90_000) })
    }

    @Test("Equal bytes are the same segment, whatever the latency")
    func digests() {
        #expect(media([0, 6, 12]).start(of: probed(nil, digest: [1]), near: at(5000)) == at(6))
        #expect(media([0, 6, 12]).start(of: probed(nil), near: at(6)) == nil)
    }

    @Test("Of a slate that is sent over and over, the nearest one is meant")
    func slates() {
        var media = media([0, 6])
        for place in 2..<8 {
            var fact = PublisherStage.fact(video(0), Double(place) / 10)
            (fact.start, fact.duration, fact.digest) = (at(Double(place) * 6), 6 * seconds, [7])
            media.add(fact)
        }
        for (near, begin) in [(13.0, 12.0), (31, 30), (60, 42)] {
            #expect(media.start(of: probed(nil, digest: [7]), near: at(near)) == at(begin))
        }
    }

    @Test("Timestamps tell the place, also between segments, behind them and where they begin again")
    func timestamps() {
        let held = media([100, 106, 112])
        #expect(held.start(of: probed(109), near: at(30)) == at(9))
        #expect(held.start(of: probed(130), near: at(0)) == at(30))
        let end = Double(1 << 33) / 90_000
        let start = media([end - 6, 0, 6]).start(of: probed(end - 3), near: at(0))
        #expect(start.map { ($0 - at(3)).magnitude < 100 } == true)
    }

    @Test("Timestamps that lead elsewhere are another encoder's")
    func foreign() {
        #expect(media([100, 106, 112]).start(of: probed(5000), near: at(6)) == nil)
        #expect(media([100, 106, 112]).start(of: probed(300), near: at(6)) == nil)
    }

    @Test("What fits no other segment is held, but shows no place")
    func spliced() {
        var held = media([0, 6])
        var fact = PublisherStage.fact(video(0), 0.5)
        (fact.start, fact.firstTimestamp, fact.digest) = (at(30), 500 * 90_000, [7])
        held.addSpliced(fact)
        #expect(held.holds([7]) && held.holdsSpliced([7]) && !held.holdsSpliced([0]))
        #expect(held.start(of: probed(500, digest: [7]), near: at(30)) == nil)
        #expect(held.held(from: [7]) == nil)
    }

    @Test("Segments in a row are held from equal bytes on, up to a number that is not, or a hole")
    func held() {
        let held = media([0, 6, 12, 18])
        #expect(held.held(from: [1])?.count == 3)
        #expect(held.held(from: [1])?.end == at(24))
        #expect(held.held(from: [9]) == nil && held.held(from: []) == nil)
        var broken = media([0, 6])
        var fact = PublisherStage.fact(video(0), 0.2)
        (fact.start, fact.duration, fact.digest) = (at(40), 6 * seconds, [3])
        broken.add(fact)
        #expect(broken.held(from: [0])?.end == at(12))
    }

    @Test("Media that are held before a jump of the timestamps are found, those beside them are not")
    func jump() {
        let held = media([100, 106, 5000, 5006])
        #expect(held.start(of: probed(109), near: at(6)) == at(9))
        #expect(held.start(of: probed(99), near: at(6)) == nil)
        #expect(held.start(of: probed(112), near: at(6)) == nil)
        #expect(held.start(of: probed(5009), near: at(6)) == at(21))
        #expect(held.start(of: probed(109), near: at(200)) == nil)
    }

    @Test("Timestamps that began again are the media that hold them, next to the time that is expected")
    func again() {
        let held = media([50, 56, 62, 50, 56, 62])
        #expect(held.start(of: probed(56), near: at(9)) == at(6))
        #expect(held.start(of: probed(56), near: at(20)) == at(24))
        #expect(media([50, 56, 62, 0, 6]).start(of: probed(56), near: at(30)) == at(6))
    }

    @Test("What was stored out of order lies where its time is")
    func order() {
        var held = media([100])
        for (place, timestamp) in [(2, 5000), (1, 106)] {
            var fact = PublisherStage.fact(video(0), Double(place) / 10)
            (fact.start, fact.duration) = (at(Double(place) * 6), 6 * seconds)
            (fact.firstTimestamp, fact.digest) = (Int64(timestamp * 90_000), [UInt8(place)])
            held.add(fact)
        }
        #expect(held.start(of: probed(109), near: at(9)) == at(9))
        #expect(held.start(of: probed(5003), near: at(15)) == at(15))
    }

    @Test("Timestamps may go on by a tenth more than the timeline: the nearest segment tells the place")
    func stretched() {
        let held = media([100, 106.875, 113.75])
        #expect(held.start(of: probed(101), near: at(1)) == at(1))
        #expect(held.start(of: probed(107.875), near: at(7)) == at(7))
        #expect(media([100, 107.25, 114.5]).start(of: probed(106.5), near: at(4)) == at(4))
    }

    @Test("Neither the numbers of another source run nor bytes that are not known are held in a row")
    func foreignRows() {
        var held = media([0, 6])
        var fact = PublisherStage.fact(video(0), 0.2)
        fact.identity = SegmentIdentity(rendition: video(0), run: 2, number: 2)
        (fact.start, fact.duration) = (at(12), 6 * seconds)
        held.add(fact)
        #expect(held.held(from: [0])?.end == at(12))
        #expect(held.held(from: fact.digest) == nil && fact.digest.isEmpty)
    }
}
