import TestSupport
import Testing
import Timeline

@testable import Playback

/// A growing playlist never changes its existing lines, whatever a source with separate renditions delivers.
struct EventGrowthTests {
    @Test(
        "EVENT playlists of renditions with different segment lengths only append, and nothing follows their end",
        arguments: 0..<4)
    func unequalCuts(series: Int) async throws {
        for round in 0..<6 {
            let seed = UInt64(series * 1_000 + round)
            var generator = SeededGenerator(seed: seed)
            let recorded = UnequalCuts.recorded(&generator)
            let begin = Double.random(in: 0...30, using: &generator)
            let end = begin + Double.random(in: 5...120, using: &generator)
            try await follow(recorded, begin, end, "seed \(seed)")
        }
    }

    private func follow(_ recorded: RecordedFixture, _ begin: Double, _ end: Double, _ name: String)
        async throws
    {
        var said: [String: [UInt8]] = [:]
        let times = Array(stride(from: begin + 0.7, through: end + 75, by: 1.3)) + [10_000]
        for time in times {
            await Task.yield()
            let window = try recorded.published(until: time).event(begin, end)
            if window.isEnded {
                #expect(at(time) >= min(at(end), window.next ?? at(end)), "\(name) at \(time)")
            }
            for rendition in recorded.renditions {
                let id = "\(rendition.id)"
                let text = Array((window.text(of: id) ?? "").utf8)
                let before = said[id] ?? []
                let keeps = text.starts(with: before)
                #expect(keeps, "\(name): \(id) at \(time)")
                if before.suffix(Self.ending.count).elementsEqual(Self.ending) {
                    #expect(text.count == before.count, "\(name): \(id) at \(time)")
                }
                said[id] = text
            }
        }
        for text in said.values where !text.isEmpty {
            #expect(text.suffix(Self.ending.count).elementsEqual(Self.ending), "\(name)")
        }
    }

    private static let ending = Array("#EXT-X-ENDLIST\n".utf8)
}

/// Timelines of several renditions with different segment boundaries, some of which lose a track or change
/// their container for a while.
private enum UnequalCuts {
    private struct Phase {
        var begin: Double
        var end: Double
        var video: Int32
        var discontinuitySequence: Int32
    }

    static func recorded(_ generator: inout SeededGenerator) -> RecordedFixture {
        var recorded = RecordedFixture()
        recorded.formats = [
            1: .muxed, 2: .silent, 3: SegmentFormat(container: .transportStream),
            4: .fragmented("init-0000000000000001.mp4"),
            5: SegmentFormat(container: .aac, tracks: "audio:aac"),
        ]
        recorded.targetSeconds = 8
        let phases = phases(&generator)
        recorded.markers = RandomMarkers.markers(&generator)
        for id in ["v0", "a0", "v1"].prefix(Int.random(in: 2...3, using: &generator)) {
            recorded.add(segments(phases, hasVideo: id != "a0", &generator), as: id)
        }
        return recorded
    }

    private static func phases(_ generator: inout SeededGenerator) -> [Phase] {
        var begin = 0.0
        return (0..<Int32.random(in: 2...6, using: &generator)).map { discontinuitySequence in
            let length = Double.random(in: 2...40, using: &generator)
            let formats: [Int32] = [1, 1, 1, 1, 2, 2, 2, 3, 3, 4]
            let phase = Phase(
                begin: begin, end: begin + (Int.random(in: 0..<4, using: &generator) == 0 ? 65 : length),
                video: formats.randomElement(using: &generator) ?? 1,
                discontinuitySequence: discontinuitySequence)
            begin = phase.end
            if Bool.random(using: &generator) { begin += Double.random(in: 0...20, using: &generator) }
            return phase
        }
    }

    private static func segments(
        _ phases: [Phase], hasVideo: Bool, _ generator: inout SeededGenerator
    ) -> [RecordedSegment] {
        let duration = Int64.random(in: 1_900_000...8_000_000, using: &generator)
        var segments: [RecordedSegment] = []
        for phase in phases {
            var start = max(at(phase.begin), segments.last?.end ?? at(0))
            while start < at(phase.end) {
                segments.append(
                    RecordedSegment(
                        start: start, duration: duration, number: Int64(segments.count),
                        discontinuitySequence: phase.discontinuitySequence,
                        formatID: hasVideo ? phase.video : 5, storedBytes: 1_000, plainBytes: 1_000))
                start = start + duration
            }
        }
        return segments
    }
}
