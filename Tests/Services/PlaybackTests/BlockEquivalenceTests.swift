import Catalogue
import HLS
import HTTP
import TestSupport
import Testing
import Timeline

@testable import Playback

/// Composing from blocks gives the same bytes as composing from rows, wherever blocks begin and end; the
/// reader of playlists understands all of them, and the writer writes them again.
struct BlockEquivalenceTests {
    @Test("Closed windows of any timeline, with any options", arguments: 0..<8)
    func closed(series: Int) async throws {
        try await forEachTimeline(series) { recorded, generator in
            let begin = Double.random(in: -20...300, using: &generator)
            let end = begin + Double.random(in: 1...900, using: &generator)
            let (gaps, tracks) = (Bool.random(using: &generator), Bool.random(using: &generator))
            let span = WindowRequest.Span.closed(begin: at(begin), end: at(end))
            return { cut in
                try recorded.composed(span, cutting: cut) {
                    $0.writesGaps = gaps
                    $0.allowsMissingTracks = tracks
                }
            }
        }
    }

    @Test("Start-over at any moment", arguments: 8..<12)
    func event(series: Int) async throws {
        try await forEachTimeline(series) { recorded, generator in
            let seen = recorded.published(until: Double.random(in: 20...500, using: &generator))
            let begin = Double.random(in: 0...15, using: &generator)
            let end = begin + Double.random(in: 1...600, using: &generator)
            return { try seen.composed(.event(begin: at(begin), end: at(end)), cutting: $0) }
        }
    }

    @Test("Sliding playlists at any moment, of any length", arguments: 12..<16)
    func sliding(series: Int) async throws {
        try await forEachTimeline(series) { recorded, generator in
            let time = Double.random(in: 20...500, using: &generator)
            let seen = recorded.published(until: time)
            let length = Double(Int.random(in: 1...400, using: &generator))
            let delay = Double(Int.random(in: 0...60, using: &generator))
            return { seen.sliding(length: length, delay: delay, now: time + 4, cutting: $0) }
        }
    }

    @Test("Most of a long playlist is shared between requests, and so is its compressed form")
    func sharing() throws {
        let recorded = RecordedFixture(run(2_000, from: 0))
        let cut = { (index: Int) in index % 225 == 224 }
        let v0 = try #require(RenditionID("v0"))
        // The same segments, as the index would return them.
        let held = recorded.held(cutting: cut)
        let lists = try [(100.0, 7_900.0), (400.0, 7_500.0)].map { begin, end in
            let request = WindowRequest(.closed(begin: at(begin), end: at(end)))
            let plan = try WindowPlan.resolving(
                request, publishedHead: recorded.publishedHead, maxWindowSeconds: 86_400)
            return try #require(
                try PlaylistComposer.compose(held, plan: plan).mediaPlaylist(of: v0))
        }
        let shared = lists[0].pieces.filter { piece in lists[1].pieces.contains { $0 === piece } }
        #expect(shared.count == 7)
        #expect(lists[0].tag != lists[1].tag)
        // Several whole blocks may be one compressed piece.
        let compressed = try lists.map { try $0.gzip() }
        #expect(compressed[0].count <= lists[0].pieces.count)
        #expect(compressed[0].contains { piece in compressed[1].contains { $0 === piece } })
    }

    private typealias Composing = (((Int) -> Bool)?) throws -> PlaylistContents

    /// Yields between rounds, because other tests that wait for something run in parallel.
    private func forEachTimeline(
        _ series: Int, _ choose: (RecordedFixture, inout SeededGenerator) throws -> Composing
    ) async throws {
        for round in 0..<30 {
            await Task.yield()
            let seed = UInt64(series * 1_000 + round)
            var generator = SeededGenerator(seed: seed)
            let recorded = RandomTimeline.recorded(&generator)
            let compose = try choose(recorded, &generator)
            var expected: PlaylistContents
            do { expected = try compose(nil) } catch { continue }
            for length in [1, 3, Int.random(in: 2...40, using: &generator)] {
                let offset = Int.random(in: 0..<length, using: &generator)
                let found = try compose { ($0 + offset) % length == 0 }
                try await expectSame(found, expected, "seed \(seed), blocks of \(length)")
            }
        }
    }

    private func expectSame(
        _ found: PlaylistContents, _ expected: PlaylistContents, _ name: Comment,
    ) async throws {
        #expect(found.window == expected.window, name)
        #expect(found.next == expected.next, name)
        #expect(found.isFinal == expected.isFinal, name)
        #expect(found.isEnded == expected.isEnded, name)
        #expect(found.targetSeconds == expected.targetSeconds, name)
        #expect(found.renditions.map(\.id) == expected.renditions.map(\.id), name)
        let multivariant = found.multivariantPlaylist(query: "begintime=1")
        #expect(multivariant == expected.multivariantPlaylist(query: "begintime=1"), name)
        // Nothing held is no answer.
        if !found.renditions.isEmpty { try expectWrittenAgain(multivariant, name) }
        for (rendition, other) in zip(found.renditions, expected.renditions) {
            #expect(found.completeness(of: rendition) == expected.completeness(of: other), name)
            let playlist = try #require(try found.mediaPlaylist(of: rendition.id))
            let plain = playlist.body.flatMap(\.bytes)
            let text = String(decoding: plain, as: UTF8.self)
            #expect(text == expected.text(of: "\(rendition.id)"), name)
            // Markers of growing playlists stand where they became known; the writer has them at the
            // beginning.
            if found.plan.kind == .closed || found.markers.isEmpty { try expectWrittenAgain(plain, name) }
            #expect(try Playlist.reading(plain).notes.isEmpty, name)
            let packed = try playlist.gzip().flatMap(\.bytes)
            #expect(try await gunzip(packed) == plain, name)
            #expect(try found.mediaPlaylist(of: rendition.id)?.tag == playlist.tag, name)
        }
    }

    private func expectWrittenAgain(_ bytes: [UInt8], _ name: Comment) throws {
        let read = try Playlist.reading(bytes)
        #expect(read.notes.isEmpty, name)
        let again = read.playlist.writtenBytes(WritingOptions(restatesAfterDiscontinuity: true))
        #expect(String(decoding: again, as: UTF8.self) == String(decoding: bytes, as: UTF8.self), name)
    }
}

