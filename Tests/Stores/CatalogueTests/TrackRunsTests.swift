import Testing
import Timeline

@testable import Catalogue

@Suite("What is held but lacks a track")
struct TrackRunsTests {
    private static let tracks = ["b": "video:h264,audio:aac", "v": "video:h264", "a": "audio:aac", "u": ""]

    /// Runs by what they have and their seconds, such as `b100 v12`; `-5` is a hole.
    private static func runs(_ text: String) throws -> [TrackRun] {
        var (runs, time): ([TrackRun], Int64) = ([], 0)
        for word in text.split(separator: " ") {
            let length = try #require(Int64(word.dropFirst()))
            defer { time += length }
            guard let tracks = tracks[String(word.prefix(1))] else { continue }
            runs.append(
                TrackRun(
                    window: window(time * second, (time + length) * second),
                    format: SegmentFormat(container: .transportStream, tracks: tracks)))
        }
        return runs
    }

    @Test(
        "A run of less than a minute that lacks a track of those around it is left out; a longer one is not",
        arguments: [
            ("b100 v12 b100", [100]), ("b100 v59 b100", [100]), ("b100 v60 b100", []), ("b100 v72 b100", []),
            ("v12 b100", [0]), ("b100 v12", [100]), ("v12 b12", [0]), ("b4 v12 b4", [4]),
            ("b100 v12 b8 a12 b100", [100, 120]), ("v100 b100 v12 b9", [200]), ("v100", []), ("v8", []),
            ("b100 u12 b100", []), ("b100 v40 -5 v40 b100", [100, 145]), ("b100 v100 a12 b100", [200]),
        ] as [(String, [Int64])])
    func lacking(text: String, begins: [Int64]) throws {
        let found = try Self.runs(text).lackingTracks()
        #expect(found.map(\.begin) == begins.map { midnight + $0 * second })
    }

    @Test("The timeline tells it, also across quarters and at an edge of what is asked for; it is held")
    func timeline() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            try await test.catalogue.beginRecording(channel: recording.row, at: midnight)
            let silent: Set<Int64> = [896, 900, 904]
            let segments = try stride(from: 0 as Int64, to: 3_600, by: 4).map { start in
                DecidedSegment(
                    fact: SegmentFact(
                        channel: try slug("news"),
                        identity: SegmentIdentity(rendition: video, run: 1, number: start),
                        start: midnight + start * second, duration: 4 * second,
                        format: SegmentFormat(
                            container: .transportStream,
                            tracks: Self.tracks[silent.contains(start) ? "v" : "b"] ?? ""),
                        storedBytes: 1000, plainBytes: 1000, arrived: midnight, digest: [],
                        fence: recording.fence),
                    number: start, discontinuitySequence: 0)
            }
            _ = try await test.catalogue.commit(recording.batch(segments, watermark: 3_600 * second))
            let report = try await test.catalogue.timeline(of: recording.channel, in: window(0, hour))
            let gap = Gap(window: window(896 * second, 908 * second), reason: .trackMissing)
            #expect(report.gaps == [gap] && report.spans.count == 1)
            let part = try await test.catalogue.timeline(
                of: recording.channel, in: window(902 * second, 1_000 * second))
            #expect(part.gaps.map(\.window) == [window(902 * second, 908 * second)])
            let beside = try await test.catalogue.timeline(
                of: recording.channel, in: window(908 * second, 1_000 * second))
            #expect(beside.gaps.isEmpty)
        }
    }
}
