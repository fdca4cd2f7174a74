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
        "The timeline stays by its clock, without a hole and without a segment that is far from its length",
        arguments: [9.5, 9.6, 10.4, 10.5], [true, false])
    func bounded(real: Double, isDated: Bool) {
        let count = 4_000
        let placements = placed(real, isDated: isDated, count: count)
        let last = PublisherStage.seconds(placements[count - 1].start)
        // Without dates the first start is reckoned back from arrival by what EXTINF says.
        #expect(abs(last - 1000 - Double(count - 1) * real) <= 20 + 1)
        #expect(placements.allSatisfy { !$0.hasStep })
        #expect(placements.allSatisfy { (7_500_000...12_500_000).contains($0.duration) })
        let lately = placements.suffix(100).map { Double($0.duration) / 1_000_000 }
        #expect(abs(lately.reduce(0, +) / 100 - real) < 0.02)
    }

    @Test(
        "EXTINF that is wrong in changing ratios moves the timeline by less than two segments",
        arguments: [
            // A programme of which it says 10 for 6 seconds, with advertisements that are as long as said.
            (Self.content(10, 6, 200) + Self.content(6, 6, 20) + Self.content(10, 6, 200), 6.0),
            (Self.content(6, 6, 200) + Self.content(2, 6, 20) + Self.content(6, 6, 200), 6),
            // Whole seconds for 6.4, with one short segment before each break.
            ((0..<400).map { $0 % 80 == 79 ? (2, 2.1) : (6, 6.4) }, 6.4),
            // A source that is corrected in mid-run.
            (Self.content(10, 2, 200) + Self.content(2, 2, 200), 2),
            (Self.content(1, 6, 200) + Self.content(6, 6, 200), 6),
            (Self.content(0.01, 6, 200) + Self.content(6, 6, 200), 6),
            // One that is always off by the same ratio, with segments of many lengths.
            ((0..<400).map { ([9, 3, 12, 6][$0 % 4], [6, 2, 8, 4][$0 % 4]) }, 6),
        ] as [([(Double, Double)], Double)])
    func changing(segments: [(said: Double, real: Double)], length: Double) {
        var durations = MeasuredDurations()
        var (error, worst) = (0.0, 0.0)
        for (number, segment) in segments.enumerated() {
            let said = Int64(segment.said * 1_000_000)
            let expected = durations.duration(stated: said) ?? said
            let placed = expected + durations.takeShortfall(from: expected)
            durations.add(
                stated: said, expected: expected, measured: Int64(segment.real * 1_000_000), isCompared: true)
            // The first ones tell the ratio; a first playlist is placed once it is known.
            guard number >= 10 else { continue }
            error += Double(placed) / 1_000_000 - segment.real
            worst = max(worst, abs(error))
        }
        #expect(worst < 2 * length, "\(worst) s")
    }

    private static func content(_ said: Double, _ real: Double, _ count: Int) -> [(Double, Double)] {
        Array(repeating: (said, real), count: count)
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

    @Test(
        "Dates of a programme with wrong EXTINF do not scale the right one of its advertisements",
        arguments: [1.001, 0.01])
    func datedBreak(wrong: Double) {
        let said = (0..<60).map { $0 < 40 ? wrong : 6.006 }
        var progress = RenditionProgress(RenditionDescription(id: video(0)), choice: .auto)
        progress.run = 7
        for number in 0..<55 {
            var list = list(number...(number + 5), date: { 1000 + Double($0) * 6 })
            for index in list.segments.indices {
                list.segments[index].durationMicroseconds = Int64(said[number + index] * 1_000_000)
            }
            let arrival = 1000 + Double(number + 6) * 6
            let listed = progress.list(
                list, from: number == 0 ? 0 : 5, opensHole: number == 0, cause: nil, hole: .sourceStalled,
                arrival: Arrival(date: at(arrival), steady: moment(arrival)), shared: [:])
            for segment in listed {
                let place = 1000 + Double(segment.placed.identity.number) * 6
                #expect(abs(PublisherStage.seconds(segment.start) - place) <= 6)
                #expect((4_500_000...7_500_000).contains(segment.duration))
            }
        }
    }

    @Test("Dates of right advertisements do not vouch for the wrong EXTINF of the programme after them")
    func programmeAfterBreak() {
        var list = list(0...5, date: { 1000 + Double($0) * 6 })
        for index in list.segments.indices {
            list.segments[index].durationMicroseconds = index < 5 ? 6_006_000 : 1_001_000
        }
        let dated = DatedDurations(list)
        #expect(dated.duration(stated: 1_001_000, measured: 6_006_000) != 1_001_000)
        #expect(dated.duration(stated: 6_006_000, measured: 6_006_000) == 6_006_000)
    }

    @Test("A duration by dates is bounded, however small EXTINF is")
    func boundedByDates() {
        var list = list(0...53, date: { Double($0) * 600 })
        for index in list.segments.indices {
            list.segments[index].durationMicroseconds = index < 28 ? 1 : 600 * seconds
        }
        list.targetDurationSeconds = 600
        let dated = DatedDurations(list)
        for said in [1, 2, 600 * seconds] {
            #expect(dated.duration(stated: said).map { $0 <= Limits.longestSegment } ?? true)
            #expect(dated.duration(stated: said, measured: 600 * seconds).map { $0 > 0 } ?? true)
        }
    }

    @Test("Without EXTINF, two dated lengths count as their mean, and three as the middle one")
    func usualLength() {
        let begins = [0.0, 8, 20, 29]
        for (last, expected) in [(2, Int64(10)), (3, 9)] {
            var list = list(0...last, date: { begins[$0] })
            for index in list.segments.indices { list.segments[index].durationMicroseconds = 0 }
            #expect(DatedDurations(list).duration(stated: nil) == expected * seconds)
        }
    }

    @Test("Two dated lengths show that EXTINF is wrong if both are shorter, as by no hole, or about the same")
    func twiceWrong() {
        let cases = [
            ([0.0, 4, 8], Int64?(4 * seconds)), ([0, 2, 8], 4 * seconds), ([0, 24, 48], 24 * seconds),
            ([0, 20, 50], nil),
        ]
        for (begins, expected) in cases {
            var list = list(0...2, date: { 1000 + begins[$0] })
            for index in list.segments.indices { list.segments[index].durationMicroseconds = 8_020_000 }
            let duration = DatedDurations(list).duration(stated: 8_020_000)
            #expect(duration.map { ($0 + 5_000) / 10_000 } == expected.map { $0 / 10_000 })
        }
    }

    @Test("Where dates in whole seconds fit EXTINF and the media, the media count; many dates tell")
    func coarse() {
        for (count, expected) in [(3, 2 * seconds), (60, seconds)] {
            var list = list(0...(count - 1), date: { Double($0) })
            list.segments[2].programDateTimeMicroseconds? += count == 3 ? seconds : 0
            for index in list.segments.indices { list.segments[index].durationMicroseconds = seconds }
            let duration = DatedDurations(list).duration(stated: seconds, measured: 2 * seconds)
            #expect(duration == expected)
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
            if placed.contains(where: \.hasStep) { stepped.append(number) }
        }
        #expect(stepped == [150])
    }

    /// Follows a source without dates whose segments take `real` seconds and say `said`; each is stored and
    /// measured before the next is listed.
    ///
    /// - Returns: how far starts are off from the truth, seconds, without those of the first playlist
    private func errors(real: (Int) -> Double, said: (Double) -> Double, count: Int) -> [Double] {
        var progress = RenditionProgress(RenditionDescription(id: video(0)), choice: .auto)
        progress.run = 7
        var begins = [1000.0]
        for number in 0..<count + 5 { begins.append(begins[number] + real(number)) }
        var errors: [Double] = []
        for number in 0..<count {
            var list = list(number...(number + 2))
            list.targetDurationSeconds = 6
            for index in list.segments.indices {
                list.segments[index].durationMicroseconds = Int64(said(real(number + index)) * 1_000_000)
            }
            let segments = progress.list(
                list, from: number == 0 ? 0 : 2, opensHole: number == 0, cause: nil, hole: .sourceStalled,
                arrival: arrived(begins[number + 3] + 0.5), shared: [:])
            for segment in segments {
                let place = Int(segment.identity.number)
                progress.measured(segment, Int64(real(place) * 1_000_000))
                if number > 3 { errors.append(PublisherStage.seconds(segment.placed.start) - begins[place]) }
                #expect(segment.hole == nil)
            }
        }
        return errors
    }

    @Test(
        "Without dates the measured media keep the timeline within two target durations, whatever EXTINF says",
        arguments: [0.5, 0.75, 1, 1.25, 1.6, 2, 0])
    func measured(ratio: Double) {
        var random = SeededRandomNumberGenerator(seed: 3)
        let real = (0..<4_010).map { _ in Double.random(in: 4.5...6, using: &random) }
        let errors = errors(real: { real[$0] }, said: { $0 * ratio }, count: 4_000)
        #expect(errors.allSatisfy { abs($0) <= 12 })
        #expect(errors.suffix(3_000).allSatisfy { abs($0) <= 9 })
    }

    @Test(
        "EXTINF that is always the target duration, or rounded to seconds, does not lead the timeline away")
    func constant() {
        for said in [{ _ in 6.0 }, { $0.rounded() }] as [(Double) -> Double] {
            var random = SeededRandomNumberGenerator(seed: 4)
            let real = (0..<4_010).map { _ in Double.random(in: 3.5...6, using: &random) }
            let errors = errors(real: { real[$0] }, said: said, count: 4_000)
            #expect(errors.suffix(3_900).allSatisfy { abs($0) <= 9 })
        }
    }

    @Test("Without EXTINF, the mean of the last segments counts, and after a start that of those held")
    func unsaid() {
        var durations = MeasuredDurations()
        for measured in [4, 6, 8] as [Int64] {
            durations.add(stated: nil, expected: 0, measured: measured * seconds)
        }
        #expect(durations.duration(stated: nil) == 6 * seconds)
        var list = list(50...52)
        let held: [Int64: TimeWindow] = [
            10: TimeWindow(begin: at(100), end: at(104)), 11: TimeWindow(begin: at(104), end: at(109)),
        ]
        var said = MeasuredDurations()
        said.add(held, listedIn: list, before: 0)
        #expect(said.duration(stated: nil) == nil)
        for index in list.segments.indices { list.segments[index].durationMicroseconds = 0 }
        var resumed = MeasuredDurations()
        resumed.add(held, listedIn: list, before: 0)
        #expect(resumed.duration(stated: nil) == 4_500_000)
    }

    @Test("Media whose timestamps jump do not move the timeline")
    func jumpingMedia() {
        var durations = MeasuredDurations()
        for _ in 0..<5 { durations.add(stated: 6_000_000, expected: 6_000_000, measured: 6_000_000) }
        durations.add(stated: 6_000_000, expected: 6_000_000, measured: 95_000_000_000)
        durations.add(stated: 6_000_000, expected: 6_000_000, measured: 0)
        #expect(durations.duration(stated: 6_000_000) == 6_000_000)
        #expect(durations.takeShortfall(from: 6_000_000) == 0)
    }

    @Test("Fewer than three segments prove no ratio; a shortfall is made up in parts of a quarter")
    func bounds() {
        var durations = MeasuredDurations()
        #expect(durations.duration(stated: nil) == nil)
        durations.add(stated: 4_000_000, expected: 4_000_000, measured: 6_000_000)
        durations.add(stated: 4_000_000, expected: 4_000_000, measured: 6_000_000)
        #expect(durations.duration(stated: 4_000_000) == 4_000_000)
        #expect(durations.duration(stated: nil) == 6_000_000)
        let paid = (0..<6).map { _ in durations.takeShortfall(from: 4_000_000) }
        #expect(paid == [1_000_000, 1_000_000, 1_000_000, 1_000_000, 0, 0])
        durations.add(stated: 4_000_000, expected: 0, measured: 6_000_000)
        #expect(durations.duration(stated: 4_000_000) == 6_000_000)
    }
}
