import Catalogue
import Concurrency
import HLS
import HTTP
import TestSupport
import Testing
import Timeline

@testable import Playback

/// A playlist from a picture is equal to one that is composed, bytes, tag and header fields alike.
struct ChannelPictureTests {
    @Test("Random windows of a long timeline", arguments: 0..<6)
    func equivalence(series: Int) throws {
        var generator = SeededGenerator(seed: UInt64(4_000 + series))
        let archive = QuarterArchive.random(&generator)
        let picture = ChannelPicture(archive.head) { archive.blocks($0) }
        var found = 0
        for round in 0..<80 {
            let begin = Double.random(in: -100...20_000, using: &generator)
            let lengths: [Double] = [60, 600, 900, 5_000, 15_000]
            let length = lengths.randomElement(using: &generator) ?? 60
            let name: Comment = "series \(series), round \(round)"
            let request = WindowRequest(.closed(begin: at(begin), end: at(begin + length)))
            guard
                let plan = try? WindowPlan.resolving(
                    request, publishedHead: archive.head.publishedHead, maxWindowSeconds: 86_400)
            else { continue }
            let contents = archive.composed(request, plan)
            let choices: [RenditionID?] = [nil, contents.known.first, contents.known.last]
            let wanted = choices.randomElement(using: &generator) ?? nil
            guard case .cuts(let cut) = picture.find(plan.window),
                let text = cut.mediaPlaylist(of: wanted)
            else { continue }
            found += 1
            let id = text.rendition
            #expect(id == wanted ?? contents.leading?.id, name)
            // Composing measures the peaks that a picture only adds up.
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
            #expect(facts == contents.facts(of: contents.leading), name)
            let rendition = try #require(contents[id], name)
            let expected = try #require(try contents.mediaPlaylist(of: id), name)
            let playlist = try RenderedPlaylist(try #require(text.pieces(), name))
            let plain = expected.body.flatMap(\.bytes)
            #expect(
                String(decoding: playlist.body.flatMap(\.bytes), as: UTF8.self)
                    == String(decoding: plain, as: UTF8.self), name)
            #expect(playlist.tag == expected.tag, name)
            #expect(try gunzip(playlist.gzip().flatMap(\.bytes)) == plain, name)
            #expect(text.targetSeconds == contents.targetSeconds, name)
            #expect(text.cut.missing(in: plan.window) == rendition.missing(in: contents.window), name)
            #expect(contents.window == plan.window && contents.next == plan.next && contents.isFinal, name)
        }
        #expect(found >= 3, "series \(series)")
    }

    @Test("A compressed day is few pieces, with a hole and after a repair, too")
    func strips() throws {
        var generator = SeededGenerator(seed: 77)
        var segments = run(2 * 21_600, from: 0, flags: .independent)
        for repaired in [false, true] {
            if repaired { segments[20_000].revision = 1 }
            let archive = QuarterArchive(renditions: [("v0", segments)])
            let picture = ChannelPicture(archive.head) { archive.blocks($0) }
            for round in 0..<12 {
                let begin = Double.random(in: 0...86_400, using: &generator)
                let name: Comment = "repaired \(repaired), round \(round)"
                guard case .cuts(let cut) = picture.find(window(begin, begin + 86_400)) else {
                    Issue.record(name)
                    continue
                }
                let pieces = try #require(cut.mediaPlaylist(of: nil)?.pieces(), name)
                let playlist = try RenderedPlaylist(pieces)
                let gzip = try playlist.gzip()
                #expect(try gunzip(gzip.flatMap(\.bytes)) == playlist.body.flatMap(\.bytes), name)
                #expect(gzip.count <= 20, name)
            }
        }
    }

