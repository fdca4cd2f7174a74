import Testing
import Timeline

@testable import Catalogue

@Suite("The edges of windows, and what lies between them")
struct EdgeQuartersTests {
    private func quarter(_ begin: Int64) -> Quarter {
        Quarter(rendition: 1, containing: (midnight + begin).microseconds)
    }

    /// Two hours with a hole of an hour in their middle, from minute 31 to minute 91.
    private func record(_ test: TestCatalogue) async throws -> ChannelRecording {
        let recording = try await ChannelRecording(in: test)
        try await test.publish(0..<465, on: recording)
        try await test.publish(1365..<1800, on: recording)
        return recording
    }

    @Test(
        "The first and the last quarter that reach into a window",
        arguments: [
            (0, 7_200, 0, 6_300), (900, 1_800, 900, 900), (899, 1_801, 0, 1_800),
            (1_859, 5_461, 1_800, 5_400),
            (1_860, 5_460, nil, nil), (1_860, 5_461, 5_400, 5_400), (7_200, 9_000, nil, nil),
        ] as [(Int64, Int64, Int64?, Int64?)])
    func edges(begin: Int64, end: Int64, first: Int64?, last: Int64?) async throws {
        try await withCatalogue { test in
            _ = try await record(test)
            let found = try await test.catalogue.edgeQuarters(
                of: [1, 2], in: window(begin * second, end * second))
            var expected: [Int32: EdgeQuarters] = [:]
            if let first, let last {
                expected[1] = EdgeQuarters(first: quarter(first * second), last: quarter(last * second))
            }
            #expect(found == expected)
        }
    }

    @Test("The formats of a channel and of a window, once each")
    func kinds() async throws {
        try await withCatalogue { test in
            let recording = try await record(test)
            var silent = SegmentFormat.plain
            silent.tracks = "video:h264"
            var locked = SegmentFormat.plain
            (locked.keyMethod, locked.width) = ("AES-128", 640)
            let formats: [(Int64, SegmentFormat)] = [(1800, silent), (1801, locked)]
            let more = formats.map { number, format in
                DecidedSegment(
                    fact: recording.fact(number, format: format), number: number, discontinuitySequence: 0)
            }
            _ = try await test.catalogue.commit(recording.batch(more))
            let tracks = SegmentFormat.plain.tracks
            let kinds = [("video:h264", false), (tracks, false), (tracks, true)].map {
                FormatKind(
                    format: SegmentFormat(container: .transportStream, tracks: $0), lacksKey: $1)
            }
            func sorted(_ found: [FormatKind]?) -> [FormatKind]? {
                found?.sorted {
                    ($0.format.tracks.count, $0.lacksKey ? 1 : 0)
                        < ($1.format.tracks.count, $1.lacksKey ? 1 : 0)
                }
            }
            let catalogue = test.catalogue
            let all = try await catalogue.formatKinds(of: recording.row, usedAfter: midnight)
            #expect(sorted(all) == kinds)
            let late = try await catalogue.formatKinds(
                of: recording.row, usedAfter: midnight + 7_203 * second)
            #expect(sorted(late) == [kinds[0], kinds[2]])
            let before = try await catalogue.formatKinds(of: 1, in: window(0, 7_200 * second))
            #expect(before == [kinds[1]])
            let after = try await catalogue.formatKinds(of: 1, in: window(7_199 * second, 7_201 * second))
            #expect(sorted(after) == [kinds[0], kinds[1]])
        }
    }

    @Test(
        "Better bytes may have another format: that of their window is not told, and counts for the channel")
    func repaired() async throws {
        try await withCatalogue { test in
            let recording = try await record(test)
            var better = recording.fact(5)
            (better.replaces, better.revision) = (better.revision, 1)
            better.format.tracks = "video:h264"
            _ = try await test.catalogue.commit(recording.batch([.archived(better)]))
            let catalogue = test.catalogue
            let before = try await catalogue.formatKinds(of: 1, in: window(0, 20 * second))
            #expect(before?.count == 1)
            let around = try await catalogue.formatKinds(of: 1, in: window(0, 21 * second))
            #expect(around == nil)
            let all = try await catalogue.formatKinds(of: recording.row, usedAfter: midnight)
            #expect(all?.count == 2)
        }
    }
}