/// Timelines as a recorder leaves them: holes, late and missing segments, drifting clocks, changes of format.
enum RandomTimeline {
    private static let formats: [Int32: SegmentFormat] = [
        1: .muxed, 2: .silent, 3: .encrypted("k1"), 4: .encrypted("k2"), 5: .fragmented("init-1.mp4"),
        6: SegmentFormat(container: .transportStream), 7: .fragmented("init-2.mp4"), 8: protected,
    ]

    private static var protected: SegmentFormat {
        var format = SegmentFormat.encrypted("k3")
        format.drmTags = [#"METHOD=SAMPLE-AES,URI="skd://1",KEYFORMAT="com.apple.streamingkeydelivery""#]
        return format
    }

    static func recorded(_ generator: inout SeededGenerator) -> RecordedFixture {
        var recorded = RecordedFixture()
        recorded.formats = formats
        let plan = plan(&generator)
        for id in ["v0", "a0", "v1", "a1", "s0"].prefix(Int.random(in: 1...5, using: &generator)) {
            recorded.add(segments(plan, &generator), as: id) { describe(&$0, &generator) }
        }
        recorded.watermark = Double.random(in: 300...900, using: &generator)
        recorded.targetSeconds = 6
        if Bool.random(using: &generator) { recorded.markers = RandomMarkers.markers(&generator) }
        return recorded
    }

    /// What a source may state of a rendition, readable or not.
    private static func describe(
        _ description: inout RenditionDescription, _ generator: inout SeededGenerator
    ) {
        description.resolution = ["1280x720", "640X360", "wide", nil].randomElement(using: &generator) ?? nil
        description.codecs =
            ["avc1.64001f,mp4a.40.2", "mp4a.40.2", nil].randomElement(using: &generator) ?? nil
        description.frameRate =
            ["25", "29.97", "59.9400599", "fast", "0", nil].randomElement(using: &generator) ?? nil
        description.bandwidth = [1, 5_000_000, .max, nil].randomElement(using: &generator) ?? nil
        description.groupID = ["g", "g, h", nil].randomElement(using: &generator) ?? nil
        (description.audioGroup, description.subtitlesGroup) = ("g", "g, h")
        description.name = ["Ton", "\"Ton\", 5.1", "a\nb", "", nil].randomElement(using: &generator) ?? nil
        description.language = ["de", nil].randomElement(using: &generator) ?? nil
        description.channels = ["2", "6/JOC", nil].randomElement(using: &generator) ?? nil
        description.attributes =
            [
                [
                    PlaylistAttribute(name: "VIDEO-RANGE", value: "PQ", isQuoted: false),
                    PlaylistAttribute(name: "CLOSED-CAPTIONS", value: "NONE", isQuoted: false),
                    PlaylistAttribute(name: "CHARACTERISTICS", value: "a,\"b", isQuoted: true),
                ], nil,
            ].randomElement(using: &generator) ?? nil
        description.media =
            [
                [
                    [
                        PlaylistAttribute(name: "TYPE", value: "AUDIO", isQuoted: false),
                        PlaylistAttribute(name: "GROUP-ID", value: "h", isQuoted: true),
                        PlaylistAttribute(name: "NAME", value: "N", isQuoted: true),
                    ], [PlaylistAttribute(name: "TYPE", value: "OTHER", isQuoted: false)],
                ], nil,
            ].randomElement(using: &generator) ?? nil
        description.repeats =
            [
                [[PlaylistAttribute(name: "AUDIO", value: "h", isQuoted: true)], []], nil,
            ].randomElement(using: &generator) ?? nil
        description.isDefault = Bool.random(using: &generator)
        description.autoselect = Bool.random(using: &generator)
        description.forced = Bool.random(using: &generator)
    }

    private struct Stretch {
        var begin: Double
        var count: Int
        var format: Int32
        var discontinuitySequence: Int32
        var drift: Int64
        var hasConstantVector: Bool
    }

    private static func plan(_ generator: inout SeededGenerator) -> [Stretch] {
        let container: [Int32] = Bool.random(using: &generator) ? [1, 1, 1, 1, 2, 6] : [1, 3, 3, 4, 8]
        let fragmented = Int.random(in: 0..<6, using: &generator) == 0
        var (time, discontinuitySequence): (Double, Int32) = (0, 0)
        return (0..<Int.random(in: 1...6, using: &generator)).map { _ in
            let stretch = Stretch(
                begin: time, count: Int.random(in: 1...60, using: &generator),
                format: (fragmented ? [5, 7] : container).randomElement(using: &generator) ?? 1,
                discontinuitySequence: discontinuitySequence,
                drift: [0, 0, 3_000, -7_000, 40_000].randomElement(using: &generator) ?? 0,
                hasConstantVector: Bool.random(using: &generator))
            time += Double(stretch.count) * 4.2
            if Bool.random(using: &generator) { time += Double.random(in: 0.3...90, using: &generator) }
            discontinuitySequence += Int32.random(in: 0...2, using: &generator)
            return stretch
        }
    }

    private static func segments(_ plan: [Stretch], _ generator: inout SeededGenerator) -> [RecordedSegment] {
        var segments: [RecordedSegment] = []
        var number: Int64 = 70
        for stretch in plan {
            var start = max(at(stretch.begin), segments.last?.end ?? at(0))
            for index in 0..<stretch.count {
                let duration =
                    [4_000_000, 4_000_000, 3_999_999, 2_500_000].randomElement(using: &generator) ?? 4_000_000
                var segment = RecordedSegment(
                    start: start, duration: Int64(duration), number: number,
                    discontinuitySequence: stretch.discontinuitySequence,
                    formatID: stretch.format, storedBytes: Int64(duration) / 8,
                    plainBytes: Int64(duration) / 8)
                if [3, 4, 8].contains(stretch.format) {
                    segment.iv = Array(repeating: stretch.hasConstantVector ? 9 : UInt8(index), count: 16)
                }
                start = segment.end + max(0, stretch.drift)
                if stretch.drift < 0 { segment.duration += -stretch.drift }
                number += 1
                switch Int.random(in: 0..<80, using: &generator) {
                case 0: continue
                case 1: segment.number = nil
                case 2: segment.flags = .keyPending
                case 3: segment.revision = 3
                case 4: segment.flags = .independent
                case 6: segment.flags = .spliced
                case 5...8: segment.measuredDuration = Int64.random(in: 50_000...9_000_000, using: &generator)
                case 9...12:
                    segment.flags = .hasCueTags
                    segment.cueTags = ["#EXT-X-CUE-OUT-CONT:\(index)/60", "#EXT-OATCLS-SCTE35:/DAl"]
                case 13: segment.flags = .discontinuity
                default: break
                }
                segments.append(segment)
            }
        }
        return segments
    }
}
