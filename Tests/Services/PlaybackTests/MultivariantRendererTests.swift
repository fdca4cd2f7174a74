import Catalogue
import HLS
import TestSupport
import Testing
import Timeline

@testable import Playback

struct MultivariantRendererTests {
    private func playlist(_ window: PlaylistContents, query: String? = "begintime=1") throws
        -> MultivariantPlaylist
    {
        let text = String(decoding: window.multivariantPlaylist(query: query), as: UTF8.self)
        let read = try Playlist.reading(text)
        #expect(read.notes.isEmpty)
        return try read.playlist.multivariant
    }

    private func recorded() -> RecordedFixture {
        var recorded = RecordedFixture()
        var video = SegmentFormat.silent
        (video.width, video.height) = (1280, 720)
        recorded.formats[2] = video
        recorded.formats[3] = SegmentFormat(
            container: .transportStream, tracks: "audio:aac", codecs: "mp4a.40.2")
        recorded.add(run(3, from: 0, format: 2, bytes: 500_000), as: "v0") {
            $0.audioGroup = "aac"
            $0.subtitlesGroup = "subs"
            $0.frameRate = "50"
        }
        for (id, language) in [("a0", "de"), ("a1", "en")] {
            recorded.add(run(3, from: 0, format: 3, bytes: 64_000), as: id) {
                $0.groupID = "aac"
                $0.name = "Ton"
                $0.language = language
                $0.isDefault = true
            }
        }
        recorded.add([], as: "s0") { $0.groupID = "subs" }
        return recorded
    }

    @Test("A variant describes what it has in the window: bit rates, codecs, size, and groups with segments")
    func variant() throws {
        let list = try playlist(try recorded().closed(0, 12))
        let variant = try #require(list.variants.first)
        #expect(list.variants.count == 1)
        #expect(variant.uri == "v0.m3u8?begintime=1")
        #expect(variant.bandwidth == 1_000_000 + 128_000)
        #expect(variant.averageBandwidth == 1_128_000)
        #expect(variant.codecs == "avc1.64001f,mp4a.40.2")
        #expect(variant.resolution == VariantStream.Resolution(width: 1280, height: 720))
        #expect(variant.frameRate == 50)
        #expect(variant.audioGroup == "aac")
        #expect(variant.subtitlesGroup == nil)
    }

    @Test(
        "IMSC subtitles are among the codecs of their variants, as the source says it",
        arguments: [
            ("avc1.64001f,mp4a.40.2,stpp.ttml.im1i", "avc1.64001f,mp4a.40.2,stpp.ttml.im1i"),
            ("avc1.64001f", "avc1.64001f,mp4a.40.2,stpp.ttml.im1t"),
            (nil, "avc1.64001f,mp4a.40.2,stpp.ttml.im1t"),
        ] as [(String?, String)])
    func timedText(said: String?, codecs: String) throws {
        var recorded = recorded()
        recorded.formats[4] = SegmentFormat(container: .fragmentedMP4, tracks: "subtitles:ttml")
        recorded.renditions[0].description.codecs = said
        recorded.add(run(3, from: 0, format: 4, bytes: 2_000), as: "s1") { $0.groupID = "subs" }
        let variant = try #require(try playlist(try recorded.closed(0, 12)).variants.first)
        #expect(variant.subtitlesGroup == "subs")
        #expect(variant.codecs == codecs)
    }

    @Test(
        "A variant that has only a part of a closed window is listed after those that have it",
        arguments: [
            // The source added it in the middle of the window, or dropped it.
            (150..<300, ["v1.m3u8", "v0.m3u8"]), (0..<150, ["v1.m3u8", "v0.m3u8"]),
            // A few lost segments of an hour do not change what players start with.
            (2..<300, ["v0.m3u8", "v1.m3u8"]), (0..<300, ["v0.m3u8", "v1.m3u8"]),
        ])
    func partial(held: Range<Int>, uris: [String]) throws {
        var recorded = RecordedFixture()
        recorded.add(Array(run(300, from: 0)[held]), as: "v0") { $0.bandwidth = 6_000_000 }
        recorded.add(run(300, from: 0), as: "v1") { $0.bandwidth = 2_000_000 }
        let closed = try recorded.closed(0, 1_200)
        #expect(try playlist(closed, query: nil).variants.map(\.uri) == uris)
        // Which rendition is the best one does not depend on it.
        #expect(closed.leading?.id == RenditionID("v0"))
    }

    @Test("Names are unique in a group, and at most one is the default")
    func group() throws {
        let list = try playlist(try recorded().closed(0, 12))
        #expect(list.renditions.map(\.uri) == ["a0.m3u8?begintime=1", "a1.m3u8?begintime=1"])
        #expect(Set(list.renditions.map(\.name)).count == 2)
        #expect(list.renditions.count(where: \.isDefault) == 1)
        #expect(list.renditions.allSatisfy { !$0.isDefault || $0.isAutoselect })
    }

