import Catalogue
import HLS
import Testing
import Timeline

@testable import Recorder

/// EXTINF in whole seconds is off by up to half a second in each segment, and always the same way.
@Suite("Durations that never fit")
struct WrongDurationsTests {
    private static let target: Int64 = 10 * seconds

    /// Segments that take so many seconds and say ten, listed one by one; the last start, by its number.
    private func placed(_ real: Double, isDated: Bool, count: Int) -> [TimePlacing.Placement] {
        var placing = TimePlacing(choice: .auto)
        return (0..<count).flatMap { number in
            let start = 1000 + Double(number) * real
            let entry = TimePlacing.Entry(
                duration: Self.target, programDateTime: isDated ? at(start) : nil)
            return placing.place([entry], arrival: arrived(start + real), target: Self.target)
        }
    }

    @Test(
        "The time line stays by its clock, without a hole and without a segment that is far from its length",
        arguments: [9.5, 9.6, 10.4, 10.5], [true, false])
    func bounded(real: Double, isDated: Bool) {
        let count = 4_000
        let placements = placed(real, isDated: isDated, count: count)
        let last = PublisherStage.seconds(placements[count - 1].start)
        // Without dates the first start is reckoned back from arrival by what EXTINF says.
        #expect(abs(last - 1000 - Double(count - 1) * real) <= 20 + 1)
        #expect(placements.allSatisfy { !$0.stepped })
        #expect(placements.allSatisfy { (7_500_000...12_500_000).contains($0.duration) })
        let lately = placements.suffix(100).map { Double($0.duration) / 1_000_000 }
        #expect(abs(lately.reduce(0, +) / 100 - real) < 0.02)
    }

    @Test("Where the list has dates, durations are those that they show", arguments: [9.6, 10.4])
    func dated(real: Double) {
        var progress = RenditionProgress(RenditionDescription(id: video(0)), choice: .auto)
        progress.run = 7
        var segments: [ListedSegment] = []
        for number in 0..<200 {
            var list = list(number...(number + 4), date: { 1000 + Double($0) * real })
            list.targetDurationSeconds = 10
            for index in list.segments.indices { list.segments[index].durationMicroseconds = 10 * seconds }
            let arrival = 1000 + Double(number + 5) * real
            segments += progress.list(
                list, from: number == 0 ? 0 : 4, opensHole: number == 0, cause: nil, hole: .sourceStalled,
                arrival: Arrival(date: at(arrival), steady: moment(arrival)), shared: [:])
        }
        #expect(segments.count == 204)
        for (number, segment) in segments.enumerated() {
            #expect(abs(PublisherStage.seconds(segment.start) - 1000 - Double(number) * real) <= 0.11)
            #expect(abs(Double(segment.duration) / 1_000_000 - real) <= 0.02)
        }
    }

    @Test("Dates in whole seconds do not change durations that fit")
    func wholeSeconds() {
        var progress = RenditionProgress(RenditionDescription(id: video(0)), choice: .auto)
        progress.run = 7
        var list = list(0...9, date: { (1000 + Double($0) * 5.76).rounded(.down) })
        for index in list.segments.indices { list.segments[index].durationMicroseconds = 5_760_000 }
        let segments = progress.list(
            list, from: 0, opensHole: true, cause: nil, hole: .sourceStalled,
            arrival: Arrival(date: at(1057.6), steady: moment(1057.6)), shared: [:])
        #expect(segments.allSatisfy { abs($0.duration - 5_760_000) <= 10_000 })
    }

    @Test("A stall is still a hole where drift has come to its bound")
    func stall() {
        var placing = TimePlacing(choice: .auto)
        var stepped: [Int] = []
        for number in 0..<200 {
            let start = 1000 + Double(number) * 10.4 + (number < 150 ? 0 : 25)
            let entry = TimePlacing.Entry(duration: Self.target, programDateTime: at(start))
            let placed = placing.place([entry], arrival: arrived(start + 10.4), target: Self.target)
            if placed.contains(where: \.stepped) { stepped.append(number) }
        }
        #expect(stepped == [150])
    }
}
