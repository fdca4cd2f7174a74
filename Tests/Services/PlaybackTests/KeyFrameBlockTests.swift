import Catalogue
import Concurrency
import HTTP
import TestSupport
import Testing
import Timeline

@testable import Playback

/// I-frame playlists share the lines of blocks, and say what they say segment by segment.
struct KeyFrameBlockTests {
    @Test("Random windows of any timeline, with any key frames", arguments: 0..<8)
    func equivalence(series: Int) async throws {
        var sharing = 0
        for round in 0..<40 {
            await Task.yield()
            let seed = UInt64(70_000 + series * 1_000 + round)
            var generator = SeededGenerator(seed: seed)
            let recorded = Self.recorded(&generator)
            let found = Self.found(in: recorded, &generator)
            let begin = Double.random(in: -20...300, using: &generator)
            let end = begin + Double.random(in: 1...900, using: &generator)
            let gaps = Bool.random(using: &generator)
            let compose: (((Int) -> Bool)?) throws -> PlaylistContents = { cut in
                try recorded.composed(.closed(begin: at(begin), end: at(end)), cutting: cut) {
                    $0.writesGaps = gaps
                }
            }
            guard let whole = try? compose(nil), !whole.renditions.isEmpty else { continue }
            // A block without formats has no shared lines.
            let expected = try whole.keyFrameText(found)
            for length in [1, 3, Int.random(in: 2...40, using: &generator)] {
                let offset = Int.random(in: 0..<length, using: &generator)
                let contents = try compose { ($0 + offset) % length == 0 }
                let name: Comment = "seed \(seed), blocks of \(length)"
                let playlist = try contents.keyFramePlaylist(found)
                let plain = playlist?.body.flatMap(\.bytes)
                #expect(
                    plain.map { String(decoding: $0, as: UTF8.self) }
                        == expected.map { String(decoding: $0, as: UTF8.self) }, name)
                if let playlist {
                    #expect(try await gunzip(playlist.gzip().flatMap(\.bytes)) == plain, name)
                }
                #expect(try contents.keyFramePlaylist(found)?.tag == playlist?.tag, name)
                if let playlist, playlist.pieces.count > 1 { sharing += 1 }
            }
        }
        #expect(sharing >= 20, "series \(series)")
    }

    @Test("Most of a long playlist is shared between requests, and so is its compressed form")
    func sharing() throws {
        let segments = run(2_000, from: 0, flags: .hasKeyFrames)
        let found = segments.map { segment in
            SegmentKeyFrames(
                start: segment.start, revision: 0,
                keyFrames: KeyFrames(
                    tableByteCount: 376,
                    frames: [0, 2000].map { KeyFrame(offset: 376 + $0, byteCount: 940, milliseconds: $0) }))
        }
        let recorded = RecordedFixture(segments)
        let held = recorded.held { $0 % 225 == 224 }
        let lists = try [(100.0, 7_900.0), (400.0, 7_500.0)].map { begin, end in
            let request = WindowRequest(.closed(begin: at(begin), end: at(end)))
            let plan = try WindowPlan.resolving(
                request, publishedHead: recorded.publishedHead, maxWindowSeconds: 86_400)
            return try #require(
                try PlaylistComposer.compose(held, plan: plan).keyFramePlaylist(found))
        }
        let shared = lists[0].pieces.filter { piece in lists[1].pieces.contains { $0 === piece } }
        #expect(shared.count == 7)
        #expect(lists[0].pieces.count == 9 && lists[0].tag != lists[1].tag)
        let compressed = try lists.map { try $0.gzip() }
        #expect(compressed[0].contains { piece in compressed[1].contains { $0 === piece } })
    }

    @Test("Memory that a block's key frames take counts, until the block is dropped")
    func memory() throws {
        let segments = run(225, from: 0, flags: .hasKeyFrames)
        let archive = QuarterArchive(renditions: [("v0", segments)])
        let rendition = try #require(archive.head.renditions.first)
        let blocks = archive.blocks(rendition).values.filter { !$0.segments.isEmpty }
        let block = try #require(blocks.first)
        let others = QuarterArchive(renditions: [("v1", []), ("v2", run(225, from: 0))])
        let last = try #require(others.head.renditions.last)
        let other = try #require(others.blocks(last).values.first { !$0.segments.isEmpty })
        let made = BlockKeyFrames(QuarterKeyFrames(), of: block, rendition: rendition.description.id)
        #expect(made.text == nil && made.byteCount > 0)
        var isEvicted = false
        let cache = BlockCache(capacity: block.byteCount + other.byteCount + 1000, clock: .system) {}
        cache.replace([], with: [block, other])
        cache.add([(500, block)])
        #expect(cache.held(of: 1).count == 1 && cache.held(of: 2).count == 1)
        // A block that is another one by now counts for nothing.
        let former = Block(
            QuarterRecord(quarter: block.quarter, version: nil, segments: segments), formats: [:],
            rendition: rendition.description.id)
        cache.add([(10_000, former)])
        isEvicted = cache.held(of: 1).isEmpty || cache.held(of: 2).isEmpty
        #expect(!isEvicted)
        cache.add([(600, block)])
        isEvicted = cache.held(of: 1).isEmpty || cache.held(of: 2).isEmpty
        #expect(isEvicted)
    }

    /// A timeline some of whose segments have key frames.
    private static func recorded(_ generator: inout SeededGenerator) -> RecordedFixture {
        var recorded = RandomTimeline.recorded(&generator)
        recorded.markers = []
        let isDense = Bool.random(using: &generator)
        for index in recorded.renditions.indices {
            for row in recorded.renditions[index].segments.indices
            where isDense || Int.random(in: 0..<20, using: &generator) > 0 {
                recorded.renditions[index].segments[row].flags.insert(.hasKeyFrames)
            }
        }
        return recorded
    }

    /// Key frames of the first rendition: most lie as an encoder places them, some anywhere, some are of
    /// other bytes.
    private static func found(
        in recorded: RecordedFixture, _ generator: inout SeededGenerator
    ) -> [SegmentKeyFrames] {
        let strange = [0, 0, 30, 300].randomElement(using: &generator) ?? 0
        let tables = [0, 376, 376, 376].randomElement(using: &generator) ?? 0
        let usual = [[0], [0, 2000], [0, 1000, 2000, 3000], [40]].randomElement(using: &generator) ?? [0]
        return (recorded.renditions.first?.segments ?? []).map { segment in
            var times = usual.filter { Int64($0) * 1000 < segment.duration }
            var entry = SegmentKeyFrames(
                start: segment.start, revision: segment.revision, keyFrames: KeyFrames(frames: []))
            if Int.random(in: 0..<1000, using: &generator) < strange {
                times = (0..<Int.random(in: 0...3, using: &generator)).map { _ in
                    Int.random(in: 0...6000, using: &generator)
                }.sorted()
                entry.revision = [entry.revision, 9].randomElement(using: &generator) ?? 9
            }
            entry.keyFrames = KeyFrames(
                tableByteCount: tables,
                frames: times.map {
                    KeyFrame(
                        offset: 376 + 1880 * $0, byteCount: Int.random(in: 188...940, using: &generator),
                        milliseconds: $0)
                })
            return entry
        }
    }
}