    @Test("A group without segments in the window is left out, with all references")
    func emptyGroup() throws {
        var recorded = recorded()
        for index in 1...2 { recorded.renditions[index].segments = [] }
        let list = try playlist(try recorded.closed(0, 12))
        #expect(list.renditions.isEmpty)
        #expect(list.variants.first?.audioGroup == nil)
        #expect(list.variants.first?.codecs == "avc1.64001f")
    }

    @Test(
        "Video without audio gets the window's audio, whatever group the newest source states",
        arguments: [nil, "other"])
    func groupOfEarlierSource(stated: String?) throws {
        var recorded = recorded()
        recorded.renditions[0].description.audioGroup = stated
        let variant = try #require(try playlist(try recorded.closed(0, 12)).variants.first)
        #expect(variant.audioGroup == "aac")
        #expect(variant.codecs == "avc1.64001f,mp4a.40.2")
        #expect(variant.bandwidth == 1_000_000 + 128_000)
        // Video that has audio needs no other.
        recorded.formats[2] = .muxed
        #expect(try playlist(try recorded.closed(0, 12)).variants.first?.audioGroup == nil)
    }

    @Test("A rendition with audio only is a variant")
    func radio() throws {
        var recorded = RecordedFixture(run(3, from: 0, format: 2), as: "a0")
        recorded.formats[2] = SegmentFormat(container: .aac, tracks: "audio:aac", codecs: "mp4a.40.2")
        let list = try playlist(try recorded.closed(0, 12), query: nil)
        #expect(list.variants.map(\.uri) == ["a0.m3u8"])
        #expect(list.renditions.isEmpty)
    }

    @Test(
        "Subtitles of a window are offered, whatever group the newest source states",
        arguments: [(nil, "subs"), ("other", "subs"), ("subs", "subs")] as [(String?, String)])
    func subtitlesOfEarlierSource(stated: String?, group: String) throws {
        var recorded = recorded()
        recorded.renditions[0].description.subtitlesGroup = stated
        recorded.add(run(3, from: 0, bytes: 1_000), as: "s1") { $0.groupID = "subs" }
        #expect(try playlist(try recorded.closed(0, 12)).variants.first?.subtitlesGroup == group)
    }

    @Test("Subtitles that are the variants name no group of subtitles")
    func subtitlesOnly() throws {
        var recorded = RecordedFixture()
        for id in ["s0", "s1"] { recorded.add(run(3, from: 0, bytes: 1_000), as: id) { $0.groupID = "subs" } }
        let variants = try playlist(try recorded.closed(0, 12)).variants
        #expect(variants.map(\.subtitlesGroup) == [nil, nil])
    }

    @Test("A variant that states no subtitles has none where another one has them")
    func subtitlesOfOneVariant() throws {
        var recorded = recorded()
        recorded.add(run(3, from: 0, bytes: 1_000), as: "s1") { $0.groupID = "subs" }
        recorded.add(run(3, from: 0, format: 2, bytes: 100_000), as: "v1") { $0.audioGroup = "aac" }
        let variants = try playlist(try recorded.closed(0, 12)).variants
        #expect(variants.map(\.subtitlesGroup) == ["subs", nil])
    }

    @Test(
        "HE-AAC, which ADTS shows as AAC-LC, is stated as the source states it",
        arguments: [
            ("avc1.4d401f,mp4a.40.5", "mp4a.40.5"), ("avc1.4d401f,mp4a.40.29", "mp4a.40.29"),
            ("avc1.4d401f,mp4a.40.2", "mp4a.40.2"), ("avc1.4d401f,mp4a.40.2,mp4a.40.5", "mp4a.40.2"),
            ("avc1.4d401f,ac-3", "mp4a.40.2"), (nil, "mp4a.40.2"),
        ] as [(String?, String)])
    func highEfficiencyAudio(stated: String?, audio: String) throws {
        var recorded = recorded()
        recorded.renditions[0].description.codecs = stated
        let variant = try #require(try playlist(try recorded.closed(0, 12)).variants.first)
        #expect(variant.codecs == "avc1.64001f,\(audio)")
    }

    @Test(
        "The audio of a file is the default of the video's group in any of its tags, else the channel's default",
        arguments: [("hi", "a0"), ("lo", "a1"), ("other", "a1"), (nil, "a1")] as [(String?, String)])
    func audioOfFile(group: String?, audio: String) throws {
        var recorded = RecordedFixture()
        recorded.formats[2] = .silent
        recorded.formats[3] = SegmentFormat(container: .transportStream, tracks: "audio:aac")
        recorded.add(run(3, from: 0, format: 2), as: "v0") { $0.audioGroup = group }
        // An alternative that is in several groups is recorded once.
        for (id, groups, defaults) in [
            ("a0", ["lo", "hi"], ["NO", "YES"]), ("a1", ["lo"], ["YES"]), ("a2", ["hi"], ["NO"]),
        ] {
            recorded.add(run(3, from: 0, format: 3), as: id) {
                ($0.groupID, $0.isDefault) = (groups[0], defaults[0] == "YES")
                $0.media = zip(groups, defaults).dropFirst().map { group, isDefault in
                    [
                        PlaylistAttribute(name: "TYPE", value: "AUDIO", isQuoted: false),
                        PlaylistAttribute(name: "NAME", value: id, isQuoted: true),
                        PlaylistAttribute(name: "GROUP-ID", value: group, isQuoted: true),
                        PlaylistAttribute(name: "DEFAULT", value: isDefault, isQuoted: false),
                    ]
                }
            }
        }
        let contents = try recorded.closed(0, 12)
        let video = try #require(contents.leading)
        #expect(contents.audio(of: video)?.id.description == audio)
    }

