import Catalogue
import Concurrency
import HLS
import HTTP
import TestSupport
import Testing
import Timeline

@testable import Playback

/// A playlist from an index is equal to one that is composed, bytes, tag and header fields alike.
struct ChannelBlockIndexTests {
    @Test("Random windows of a long timeline", arguments: 0..<6)
    func equivalence(series: Int) async throws {
        var generator = SeededGenerator(seed: UInt64(4_000 + series))
        let archive = QuarterArchive.random(&generator)
        // One that replaces an index of the same channel some hours ago.
        let former = ChannelBlockIndex(archive.head) { rendition in
            archive.blocks(rendition).filter { $0.key < at(12_000).microseconds }
        }
        if case .slices(let cut) = former.find(window(1_000, 10_000)) {
            _ = cut.mediaPlaylist(of: nil)?.pieces(isCompressed: false)
            _ = cut.multivariantPlaylist(query: nil, at: 0, archive.keyFrameRates)
        }
        let index = ChannelBlockIndex(archive.head, replacing: former) { archive.blocks($0) }
        var found = 0
        for round in 0..<80 {
            let begin = Double.random(in: -100...20_000, using: &generator)
            let lengths: [Double] = [1, 5, 60, 600, 900, 5_000, 15_000]
            let length = lengths.randomElement(using: &generator) ?? 60
            let name: Comment = "series \(series), round \(round)"
            let request = WindowRequest(.closed(begin: at(begin), end: at(begin + length)))
            guard
                let plan = try? WindowPlan.resolving(
                    request, publishedHead: archive.head.publishedHead, maxWindowSeconds: 86_400)
            else { continue }
            let contents = try archive.composed(plan)
            let choices: [RenditionID?] = [nil, contents.known.first, contents.known.last]
            let wanted = choices.randomElement(using: &generator) ?? nil
            guard case .slices(let cut) = index.find(plan.window),
                let text = cut.mediaPlaylist(of: wanted)
            else { continue }
            found += 1
            let id = text.rendition
            #expect(id == wanted ?? contents.leading?.id, name)
            // Composing measures the peaks that an index only adds up.
            let query = [nil, "q", "begintime=\(begin)&endtime=\(round)", "\u{7}\""].randomElement(
                using: &generator)
            let multivariant = contents.multivariantPlaylist(
                query: query ?? nil, keyFrameRates: archive.keyFrameRates(of: contents))
            for second: Int64 in 0..<2 {
                let own = cut.multivariantPlaylist(
                    query: query ?? nil, at: second, archive.keyFrameRates)
                #expect(
                    own.map { String(decoding: $0, as: UTF8.self) }
                        == String(decoding: multivariant, as: UTF8.self), name)
            }
            let facts = cut.leading?.facts(plan, true, targetSeconds: cut.targetSeconds)
            #expect(facts == contents.facts, name)
            let rendition = try #require(contents[id], name)
            let expected = try #require(try contents.mediaPlaylist(of: id), name)
            let playlist = try RenderedPlaylist(try #require(text.pieces(isCompressed: false), name))
            let plain = expected.body.flatMap(\.bytes)
            #expect(
                String(decoding: playlist.body.flatMap(\.bytes), as: UTF8.self)
                    == String(decoding: plain, as: UTF8.self), name)
            #expect(playlist.tag == expected.tag, name)
            _ = try expected.gzip()
            let compressed = try RenderedPlaylist(try #require(text.pieces(isCompressed: true), name))
            #expect(compressed.tag == expected.tag, name)
            #expect(try await gunzip(compressed.gzip().flatMap(\.bytes)) == plain, name)
            #expect(text.targetSeconds == contents.targetSeconds, name)
            #expect(text.cut.missing(in: plan.window) == rendition.missing(in: contents.window), name)
            #expect(contents.window == plan.window && contents.next == plan.next && contents.isFinal, name)
        }
        #expect(found >= 3, "series \(series)")
    }

