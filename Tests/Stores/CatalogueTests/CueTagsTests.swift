import Postgres
import Testing
import Timeline

@testable import Catalogue

@Suite("Cue tags")
struct CueTagsTests {
    @Test("What renditions repeat is there once, what only one of them has as well")
    func repeats() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            func tagged(_ number: Int64, _ rendition: RenditionID, shift: Int64, _ tags: String...)
                -> DecidedSegment
            {
                var fact = recording.fact(number, of: rendition, at: number * 4 * second + shift)
                (fact.cueTags, fact.flags) = (tags, .hasCueTags)
                return .archived(fact)
            }
            _ = try await test.catalogue.commit(
                recording.batch([
                    tagged(1, video, shift: 0, "#EXT-X-CUE-OUT-CONT"),
                    tagged(1, secondVideo, shift: 20_000, "#EXT-X-CUE-OUT-CONT", "#EXT-X-ASSET:A=1"),
                    tagged(2, video, shift: 0, "#EXT-X-CUE-OUT-CONT"),
                    tagged(2, secondVideo, shift: -20_000, "#EXT-X-CUE-OUT-CONT"),
                    tagged(9, video, shift: 0, "#EXT-X-CUE-IN"), .archived(recording.fact(3)),
                ]))
            let report = try await test.catalogue.timeline(of: recording.channel, in: window(0, hour))
            // Without a published segment nothing of the channel lies before the live edge.
            #expect(report.cueTags.isEmpty)
            let found = try await test.catalogue.cueTags(of: recording.row, in: window(0, 36 * second)).tags
            #expect(found.map { $0.begin - midnight } == [4_000_000, 4_020_000, 7_980_000])
            #expect(
                found.map(\.tags) == [
                    ["#EXT-X-CUE-OUT-CONT"], ["#EXT-X-ASSET:A=1"], ["#EXT-X-CUE-OUT-CONT"],
                ])
        }
    }
    @Test("A report with more cue tags than it lists ends earlier, and the next one has the rest")
    func many() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            try await test.fill(recording, segments: 10_003)
            _ = try await test.pool.query(
                """
                UPDATE segment SET flags = flags | \(SegmentFlags.hasCueTags.rawValue),
                    cue_tags = '#EXT-X-CUE-OUT-CONT'
                """)
            let first = try await test.catalogue.timeline(of: recording.channel, in: window(0, 12 * hour))
            let end = midnight + 10_000 * 4 * second
            #expect(first.end == end && first.cueTags.count == 10_000)
            #expect(first.spans.map(\.window) == [TimeWindow(begin: midnight, end: end)])
            let rest = try await test.catalogue.timeline(
                of: recording.channel, in: TimeWindow(begin: end, end: midnight + 12 * hour))
            #expect(rest.end == nil)
            #expect(rest.cueTags.map { $0.begin - end } == [0, 4 * second, 8 * second])
        }
    }
}
