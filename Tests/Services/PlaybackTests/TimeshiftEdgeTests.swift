import Catalogue
import TestSupport
import Testing
import Timeline

@testable import Playback

struct TimeshiftEdgeTests {
    /// The edge that a playlist with segments of four seconds has, seconds.
    private func edge(_ recorded: RecordedFixture, at start: Double, until watermark: Double) -> Double {
        let end = min(start + 48, watermark)
        let listed = recorded.published(until: watermark).held().renditions.map { rendition in
            ListedRendition(
                description: rendition.description,
                segments: rendition.segments.overlapping(window(start - 48, max(start - 48, end))))
        }
        let edge = TimeshiftEdge.edge(startingAt: at(start), listed, upTo: at(end))
        return Double(edge - at(0)) / 1_000_000
    }

    @Test("What plays at the start decides: not what ended before or begins later")
    func playing() {
        var recorded = RecordedFixture(run(25, from: 0))
        recorded.add(run(100, from: 0), as: "v1")
        recorded.add(run(25, from: 300), as: "v2")
        for start in stride(from: 0.0, to: 380, by: 0.5) {
            let expected = (start / 4).rounded(.down) * 4 + 12
            #expect(edge(recorded, at: start, until: 500) == expected, "\(start)")
        }
    }

    @Test("A rendition does not reach over its own hole")
    func hole() {
        var recorded = RecordedFixture(run(3, from: 0) + run(20, from: 20))
        #expect(edge(recorded, at: 5, until: 100) == 12)
        // In the hole the second segment that comes is the last one.
        #expect(edge(recorded, at: 15, until: 100) == 28)
        recorded = RecordedFixture(run(3, from: 0) + run(1, from: 20) + run(20, from: 30))
        #expect(edge(recorded, at: 15, until: 100) == 24)
        #expect(edge(recorded, at: 21, until: 100) == 24)
    }

    @Test("Video decides where it plays, else audio; behind everything it is the last end")
    func kinds() {
        var recorded = RecordedFixture(run(10, from: 0))
        recorded.add(run(20, from: 0, of: 10), as: "a0")
        #expect(edge(recorded, at: 21, until: 300) == 32)
        #expect(edge(recorded, at: 61, until: 300) == 90)
        #expect(edge(recorded, at: 230, until: 300) == 200)
        #expect(edge(recorded, at: 400, until: 300) == 300)
    }

    @Test("The edge never moves back, whatever ends, begins or is missing")
    func neverBack() {
        for seed in 0..<200 {
            var random = SeededGenerator(seed: UInt64(seed))
            var recorded = RecordedFixture()
            for id in ["v0", "v1", "a0", "a1", "s0"] where Bool.random(using: &random) {
                recorded.add(timeline(&random), as: id)
            }
            let delay = Double.random(in: 0...80, using: &random)
            var last = -Double.infinity
            for start in stride(from: 0.0, through: 300, by: 0.5) {
                let edge = edge(recorded, at: start, until: start + delay)
                #expect(edge >= last, "seed \(seed) at \(start)")
                last = edge
            }
        }
    }

    /// Runs of segments of one length with holes between them, for up to five minutes.
    private func timeline(_ random: inout SeededGenerator) -> [RecordedSegment] {
        let durations: [Double] = [2, 4, 6, 10]
        let holes: [Double] = [0, 1, 5, 20, 70]
        let duration = durations.randomElement(using: &random) ?? 4
        var segments: [RecordedSegment] = []
        var begin = Double.random(in: 0...100, using: &random)
        while begin < 300 {
            let count = Int.random(in: 1...20, using: &random)
            segments += run(count, from: begin, of: duration)
            begin += Double(count) * duration + (holes.randomElement(using: &random) ?? 0)
        }
        return segments
    }
}