    @Test("BANDWIDTH counts the subtitles that play together with video and audio (RFC 8216bis §4.4.6.2)")
    func subtitles() throws {
        var recorded = recorded()
        recorded.formats[4] = SegmentFormat(container: .webVTT)
        recorded.renditions[3].segments = run(3, from: 0, format: 4, bytes: 2_000)
        let variant = try #require(try playlist(try recorded.closed(0, 12)).variants.first)
        #expect(variant.subtitlesGroup == "subs")
        #expect(variant.bandwidth == 1_000_000 + 128_000 + 4_000)
        #expect(variant.averageBandwidth == 1_132_000)
    }

    @Test("A bit rate that a source overstates is bounded, alone and in a sum")
    func overstated() throws {
        var recorded = recorded()
        for index in 0...1 { recorded.renditions[index].description.bandwidth = .max }
        let list = try playlist(recorded.published(until: 12).sliding(now: 16))
        #expect(list.variants.map(\.bandwidth) == [9_000_000_000_000_000])
    }

    @Test("BANDWIDTH is the peak of runs of half to one and a half target durations")
    func peak() {
        var segments = run(4, from: 0, bytes: 500_000)
        segments[2].storedBytes = 1_000_000
        #expect(BitRate(of: segments, targetSeconds: 4) == BitRate(peak: 2_000_000, average: 1_250_000))
        // A tail of a fraction of a second says nothing about a rate that a player must sustain.
        let tail = run(1, from: 16, of: 0.1, bytes: 500_000)
        #expect(BitRate(of: run(4, from: 0) + tail, targetSeconds: 4).peak < 3_000_000)
    }

    @Test("The rates of blocks are those of their segments", arguments: 0..<40)
    func blocks(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var segments: [RecordedSegment] = []
        for _ in 0..<Int.random(in: 1...300, using: &generator) {
            let length = Double.random(in: 0.1...9, using: &generator)
            let start = segments.last?.end ?? at(0)
            var segment = run(
                1, from: 0, of: length, bytes: Int64.random(in: 0...900_000, using: &generator))[0]
            segment.start = start
            segments.append(segment)
        }
        var recorded = RecordedFixture(segments)
        recorded.targetSeconds = 9
        let cuts = Set((0..<20).map { _ in Int.random(in: 0..<segments.count, using: &generator) })
        let list = try #require(recorded.held(cutting: cuts.contains).renditions.first).segments
        let end = Double.random(in: 1...3000, using: &generator)
        for target in [1, 4, 9, 20] {
            for part in [list, list.overlapping(window(10, 10 + end))] {
                #expect(
                    BitRate(of: part, targetSeconds: target)
                        == BitRate(of: Array(part), targetSeconds: target))
            }
        }
    }

    @Test(
        "NONE stands for captions only if all variants say it, and a group only if something of it is known")
    func captions() throws {
        func values(_ said: [[PlaylistAttribute]?]) throws -> [String] {
            var recorded = RecordedFixture()
            for (index, attributes) in said.enumerated() {
                recorded.add(run(3, from: 0), as: "v\(index)") { $0.attributes = attributes }
            }
            let text = try recorded.closed(0, 12).multivariantPlaylist(query: nil)
            return try Playlist.reading(text).playlist.multivariant.variants.map { variant in
                switch variant.closedCaptions {
                case nil: "-"
                case .some(.none): "NONE"
                case .group(let group): group
                }
            }
        }
        let none = [PlaylistAttribute(name: "CLOSED-CAPTIONS", value: "NONE", isQuoted: false)]
        let group = [PlaylistAttribute(name: "CLOSED-CAPTIONS", value: "cc", isQuoted: true)]
        #expect(try values([none, none]) == ["NONE", "NONE"])
        #expect(try values([none, nil]) == ["-", "-"])
        #expect(try values([group, none]) == ["-", "-"])
    }

    @Test("A variant that is listed with a group of which the window has nothing is listed once")
    func repeats() throws {
        var recorded = RecordedFixture()
        recorded.add(run(3, from: 0), as: "v0") {
            $0.audioGroup = "a"
            $0.repeats = [[PlaylistAttribute(name: "AUDIO", value: "b", isQuoted: true)]]
        }
        let text = try recorded.closed(0, 12).multivariantPlaylist(query: nil)
        let variants = try Playlist.reading(text).playlist.multivariant.variants
        #expect(variants.map(\.audioGroup) == [nil])
    }
}
