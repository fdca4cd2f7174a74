import TestSupport
import Testing
import Timeline

@testable import Export

@Suite("Segments whose times go on, in runs of any length")
struct ContinuousRunsTests {
    /// Segments of two seconds; some are missing, some begin another discontinuity sequence.
    private func segments(_ generator: inout SeededGenerator) -> [RecordedSegment] {
        var sequence: Int32 = 0
        return (0..<200).compactMap { number in
            if Int.random(in: 0..<20, using: &generator) == 0 { sequence += 1 }
            guard Int.random(in: 0..<15, using: &generator) > 0 else { return nil }
            return RecordedSegment(
                start: at(Double(number) * 2), duration: 2_000_000, number: Int64(number),
                discontinuitySequence: sequence, formatID: 1, storedBytes: 10, plainBytes: 10)
        }
    }

    @Test("However segments are cut into runs, the continuous ones are the same", arguments: 1...10)
    func cuts(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let segments = segments(&generator)
        var expected: [[RecordedSegment]] = []
        for segment in segments {
            let before = expected.last?.last
            let goesOn =
                before.map {
                    $0.end == segment.start && $0.discontinuitySequence == segment.discontinuitySequence
                }
                ?? false
            if goesOn { expected[expected.count - 1].append(segment) } else { expected.append([segment]) }
        }
        for length in [1, 7, 64, 1000] {
            var runs: [SegmentRun] = []
            for start in stride(from: 0, to: segments.count, by: length) {
                runs.append(
                    SegmentRun(
                        segments: segments[start..<min(start + length, segments.count)], plainBytes: 0,
                        formatIDs: [1], digest: []))
            }
            let found = ContinuousRuns(runs)
            #expect(found.all.map(\.first) == expected.compactMap(\.first))
            #expect(found.all.map(\.last) == expected.compactMap(\.last))
            var end: Int64 = 0
            for (run, own) in zip(found.all, expected) {
                #expect(run.begin == end && run.end - run.begin == Int64(own.count) * 2_000_000)
                end = run.end
            }
            for (index, own) in expected.enumerated() {
                for segment in own {
                    #expect(found.index(of: segment) == index)
                    #expect(found.index(beside: segment) == index)
                    #expect(found.indices(overlapping: segment) == [index])
                }
            }
        }
    }

    @Test("Segments of another rendition find the runs beside them", arguments: 1...10)
    func beside(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let segments = segments(&generator)
        let runs = ContinuousRuns([
            SegmentRun(segments: segments[...], plainBytes: 0, formatIDs: [1], digest: [])
        ])
        for _ in 0..<300 {
            let audio = RecordedSegment(
                start: at(Double.random(in: -10..<410, using: &generator)),
                duration: Int64.random(in: 1...9_000_000, using: &generator), number: 0,
                discontinuitySequence: 0, formatID: 2, storedBytes: 1, plainBytes: 1)
            let middle = audio.start + audio.duration / 2
            let beside = runs.all.firstIndex { $0.first.start <= middle && middle < $0.last.end }
            #expect(runs.index(beside: audio) == beside)
            let overlapping = runs.all.indices.filter { index in
                let (begin, end) = (runs.all[index].first.start, runs.all[index].last.end)
                let shared = min(audio.end, end) - max(audio.start, begin)
                return shared > min(Limits.audioOverlap, audio.duration / 2)
            }
            #expect(runs.indices(overlapping: audio) == overlapping)
        }
    }

    @Test("One of many runs is found without looking at all of them")
    func many() {
        // Each is a run of its own: a second is missing behind it.
        let segments = (0..<50_000).map { number in
            RecordedSegment(
                start: at(Double(number) * 3), duration: 2_000_000, number: Int64(number),
                discontinuitySequence: 0, formatID: 1, storedBytes: 10, plainBytes: 10)
        }
        let runs = ContinuousRuns([
            SegmentRun(segments: segments[...], plainBytes: 0, formatIDs: [1], digest: [])
        ])
        #expect(runs.all.count == segments.count)
        let began = ContinuousClock.now
        for (index, segment) in segments.enumerated() where index % 25 == 0 {
            guard runs.index(beside: segment) == index, runs.indices(overlapping: segment) == [index] else {
                Issue.record("\(index) is not found")
                return
            }
        }
        // Milliseconds; a minute with a look at each.
        #expect(ContinuousClock.now - began < .seconds(5))
    }
}