    @Test("A compressed day is few pieces, with a hole and after a repair, too")
    func strips() async throws {
        var generator = SeededGenerator(seed: 77)
        var segments = run(2 * 21_600, from: 0, flags: .independent)
        for repaired in [false, true] {
            if repaired { segments[20_000].revision = 1 }
            let archive = QuarterArchive(renditions: [("v0", segments)])
            let index = ChannelBlockIndex(archive.head) { archive.blocks($0) }
            for round in 0..<12 {
                let begin = Double.random(in: 0...86_400, using: &generator)
                let name: Comment = "repaired \(repaired), round \(round)"
                guard case .slices(let cut) = index.find(window(begin, begin + 86_400)) else {
                    Issue.record(name)
                    continue
                }
                let text = try #require(cut.mediaPlaylist(of: nil), name)
                let request = WindowRequest(.closed(begin: cut.window.begin, end: cut.window.end))
                let plan = try WindowPlan.resolving(
                    request, publishedHead: archive.head.publishedHead, maxWindowSeconds: 90_000)
                let expected = try #require(
                    try archive.composed(plan).mediaPlaylist(of: text.rendition), name)
                // Nothing is compressed at first, which a server thread may not wait for.
                if round == 0 { #expect(text.pieces(isCompressed: true) == nil) }
                _ = try expected.gzip()
                for isCompressed in [false, true] {
                    let pieces = try #require(text.pieces(isCompressed: isCompressed), name)
                    #expect(pieces.count <= 24, name)
                    let playlist = try RenderedPlaylist(pieces)
                    let plain = playlist.body.flatMap(\.bytes)
                    #expect(plain == expected.body.flatMap(\.bytes), name)
                    #expect(playlist.tag == expected.tag, name)
                    guard isCompressed else { continue }
                    let gzip = try playlist.gzip()
                    #expect(try await gunzip(gzip.flatMap(\.bytes)) == plain, name)
                    #expect(gzip.count <= 36, name)
                }
            }
        }
    }

    @Test("A strip is made again when one of its blocks is another one")
    func renewedStrip() async throws {
        let segments = run(16 * 225, from: 0, flags: .independent)
        var renewed = segments
        renewed[7 * 225 + 3].revision = 1
        let archives = [segments, renewed].map { QuarterArchive(renditions: [("v0", $0)]) }
        var blocks = try archives.map { archive in
            let rendition = try #require(archive.head.renditions.first)
            return archive.blocks(rendition).values.sorted { $0.quarter.begin < $1.quarter.begin }
        }
        for index in blocks[1].indices where index != 7 { blocks[1][index] = blocks[0][index] }
        for list in blocks {
            let playlist = try RenderedPlaylist(
                list.filter { !$0.segments.isEmpty }.compactMap(\.text).map { .shared($0) })
            #expect(try await gunzip(playlist.gzip().flatMap(\.bytes)) == playlist.body.flatMap(\.bytes))
        }
    }

