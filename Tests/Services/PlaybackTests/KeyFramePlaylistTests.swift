import Catalogue
import HLS
import HTTP
import TestSupport
import Testing
import Timeline

@testable import Playback

@Suite("I-frame playlists")
struct KeyFramePlaylistTests {
    /// Two key frames in each segment, the second after half of it.
    private static func found(in segments: [RecordedSegment], tables: Int = 376) -> [SegmentKeyFrames] {
        segments.map { segment in
            let half = Int(segment.duration / 2000)
            return SegmentKeyFrames(
                start: segment.start, revision: segment.revision,
                keyFrames: KeyFrames(
                    tableByteCount: tables,
                    frames: [
                        KeyFrame(offset: 376, byteCount: 1880, milliseconds: 0),
                        KeyFrame(offset: 37_600, byteCount: 940, milliseconds: half),
                    ]))
        }
    }

    private func text(_ contents: PlaylistContents, _ found: [SegmentKeyFrames]) throws -> String? {
        try contents.keyFrameText(found).map { String(decoding: $0, as: UTF8.self) }
    }

    private func read(_ text: String?) throws -> MediaPlaylist {
        try #require(try readBack(text))
    }

    /// The media playlist of the same window.
    private func media(_ contents: PlaylistContents) throws -> MediaPlaylist {
        let id = try #require(contents.renditions.first).id
        let playlist = try #require(try contents.mediaPlaylist(of: id))
        return try read(String(decoding: playlist.body.flatMap(\.bytes), as: UTF8.self))
    }