    @Test("A strip is made again when one of its blocks is another one")
    func renewedStrip() throws {
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
            #expect(try gunzip(playlist.gzip().flatMap(\.bytes)) == playlist.body.flatMap(\.bytes))
        }
    }

    @Test("A window is absent while one of its blocks, of any rendition, is not in memory")
    func absent() throws {
        let archive = QuarterArchive(renditions: [("v0", run(900, from: 0)), ("v1", run(900, from: 0))])
        let picture = ChannelPicture(archive.head) { rendition in
            archive.blocks(rendition).filter { rendition.row == 1 || $0.key < at(1_000).microseconds }
        }
        if case .cuts = picture.find(window(10, 60)) {} else { Issue.record() }
        if case .absent = picture.find(window(2_000, 2_060)) {} else { Issue.record() }
    }

    @Test("A picture does not keep blocks that the cache has dropped")
    func evicted() throws {
        let archive = QuarterArchive(renditions: [("v0", run(450, from: 0))])
        let head = archive.head
        let pictures = ChannelPictures()
        let rendition = try #require(head.renditions.first)
        var blocks = archive.blocks(rendition).values.sorted { $0.quarter.begin < $1.quarter.begin }
        let cache = BlockCache(capacity: blocks.reduce(0) { $0 + $1.byteCount }, clock: .system) {
            pictures.dropAll()
        }
        cache.replace([], with: blocks)
        var made = 0
        func see() -> ChannelPicture {
            pictures.picture(of: head) {
                made += 1
                return ChannelPicture(head) { cache.held(of: $0.row) }
            }
        }
        _ = see()
        if case .cuts = see().find(window(10, 60)) {} else { Issue.record("not in the picture") }
        #expect(made == 1)
        // Blocks of another rendition take their space.
        let others = QuarterArchive(renditions: [("v1", []), ("v2", run(450, from: 0))])
        let other = try #require(others.head.renditions.last)
        blocks = Array(others.blocks(other).values)
        cache.replace([], with: blocks)
        if case .absent = see().find(window(10, 60)) {} else { Issue.record("still in the picture") }
        #expect(made == 2)
    }

    @Test("A multivariant playlist is composed until the rates of its key frames are known")
    func unknownKeyFrames() throws {
        var generator = SeededGenerator(seed: 78)
        let archive = QuarterArchive(
            renditions: [("v0", run(900, from: 0, flags: [.independent, .hasKeyFrames]))])
        let picture = ChannelPicture(archive.head) { archive.blocks($0) }
        guard case .cuts(let cut) = picture.find(window(10, 3_000)) else {
            Issue.record("not in the picture")
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
        let picture = RenditionPicture(rendition, archive.blocks(rendition))
        let blocks = archive.blocks(rendition).values
        for second: Int64 in 0..<20 {
            let begin = Double.random(in: 0...100_000, using: &generator)
            let asked = window(begin, begin + Double.random(in: 60...70_000, using: &generator))
            guard case .segments(let cut) = picture.find(asked) else {
                Issue.record("not in the picture")
                continue
            }
            let wanted = Set(cut.slots.compactMap(\.block?.quarter))
            picture.uses.note(cut.slots, at: second)
            #expect(Set(blocks.filter { $0.takeTouch() }.map(\.quarter)) == wanted)
            picture.uses.note(cut.slots, at: second)
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
        let picture = ChannelPicture(archive.head) { archive.blocks($0) }
        if case .irregular = picture.find(window(900, 1_200)) {} else { Issue.record() }
        if case .cuts = picture.find(window(2_800, 3_500)) {} else { Issue.record() }
    }
}

/// An archive in aligned quarters of an hour, as the index holds it.
struct QuarterArchive {
    private struct Rendition {
        var description: RenditionDescription
        var blocks: [Int64: Block]
    }

    private var renditions: [Rendition] = []
    private let formats: [Int32: SegmentFormat] = [
        1: .muxed, 2: .silent, 3: .encrypted("k1"), 5: .fragmented("init-1.mp4"),
    ]
    private let watermark: Instant
    let keyFrameRates = KeyFrameRates()

    init(
        renditions: [(String, [RecordedSegment])],
        describe: (inout RenditionDescription) -> Void = { _ in }
    ) {
        watermark = renditions.compactMap(\.1.last?.end).max() ?? at(0)
        for (index, (name, segments)) in renditions.enumerated() {
            guard let id = RenditionID(name) else { continue }
            var description = RenditionDescription(id: id)
            describe(&description)
            self.renditions.append(
                Rendition(description: description, blocks: blocks(of: id, row: index + 1, segments)))
        }
    }

    private func blocks(of id: RenditionID, row: Int, _ segments: [RecordedSegment]) -> [Int64: Block] {
        guard let first = segments.first else { return [:] }
        var blocks: [Int64: Block] = [:]
        let begin = Quarter(rendition: Int32(row), containing: first.start.microseconds).begin
        for start in stride(
            from: begin, to: watermark.microseconds + Quarter.microseconds, by: Int(Quarter.microseconds))
        {
            let own = segments.filter {
                $0.start.microseconds >= start && $0.start.microseconds < start + Quarter.microseconds
            }
            blocks[start] = Block(
                QuarterRecord(
                    quarter: Quarter(rendition: Int32(row), containing: start), version: nil, segments: own),
                formats: formats, rendition: id)
        }
        return blocks
    }

    var head: ChannelHead {
        ChannelHead(
            channel: 1,
            publishedHead: PublishedHead(
                discontinuitySequence: 0, end: watermark, watermark: watermark,
                expiredBefore: Instant(microseconds: 0), targetSeconds: 4),
            revision: 1,
            renditions: renditions.enumerated().map { index, rendition in
                KnownRendition(
                    row: Int32(index + 1), description: rendition.description,
                    firstQuarter: rendition.blocks.keys.min())
            })
    }

    func blocks(_ rendition: KnownRendition) -> [Int64: Block] {
        renditions[Int(rendition.row) - 1].blocks
    }

    /// What the composer makes of a window.
    func composed(_ request: WindowRequest, _ plan: WindowPlan) -> PlaylistContents {
        let wide = TimeWindow(
            begin: plan.window.begin - Limits.trackMissing, end: plan.window.end + Limits.trackMissing)
        let selection = BlockSelection(window: wide, scope: .archive, watermark: watermark)
        let listed = head.renditions.map { rendition in
            let held = blocks(rendition)
            let quarters = selection.range(of: rendition)?.quarters ?? []
            return ListedRendition(
                description: rendition.description,
                segments: selection.segments(of: quarters.compactMap { held[$0.begin] }))
        }
        return PlaylistComposer.compose(
            HeldSegments(publishedHead: head.publishedHead, renditions: listed, formats: formats),
            plan: plan, request: request, isSettled: true)
    }
}

extension QuarterArchive {
    /// Makes the rates of all key frames known.
    func measureKeyFrames(_ generator: inout SeededGenerator) {
        for block in renditions.flatMap(\.blocks.values) {
            keyFrameRates.keep(Int64.random(in: 0...9_000_000, using: &generator), for: block.place)
        }
    }

    /// What composing a multivariant playlist takes of them.
    func keyFrameRates(of contents: PlaylistContents) -> [RenditionID: Int64] {
        var rates: [RenditionID: Int64] = [:]
        for rendition in contents.renditions where rendition.id.kind == .video {
            let places = rendition.keyFrameBlocks.map(\.place)
            if !places.isEmpty { rates[rendition.id] = keyFrameRates.highest(of: places) }
        }
        return rates
    }

    /// Six hours of up to three renditions, with long runs and what interrupts them.
    static func random(_ generator: inout SeededGenerator) -> QuarterArchive {
        let format: Int32 = [1, 1, 5].randomElement(using: &generator) ?? 1
        let ids = ["v0", "v1", "a0"].prefix(Int.random(in: 1...3, using: &generator))
        let bandwidths: [Int64?] = [1_000, 5_000, nil]
        // Groups, and names that look like a place of a template.
        let names: [String?] = [nil, "One", "?\u{E000}", "BANDWIDTH=9000000000000003"]
        let archive = QuarterArchive(
            renditions: ids.map { ($0, segments(of: format, &generator)) }
        ) { description in
            description.bandwidth = bandwidths.randomElement(using: &generator) ?? nil
            description.name = names.randomElement(using: &generator) ?? nil
            let group = Bool.random(using: &generator) ? "sound" : nil
            if description.id.kind == .video { description.audioGroup = group }
            if description.id.kind == .audio { description.groupID = group }
        }
        archive.measureKeyFrames(&generator)
        return archive
    }

    private static func segments(
        of format: Int32, _ generator: inout SeededGenerator
    ) -> [RecordedSegment] {
        var segments: [RecordedSegment] = []
        var (start, sequence, current) = (at(0), Int32(0), format)
        let drift = [0, 0, 0, 20, -15, -15, 5, 900].randomElement(using: &generator) ?? 0
        let usual = [4_000_000, 3_840_000, 6_006_000].randomElement(using: &generator) ?? 4_000_000
        while start < at(20_500) {
            var segment = RecordedSegment(
                start: start, duration: Int64(usual), number: Int64(segments.count),
                discontinuitySequence: sequence, formatID: current,
                flags: Int.random(in: 0..<3_000, using: &generator) == 0 ? [] : .independent,
                storedBytes: Int64.random(in: 1_000...1_100, using: &generator), plainBytes: 1_000)
            // In some quarters of an hour.
            if Int(start.microseconds / Quarter.microseconds) % 5 < 2 {
                segment.flags.insert(.hasKeyFrames)
            }
            switch Int.random(in: 0..<6_000, using: &generator) {
            case 0: start = start + Int64.random(in: 300_000...2_000_000_000, using: &generator)
            case 1: (sequence, current) = (sequence + 1, format == 1 ? 2 : format)
            case 2: sequence += 1
            case 3: segment.number = nil
            case 4...40: segment.duration -= Int64.random(in: 0...900_000, using: &generator)
            case 41...60: segment.measuredDuration = segment.duration + 40_000
            case 61...80:
                segment.flags.insert(.hasCueTags)
                segment.cueTags = ["#EXT-X-CUE-OUT-CONT:1/60"]
            case 81...90: start = start + Int64.random(in: 500...100_000, using: &generator)
            case 91...95: segment.revision = 2
            default: break
            }
            segments.append(segment)
            start = max(start, segment.start) + segment.duration + Int64(max(0, drift))
            if drift < 0 { start = start + Int64(drift) }
        }
        return segments
    }
}
