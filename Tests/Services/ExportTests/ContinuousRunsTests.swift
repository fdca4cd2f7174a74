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
}