    @Test("Each key frame lasts until the next, with its bytes; the first has the tables")
    func closed() throws {
        let segments = run(2, from: 0, flags: .hasKeyFrames)
        let text = try text(RecordedFixture(segments).closed(0, 8), Self.found(in: segments))
        #expect(
            text == """
                #EXTM3U
                #EXT-X-VERSION:5
                #EXT-X-TARGETDURATION:2
                #EXT-X-MEDIA-SEQUENCE:0
                #EXT-X-DISCONTINUITY-SEQUENCE:0
                #EXT-X-PLAYLIST-TYPE:VOD
                #EXT-X-I-FRAMES-ONLY
                #EXT-X-MAP:URI="v0/1469509516000.ts",BYTERANGE="376@0"
                #EXT-X-PROGRAM-DATE-TIME:2016-07-26T05:05:16.000Z
                #EXTINF:2.000000,
                #EXT-X-BYTERANGE:1880@376
                v0/1469509516000.ts
                #EXTINF:2.000000,
                #EXT-X-BYTERANGE:940@37600
                v0/1469509516000.ts
                #EXTINF:2.000000,
                #EXT-X-BYTERANGE:1880@376
                v0/1469509520000.ts
                #EXTINF:2.000000,
                #EXT-X-BYTERANGE:940@37600
                v0/1469509520000.ts
                #EXT-X-ENDLIST

                """)
    }

    @Test("Discontinuities, their sequence and dates are those of the media playlist")
    func discontinuities() throws {
        let segments =
            run(3, from: 0, flags: .hasKeyFrames) + run(2, from: 30, sequence: 2, flags: .hasKeyFrames)
        let contents = try RecordedFixture(segments).closed(0, 40)
        let own = try read(text(contents, Self.found(in: segments)))
        let media = try media(contents)
        #expect(own.isIFramesOnly && own.isEnded)
        #expect(own.discontinuitySequence == media.discontinuitySequence)
        #expect(own.segments.map(\.discontinuityCount) == [0, 0, 0, 0, 0, 0, 2, 0, 0, 0])
        #expect(media.segments.map(\.discontinuityCount) == [0, 0, 0, 2, 0])
        #expect(
            own.segments.compactMap(\.programDateTimeMicroseconds)
                == media.segments.compactMap(\.programDateTimeMicroseconds))
        #expect(own.segments.map(\.map?.uri).first == "v0/1469509516000.ts")
        #expect(own.segments.last?.map?.uri == "v0/1469509546000.ts")
        // Nothing reaches into the hole.
        #expect(own.segments.allSatisfy { $0.durationMicroseconds == 2_000_000 })
    }

    @Test("A hole of tagged gaps has the same gaps as the media playlist")
    func gaps() throws {
        let segments =
            run(1, from: 0, flags: .hasKeyFrames) + run(1, from: 12, flags: .hasKeyFrames)
        let contents = try RecordedFixture(segments).closed(0, 16) { $0.writesGaps = true }
        let own = try read(text(contents, Self.found(in: segments)))
        #expect(own.version == 8)
        #expect(own.segments.map(\.isGap) == [false, false, true, true, false, false])
        #expect(own.segments.reduce(0) { $0 + $1.durationMicroseconds } == 16_000_000)
        #expect((own.targetDurationSeconds ?? 0) >= 4)
    }

    @Test("A segment without key frames adds its time to the frame before; leading ones are left out")
    func sparse() throws {
        let segments = run(4, from: 0, flags: .hasKeyFrames)
        let found = Self.found(in: segments)
        let contents = try RecordedFixture(segments).closed(0, 16)
        let own = try read(text(contents, [found[1], found[3]]))
        #expect(own.segments.map(\.durationMicroseconds) == [2, 6, 2, 2].map { $0 * 1_000_000 })
        #expect(own.segments.first?.programDateTimeMicroseconds == at(4).microseconds)
        #expect(own.targetDurationSeconds == 6)
    }

    @Test("Only the key frames of the bytes that are listed count")
    func revisions() throws {
        var segments = run(1, from: 0, flags: .hasKeyFrames)
        var found = Self.found(in: segments)
        segments[0].revision = 1
        let recorded = RecordedFixture(segments)
        #expect(try text(recorded.closed(0, 4), found) == nil)
        found.append(found[0])
        found[1].revision = 1
        found[1].keyFrames.frames = [KeyFrame(offset: 752, byteCount: 188, milliseconds: 0)]
        let own = try #require(try text(recorded.closed(0, 4), found))
        #expect(own.contains("#EXTINF:4.000000,\n#EXT-X-BYTERANGE:188@752\nv0/1469509516000-1.ts\n"))
        #expect(own.contains("#EXT-X-MAP:URI=\"v0/1469509516000-1.ts\",BYTERANGE=\"376@0\"\n"))
    }

    @Test("Encrypted segments, and transport streams without tables, have none")
    func none() throws {
        let segments = run(2, from: 0, flags: .hasKeyFrames)
        #expect(
            try text(RecordedFixture(segments).closed(0, 8), Self.found(in: segments, tables: 0)) == nil)
        var recorded = RecordedFixture(segments)
        var encrypted = SegmentFormat.muxed
        (encrypted.keyMethod, encrypted.keyName) = ("AES-128", "0011")
        recorded.formats = [1: encrypted]
        let contents = try recorded.closed(0, 8)
        #expect(try text(contents, Self.found(in: segments)) == nil)
        let known = try recorded.composed(.closed(begin: at(0), end: at(8)), cutting: { _ in false })
        #expect(known.renditions[0].keyFrameBlocks.isEmpty)
    }

    @Test("In fMP4 the initialization section is the one of the media")
    func fragmented() throws {
        let segments =
            run(1, from: 0, flags: .hasKeyFrames)
            + run(1, from: 4, number: 1, format: 2, flags: .hasKeyFrames)
        var recorded = RecordedFixture(segments)
        recorded.formats = [1: .fragmented("init-1.mp4"), 2: .fragmented("init-2.mp4")]
        let own = try read(text(recorded.closed(0, 8), Self.found(in: segments, tables: 0)))
        #expect(own.segments.map { $0.map?.uri } == [1, 1, 2, 2].map { "v0/init-\($0).mp4" })
        #expect(own.version == 5)
    }

    @Test("A growing playlist has the first of each segment, and only ever appends")
    func growing() throws {
        let segments = run(30, from: 0, number: 7, flags: .hasKeyFrames)
        var found = Self.found(in: segments)
        found.remove(at: 3)
        var before = ""
        for end in stride(from: 8.0, through: 120, by: 4) {
            let recorded = RecordedFixture(segments).published(until: end)
            let text = try #require(try text(recorded.event(0, 120), found))
            #expect(text.hasPrefix(before))
            before = text.replacing("#EXT-X-ENDLIST\n", with: "")
        }
        let event = try read(before)
        #expect(event.segments.count == 30 && event.mediaSequence == 7 && event.type == .event)
        #expect(event.segments.indices.filter { event.segments[$0].isGap } == [3])
        let sliding = RecordedFixture(segments, until: 120).sliding(now: 124)
        let own = try read(text(sliding, found))
        let media = try media(sliding)
        #expect(own.mediaSequence == media.mediaSequence && own.segments.count == media.segments.count)
        #expect(own.segments.map(\.uri) == media.segments.map(\.uri))
        #expect(own.segments.map(\.durationMicroseconds) == media.segments.map(\.durationMicroseconds))
        #expect(own.targetDurationSeconds == media.targetDurationSeconds)
    }

    @Test("The tags of markers are those of the media playlist, in front of the same segments")
    func markers() throws {
        let segments = run(30, from: 0, number: 7, flags: .hasKeyFrames)
        let found = Self.found(in: segments)
        var recorded = RecordedFixture(segments)
        recorded.markers = [2.0, 9, 70].map { begin in
            RecordedMarker(
                id: "m\(Int(begin))", begin: at(begin), end: at(begin + 9), classID: nil,
                versions: [
                    RecordedMarker.Version(
                        shown: at(begin), until: at(begin + 9),
                        attributes: [PlaylistAttribute(name: "X-A", value: "1", isQuoted: true)])
                ])
        }
        /// The tags, each with the URI behind it.
        func tags(_ text: String?) -> [[String]] {
            let lines = (text ?? "").split(separator: "\n").map(String.init)
            return lines.indices.filter { lines[$0].hasPrefix("#EXT-X-DATERANGE") }.map { index in
                [lines[index], lines[index...].first { !$0.hasPrefix("#") } ?? ""]
            }
        }
        let closed = try recorded.closed(0, 80)
        #expect(tags(try text(closed, found)).count == 3)
        #expect(tags(try text(closed, found)) == tags(closed.text()))
        for end in [8.0, 60, 120] {
            let event = try recorded.published(until: end).event(0, 120)
            #expect(tags(try text(event, found)) == tags(event.text()), "until \(end)")
        }
        let sliding = recorded.published(until: 80).sliding(now: 84)
        #expect(tags(try text(sliding, found)).count == 1)
        #expect(tags(try text(sliding, found)) == tags(sliding.text()))
    }

    @Test("A block's rate is that of the largest frame within the shortest time it may last")
    func rates() throws {
        let segments = run(2, from: 0, flags: .hasKeyFrames)
        let contents = try RecordedFixture(segments).closed(0, 8)
        let blocks = contents.renditions[0].keyFrameBlocks
        #expect(blocks.count == 1)
        // 1,880 bytes in two seconds.
        #expect(blocks[0].keyFrameRate(QuarterKeyFrames(Self.found(in: segments))) == 7520)
        let rates = KeyFrameRates()
        #expect(rates.highest(of: [blocks[0].place]) == nil)
        rates.keep(7520, for: blocks[0].place)
        #expect(rates.highest(of: [blocks[0].place]) == 7520 && rates.unknown(blocks).isEmpty)
    }
}

extension PlaylistContents {
    /// The I-frame playlist of the first rendition with some key frames, as a server composes it.
    func keyFramePlaylist(_ found: [SegmentKeyFrames]) throws -> RenderedPlaylist? {
        let rendition = try #require(renditions.first)
        for piece in rendition.segments.pieces {
            let block = piece.block
            let own = BlockKeyFrames(QuarterKeyFrames(found), of: block, rendition: rendition.id)
            _ = block.keyFrames.storeIfNil(own)
        }
        var text = KeyFramePlaylistRenderer(contents: self, rendition: rendition)
        return try text.written().map { try RenderedPlaylist($0) }
    }

    func keyFrameText(_ found: [SegmentKeyFrames]) throws -> [UInt8]? {
        try keyFramePlaylist(found)?.body.flatMap(\.bytes)
    }
}