    @Test("After a commit only what has changed is made again, and the others keep their strips")
    func renewed() throws {
        let segments = run(16 * 225, from: 0, flags: .independent)
        let archive = QuarterArchive(renditions: [("v0", segments), ("v1", segments)])
        let (head, ids) = (archive.head, archive.head.renditions.map(\.description.id))
        let indexes = ChannelBlockIndexes()
        let former = ChannelBlockIndex(head) { archive.blocks($0) }
        _ = indexes.blockIndex(of: head, blockCount: 0) { former }
        // The last quarter of one rendition is another block, with another size.
        var changed = segments
        changed[changed.count - 1].storedBytes *= 9
        var newest = archive.blocks(head.renditions[0])
        let last = try #require(newest.filter { !$0.value.segments.isEmpty }.keys.max())
        newest[last] = QuarterArchive(renditions: [("v0", changed)]).blocks(head.renditions[0])[last]
        for block in newest.values { _ = try block.text?.lines() }
        let asked = window(0, Double(segments.count) * 4)
        typealias Answer = (cut: ChannelSlice, strips: [TextStrip], text: String)
        func answer(_ index: ChannelBlockIndex) throws -> Answer {
            let found: ChannelSlice? = if case .slices(let cut) = index.find(asked) { cut } else { nil }
            let cut = try #require(found)
            let pieces = try #require(cut.mediaPlaylist(of: ids[0])?.pieces(isCompressed: false))
            // A few peaks are measured at a time.
            var text: [UInt8]?
            for _ in 0..<segments.count / 225 where text == nil {
                text = cut.multivariantPlaylist(query: nil, at: 0, archive.keyFrameRates)
            }
            let strips = pieces.compactMap { if case .strip(let strip) = $0 { strip } else { nil } }
            return (cut, strips, String(decoding: try #require(text), as: UTF8.self))
        }
        let before = try answer(former)
        var next = head
        next.revision += 1
        indexes.renew(next, blockCount: 0) { known in
            ChannelBlockIndex(next, replacing: known) { $0.row == 1 ? newest : archive.blocks($0) }
        }
        let renewed = indexes.blockIndex(of: next, blockCount: 0) {
            Issue.record("made for a request")
            return former
        }
        // Requests that still have the former head use the new index.
        #expect(indexes.blockIndex(of: head, blockCount: 0) { former } === renewed)
        let after = try answer(renewed)
        #expect(before.cut[ids[1]]?.blockSpan === after.cut[ids[1]]?.blockSpan)
        #expect(before.cut[ids[0]]?.blockSpan !== after.cut[ids[0]]?.blockSpan)
        #expect(!before.strips.isEmpty && after.strips.first === before.strips.first)
        #expect(before.text != after.text)
        let whole = ChannelBlockIndex(next) { $0.row == 1 ? newest : archive.blocks($0) }
        #expect(try answer(whole).text == after.text)
    }

    @Test("A window is absent while one of its blocks, of any rendition, is not in memory")
    func absent() throws {
        let archive = QuarterArchive(renditions: [("v0", run(900, from: 0)), ("v1", run(900, from: 0))])
        let index = ChannelBlockIndex(archive.head) { rendition in
            archive.blocks(rendition).filter { rendition.row == 1 || $0.key < at(1_000).microseconds }
        }
        if case .slices = index.find(window(10, 60)) {} else { Issue.record() }
        if case .absent = index.find(window(2_000, 2_060)) {} else { Issue.record() }
    }

    @Test("An index does not keep blocks that the cache has dropped")
    func evicted() throws {
        let archive = QuarterArchive(renditions: [("v0", run(450, from: 0))])
        let head = archive.head
        let indexes = ChannelBlockIndexes()
        let rendition = try #require(head.renditions.first)
        var blocks = archive.blocks(rendition).values.sorted { $0.quarter.begin < $1.quarter.begin }
        let cache = BlockCache(capacity: blocks.reduce(0) { $0 + $1.byteCount }, clock: .system) {
            indexes.dropAll()
        }
        cache.replace([], with: blocks)
        var made = 0
        func see() -> ChannelBlockIndex {
            indexes.blockIndex(of: head, blockCount: cache.insertedCount) {
                made += 1
                return ChannelBlockIndex(head) { cache.held(of: $0.row) }
            }
        }
        _ = see()
        if case .slices = see().find(window(10, 60)) {} else { Issue.record("not in the index") }
        #expect(made == 1)
        // What it lacks is not in memory: it is made again only when more has come.
        indexes.drop(head.channel, blockCount: cache.insertedCount)
        _ = see()
        #expect(made == 1)
        indexes.drop(head.channel, blockCount: cache.insertedCount + 1)
        _ = see()
        #expect(made == 2)
        // Blocks of another rendition take their space.
        let others = QuarterArchive(renditions: [("v1", []), ("v2", run(450, from: 0))])
        let other = try #require(others.head.renditions.last)
        blocks = Array(others.blocks(other).values)
        cache.replace([], with: blocks)
        if case .absent = see().find(window(10, 60)) {} else { Issue.record("still in the index") }
        #expect(made == 3)
    }

    @Test("A multivariant playlist is composed until the rates of its key frames are known")
    func unknownKeyFrames() throws {
        var generator = SeededGenerator(seed: 78)
        let archive = QuarterArchive(
            renditions: [("v0", run(900, from: 0, flags: [.independent, .hasKeyFrames]))])
        let index = ChannelBlockIndex(archive.head) { archive.blocks($0) }
        guard case .slices(let cut) = index.find(window(10, 3_000)) else {
            Issue.record("not in the index")
            return
        }
        #expect(cut.multivariantPlaylist(query: nil, at: 0, archive.keyFrameRates) == nil)
        archive.measureKeyFrames(&generator)
        let text = try #require(cut.multivariantPlaylist(query: nil, at: 0, archive.keyFrameRates))
        #expect(String(decoding: text, as: UTF8.self).contains("EXT-X-I-FRAME-STREAM-INF"))
    }

    @Test("A use of blocks is noted once in a second, wherever windows lie")
    func uses() throws {
        var generator = SeededGenerator(seed: 79)
        let archive = QuarterArchive(renditions: [("v0", run(43_200, from: 0))])
        let rendition = try #require(archive.head.renditions.first)
        let index = RenditionBlockIndex(rendition, archive.blocks(rendition))
        let blocks = archive.blocks(rendition).values
        for second: Int64 in 0..<20 {
            let begin = Double.random(in: 0...100_000, using: &generator)
            let asked = window(begin, begin + Double.random(in: 60...70_000, using: &generator))
            guard case .segments(let cut) = index.find(asked) else {
                Issue.record("not in the index")
                continue
            }
            let wanted = Set(cut.slots.map(\.block.quarter))
            cut.noteUse(at: second)
            #expect(Set(blocks.filter { $0.takeTouch() }.map(\.quarter)) == wanted)
            cut.noteUse(at: second)
            #expect(!blocks.contains { $0.takeTouch() })
        }
    }

    @Test("Sums of ranges are the sums of their places")
    func sums() {
        struct Sum: RangeValue, Equatable {
            var places: Set<Int> = []
            mutating func add(_ other: Sum) { places.formUnion(other.places) }
        }
        var generator = SeededGenerator(seed: 80)
        for count in 1...40 {
            let full = RangeTree((0..<count).map { Sum(places: [$0]) })
            var lazy = RangeTree<Sum>(count: count)
            for _ in 0..<20 {
                let begin = Int.random(in: 0..<count, using: &generator)
                let range = begin..<Int.random(in: begin...count, using: &generator)
                let refused = Int.random(in: 0..<count, using: &generator)
                _ = lazy.prepare(range) { $0 == refused ? nil : Sum(places: [$0]) }
                var asked: [Int] = []
                let isReady = lazy.prepare(range) { place in
                    asked.append(place)
                    return Sum(places: [place])
                }
                // What was removed is made again, and nothing else is.
                let removed = Int.random(in: 0...count, using: &generator)
                lazy.removeValues(from: removed)
                var again: [Int] = []
                _ = lazy.prepare(range) { place in
                    again.append(place)
                    return Sum(places: [place])
                }
                #expect(again.sorted() == range.filter { $0 >= removed })
                #expect(isReady && asked.count == Set(asked).count)
                for tree in [full, lazy] {
                    var sum = Sum()
                    #expect(tree.add(range, to: &sum) && sum.places == Set(range))
                }
            }
        }
    }

    @Test("A hole, another format and a discontinuity are composed; beside them a window is a run again")
    func interrupted() throws {
        var segments = run(900, from: 0)
        segments.removeAll { $0.start >= at(1_000) && $0.start < at(1_100) }
        let archive = QuarterArchive(renditions: [("v0", segments)])
        let index = ChannelBlockIndex(archive.head) { archive.blocks($0) }
        if case .irregular = index.find(window(900, 1_200)) {} else { Issue.record() }
        if case .slices = index.find(window(2_800, 3_500)) {} else { Issue.record() }
    }

    @Test("Blocks that lie years apart take no more slots than they are, and windows in both are the same")
    func apart() throws {
        let years = 2 * 365 * 86_400.0
        let parts = [0, years].map { QuarterArchive(renditions: [("v0", run(900, from: $0))]) }
        let rendition = try #require(parts[0].head.renditions.first)
        let blocks = parts[0].blocks(rendition).merging(parts[1].blocks(rendition)) { first, _ in first }
        let index = RenditionBlockIndex(rendition, blocks)
        #expect(index.spans.reduce(0) { $0 + $1.slots.count } == blocks.count)
        #expect(index.spans.count == 2)
        for begin in [10, years + 1_010] {
            let asked = window(begin, begin + 2_000)
            guard case .segments(let cut) = index.find(asked) else {
                Issue.record("not in the index")
                continue
            }
            #expect(cut.first.start == at(begin - 2) && cut.last.end == at(begin + 2_002))
            #expect(cut.missing(in: asked) == 0)
        }
        for asked in [window(3_500, years + 10), window(100_000, 100_060), window(years - 5_000, years + 10)]
        {
            if case .absent = index.find(asked) {} else { Issue.record("\(asked)") }
        }
    }
}
