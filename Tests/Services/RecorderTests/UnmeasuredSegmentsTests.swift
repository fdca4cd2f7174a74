import Catalogue
import HLS
import Testing
import Timeline

@testable import Recorder

/// Damaged and lost segments are not measured; those around them tell how long they play.
@Suite("Segments that nothing measures")
struct UnmeasuredSegmentsTests {
    /// Segments from number 0 that take six seconds of the timeline each.
    private func placed(_ count: Int64, without: Int64? = nil) -> UnmeasuredSegments {
        var segments = UnmeasuredSegments()
        for number in 0..<count { segments.add(number, length: number == without ? nil : 6 * seconds) }
        return segments
    }

    /// Measures a segment that plays for six seconds from so many on.
    private func measure(_ segments: inout UnmeasuredSegments, _ number: Int64, at begin: Int64) -> Int64 {
        segments.measured(number, timestamp: begin * 90_000, duration: 6 * seconds).others
    }

    @Test("play for as long as lies between those beside them, in whatever order these come")
    func between() {
        for order in [[0, 4], [4, 0]] as [[Int64]] {
            var segments = placed(5)
            let begins: [Int64: Int64] = [0: 100, 4: 127]
            let owed = order.map { measure(&segments, $0, at: begins[$0] ?? 0) }
            #expect(owed == [0, 3 * seconds])
        }
    }

    @Test("are settled once: those that come later add nothing")
    func late() {
        var segments = placed(5)
        _ = measure(&segments, 0, at: 100)
        let owed = measure(&segments, 3, at: 115)
        #expect(owed == -3 * seconds)
        let late = segments.measured(1, timestamp: 106 * 90_000, duration: 6 * seconds)
        #expect(late.isSettled && late.others == 0)
        let next = measure(&segments, 4, at: 121)
        #expect(next == 0)
    }

    @Test("say nothing where the media's clock jumps, a number is missing or the timeline begins again")
    func unknown() {
        var missing = UnmeasuredSegments()
        for number in [0, 1, 3] as [Int64] { missing.add(number, length: 6 * seconds) }
        let cases: [(UnmeasuredSegments, last: Int64, begin: Int64)] = [
            (placed(5), 4, 400), (placed(5, without: 2), 4, 127), (missing, 3, 120),
        ]
        for (placed, last, begin) in cases {
            var segments = placed
            let first = measure(&segments, 0, at: 100)
            let owed = measure(&segments, last, at: begin)
            #expect(first == 0 && owed == 0)
            let unknown = segments.measured(9, timestamp: 0, duration: seconds)
            #expect(!unknown.isSettled && unknown.others == 0)
        }
    }

    @Test("do not lead a timeline away that has neither dates nor EXTINF")
    func timeLine() {
        var progress = RenditionProgress(RenditionDescription(id: video(0)), choice: .auto)
        progress.run = 7
        var (begin, errors) = (1000.0, [Double]())
        for number in 0..<120 {
            // What was measured last is longer than what follows damaged.
            let isDamaged = (40..<60).contains(number)
            let real = isDamaged ? 5.0 : 6.0
            var list = list(number...number)
            list.targetDurationSeconds = 8
            list.segments[0].durationMicroseconds = 0
            let listed = progress.list(
                list, from: 0, opensHole: number == 0, cause: nil, hole: .sourceStalled,
                arrival: arrived(begin + real + 0.5), shared: [:])
            for segment in listed {
                errors.append(PublisherStage.seconds(segment.placed.start) - begin)
                _ = progress.judge(
                    segment,
                    PartialSegmentTests.stored(
                        segment, measured: isDamaged ? nil : Int64(real) * seconds, timestamp: begin,
                        flags: isDamaged ? .damaged : []))
            }
            begin += real
        }
        #expect(errors.count == 120)
        #expect((errors[40..<62].max() ?? 0) > 10)
        #expect(errors.suffix(40).allSatisfy { abs($0 - errors[39]) < 0.5 }, "\(errors.suffix(40))")
    }
}
