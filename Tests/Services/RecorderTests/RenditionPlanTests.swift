import Catalogue
import HLS
import Testing
import Timeline

@testable import Recorder

private func variant(
    _ uri: String, _ height: Int?, _ bandwidth: Int, codecs: String? = "avc1.64001f,mp4a.40.2",
    audio: String? = nil,
    subtitles: String? = nil, stable: String? = nil,
) -> VariantStream {
    var variant = VariantStream(uri: uri, bandwidth: bandwidth)
    variant.resolution = height.map { VariantStream.Resolution(width: $0 * 16 / 9, height: $0) }
    variant.codecs = codecs
    variant.audioGroup = audio
    variant.subtitlesGroup = subtitles
    variant.stableVariantID = stable
    return variant
}

private func media(
    _ type: Rendition.MediaType, _ group: String, _ name: String, _ uri: String?, language: String? = nil,
    characteristics: String? = nil,
) -> Rendition {
    var rendition = Rendition(type: type, groupID: group, name: name, uri: uri)
    rendition.language = language
    rendition.characteristics = characteristics
    return rendition
}

private func playlist(_ variants: [VariantStream], _ renditions: [Rendition] = []) -> MultivariantPlaylist {
    var list = MultivariantPlaylist()
    list.variants = variants
    list.renditions = renditions
    return list
}

extension RenditionPlan {
    fileprivate init(
        _ list: MultivariantPlaylist, _ choice: RenditionChoice = .all, after earlier: RenditionPlan? = nil
    ) {
        self.init(list, choice: choice, known: earlier?.items.map(\.description) ?? [])
    }

    /// Which URI is recorded under which id.
    fileprivate var names: [String: String] {
        Dictionary(items.map { ($0.uri, $0.description.id.description) }, uniquingKeysWith: { a, _ in a })
    }
}

@Suite("Rendition plan")
struct RenditionPlanTests {
    private let three = playlist([
        variant("low", 360, 800_000), variant("mid", 720, 2_500_000), variant("high", 1080, 5_000_000),
    ])

    @Test("Ids are given in the order of the playlist")
    func fresh() {
        #expect(RenditionPlan(three).names == ["low": "v0", "mid": "v1", "high": "v2"])
    }

    @Test("Other URIs and tokens change nothing")
    func tokens() {
        let again = playlist([
            variant("https://b/low?t=2", 360, 800_000), variant("https://b/mid?t=2", 720, 2_500_000),
            variant("https://b/high?t=2", 1080, 5_000_000),
        ])
        #expect(
            RenditionPlan(again, after: RenditionPlan(three)).names
                == ["https://b/low?t=2": "v0", "https://b/mid?t=2": "v1", "https://b/high?t=2": "v2"])
    }

    @Test("Another bandwidth and another order change nothing")
    func bandwidthAndOrder() {
        let again = playlist([
            variant("high", 1080, 5_400_000), variant("low", 360, 700_000), variant("mid", 720, 2_600_000),
        ])
        #expect(
            RenditionPlan(again, after: RenditionPlan(three)).names == [
                "low": "v0", "mid": "v1", "high": "v2",
            ])
    }

    @Test("Alike but for bandwidth: the bandwidth tells in any order, and a new one takes no id of another")
    func alike() {
        let first = RenditionPlan(playlist([variant("a", 720, 5_000_000), variant("b", 720, 3_000_000)]))
        #expect(first.names == ["a": "v0", "b": "v1"])
        let turned = playlist([variant("b", 720, 3_000_000), variant("a", 720, 5_000_000)])
        #expect(RenditionPlan(turned, after: first).names == ["a": "v0", "b": "v1"])
        let more = playlist([
            variant("c", 720, 8_000_000), variant("a", 720, 5_000_000), variant("b", 720, 3_000_000),
        ])
        #expect(RenditionPlan(more, after: first).names == ["a": "v0", "b": "v1", "c": "v2"])
    }

    @Test("A variant beside those that are known gets a new id, and long gone ones give theirs to none")
    func newVariant() {
        let first = RenditionPlan(three)
        let known = first.items.map(\.description)
        let more = playlist(three.variants + [variant("hevc", 720, 1_900_000, codecs: "hvc1.1.6.L93")])
        #expect(
            RenditionPlan(more, after: first).names == ["low": "v0", "mid": "v1", "high": "v2", "hevc": "v3"])
        let other = playlist([variant("low", 360, 800_000), variant("x", 2160, 9_000_000)])
        let recorded = RenditionPlan(other, choice: .all, known: known, recorded: [video(0)])
        #expect(recorded.names == ["low": "v0", "x": "v3"])
    }

    @Test("An encoder that is changed keeps the ids: by resolution, else by rank")
    func upgrade() {
        let first = RenditionPlan(three)
        let codecs = playlist([
            variant("low", 360, 800_000, codecs: "avc1.64001e,mp4a.40.2"),
            variant("mid", 720, 2_500_000, codecs: "hvc1.1.6.L93"), variant("high", 1080, 5_000_000),
        ])
        #expect(RenditionPlan(codecs, after: first).names == ["low": "v0", "mid": "v1", "high": "v2"])
        let sizes = playlist([
            variant("high", 1080, 6_000_000, codecs: "avc1.64002a"),
            variant("mid", 576, 2_000_000, codecs: "avc1.64002a"),
            variant("low", 288, 500_000, codecs: "avc1.64002a"),
        ])
        #expect(RenditionPlan(sizes, after: first).names == ["low": "v0", "mid": "v1", "high": "v2"])
    }

    @Test("Another source's variants go on as the nearest by bandwidth, a lone one always")
    func otherLadder() {
        let first = RenditionPlan(three)
        let two = playlist([variant("a", 480, 900_000), variant("b", 1440, 6_000_000)])
        #expect(RenditionPlan(two, after: first).names == ["a": "v0", "b": "v2"])
        let lone = playlist([variant("x", nil, 0, codecs: nil)])
        #expect(RenditionPlan(lone, after: RenditionPlan(two)).names == ["x": "v1"])
        let four = playlist(two.variants + three.variants.map { variant($0.uri, 240, $0.bandwidth / 10) })
        #expect(RenditionPlan(four, after: first).items.count == 5)
    }

    @Test("Another source's audio goes on by language and role, and no foreign language as another")
    func otherGroups() {
        let first = RenditionPlan(
            playlist(
                [variant("v", 720, 3_000_000, audio: "audio")],
                [
                    media(.audio, "audio", "English", "en", language: "en"),
                    media(.audio, "audio", "Deutsch", "de", language: "de"),
                ]))
        let other = playlist(
            [variant("w", 720, 2_800_000, codecs: "avc1.640028", audio: "aud")],
            [
                media(.audio, "aud", "German", "g", language: "de-DE"),
                media(.audio, "aud", "English (stereo)", "e", language: "en-US"),
                media(.audio, "aud", "Français", "f", language: "fr"),
            ])
        #expect(RenditionPlan(other, after: first).names == ["w": "v0", "e": "a0", "g": "a1", "f": "a2"])
        let unnamed = playlist(
            [variant("w", 720, 2_800_000, audio: "aud")],
            [media(.audio, "aud", "Deutsch", "g"), media(.audio, "aud", "Stereo", "e")])
        #expect(RenditionPlan(unnamed, after: first).names == ["w": "v0", "e": "a0", "g": "a1"])
        let foreign = playlist(
            [variant("w", 720, 2_800_000, audio: "aud")],
            [media(.audio, "aud", "Français", "f", language: "fr")])
        #expect(RenditionPlan(foreign, after: first).names == ["w": "v0", "f": "a2"])
    }

    /// Alternatives of one language in a group, in order; the second of each pair is the role's
    /// characteristic.
    private func english(
        _ type: Rendition.MediaType, _ tracks: [(name: String, characteristics: String?)],
    ) -> MultivariantPlaylist {
        playlist(
            [variant("v", 720, 3_000_000, audio: "g", subtitles: "g")],
            tracks.map {
                media(type, "g", $0.name, $0.name, language: "en", characteristics: $0.characteristics)
            })
    }

    private static let described = "public.accessibility.describes-video"
    private static let captions =
        "public.accessibility.transcribes-spoken-dialog, public.accessibility.describes-music-and-sound"

    @Test(
        "Sound that describes the picture, and subtitles for the deaf, go on as such in any order and name",
        arguments: [(Rendition.MediaType.audio, described), (.subtitles, captions)])
    func roles(type: Rendition.MediaType, role: String) {
        let kind = type == .audio ? "a" : "s"
        let first = RenditionPlan(english(type, [("English", nil), ("Plus", role)]))
        #expect(first.names == ["v": "v0", "English": kind + "0", "Plus": kind + "1"])
        let other = english(type, [("Two", "private," + role), ("One", nil)])
        #expect(
            RenditionPlan(other, after: first).names == ["v": "v0", "One": kind + "0", "Two": kind + "1"])
        let swapped = english(type, [("English", role), ("Plus", nil)])
        #expect(
            RenditionPlan(swapped, after: first).names
                == ["v": "v0", "Plus": kind + "0", "English": kind + "1"])
        let lone = english(type, [("Two", role)])
        #expect(RenditionPlan(lone, after: first).names == ["v": "v0", "Two": kind + "1"])
        let plain = RenditionPlan(english(type, [("English", nil)]))
        #expect(RenditionPlan(lone, after: plain).names == ["v": "v0", "Two": kind + "1"])
    }

    @Test("A source that says no roles: the names tell which sound describes the picture")
    func unsaidRoles() {
        let first = RenditionPlan(english(.audio, [("English", nil), ("Described", Self.described)]))
        let silent = english(.audio, [("Described", nil), ("English", nil)])
        #expect(RenditionPlan(silent, after: first).names == ["v": "v0", "English": "a0", "Described": "a1"])
        let unnamed = english(.audio, [("Stereo", nil)])
        #expect(RenditionPlan(unnamed, after: first).names == ["v": "v0", "Stereo": "a0"])
    }

    @Test("A stable id decides against all other attributes")
    func stable() {
        let first = RenditionPlan(
            playlist([variant("a", 720, 1, stable: "one"), variant("b", 720, 1, stable: "two")]))
        let again = playlist([variant("c", 1080, 9, stable: "two"), variant("d", 720, 1, stable: "one")])
        #expect(RenditionPlan(again, after: first).names == ["d": "v0", "c": "v1"])
        let others = playlist([variant("a", 720, 1, stable: "one"), variant("e", 720, 1, stable: "three")])
        #expect(RenditionPlan(others, after: first).names == ["a": "v0", "e": "v2"])
    }

    @Test("A source that begins to say stable ids keeps its renditions")
    func stableFromNowOn() {
        let again = playlist([variant("mid", 720, 2_500_000, stable: "m")])
        let plan = RenditionPlan(again, after: RenditionPlan(three))
        #expect(plan.names == ["mid": "v1"])
        #expect(plan.items.first?.description.stableID == "m")
    }

    @Test("Of redundant streams the first is recorded, the others stand by, and a URI counts once")
    func redundant() {
        let list = playlist([
            variant("https://a/1", 720, 3_000_000), variant("https://b/1", 720, 3_010_000),
            variant("https://a/2", 360, 800_000), variant("https://a/2", 360, 900_000),
            variant("https://a/3", 720, 5_000_000),
        ])
        let plan = RenditionPlan(list)
        #expect(plan.names == ["https://a/1": "v0", "https://a/2": "v1", "https://a/3": "v2"])
        #expect(plan.items.map(\.fallbacks) == [["https://b/1"], [], []])
    }

    @Test("Other pathways are no renditions of their own, but stand by")
    func pathways() {
        var (one, two) = (
            [variant("a/hi", 720, 3_000_000, audio: "A"), variant("a/lo", 360, 800_000, audio: "A")],
            [variant("b/hi", 720, 3_400_000, audio: "B"), variant("b/lo", 360, 900_000, audio: "B")]
        )
        for place in one.indices { (one[place].pathwayID, two[place].pathwayID) = ("CDN-A", "CDN-B") }
        let list = playlist(
            one + two,
            [
                media(.audio, "A", "English", "a/en", language: "en"),
                media(.audio, "B", "English", "b/en", language: "en"),
            ])
        let plan = RenditionPlan(list)
        #expect(plan.names == ["a/hi": "v0", "a/lo": "v1", "a/en": "a0"])
        #expect(plan.items.map(\.fallbacks) == [["b/hi"], ["b/lo"], ["b/en"]])
    }

    @Test("Highest, lowest, named")
    func choices() {
        #expect(Array(RenditionPlan(three, .highest).names.keys) == ["high"])
        #expect(Array(RenditionPlan(three, .lowest).names.keys) == ["low"])
        let ids = [RenditionID(kind: .video, index: 0), RenditionID(kind: .video, index: 2)]
        #expect(RenditionPlan(three, .named(ids)).names == ["low": "v0", "high": "v2"])
        #expect(RenditionPlan(three, .named([audio])).items.isEmpty)
    }

    @Test("Audio and subtitles of the groups in use are recorded, once per URI, not what is inside a variant")
    func groups() {
        let list = playlist(
            [
                variant("v", 720, 3_000_000, audio: "hi", subtitles: "s"),
                variant("v", 720, 2_500_000, audio: "lo", subtitles: "s"),
            ],
            [
                media(.audio, "hi", "English", "en-hi", language: "en"),
                media(.audio, "hi", "Deutsch", "de-hi", language: "de"),
                media(.audio, "lo", "English", "en-lo", language: "en"),
                media(.audio, "lo", "Deutsch", "de-hi", language: "de"),
                media(.audio, "other", "English", "unused", language: "en"),
                media(.audio, "hi", "Muxed", nil), media(.subtitles, "s", "English", "subs", language: "en"),
                media(.closedCaptions, "cc", "CC", nil),
            ])
        #expect(
            RenditionPlan(list).names
                == ["v": "v0", "en-hi": "a0", "de-hi": "a1", "en-lo": "a2", "subs": "s0"])
    }

    @Test("Of the highest variant only its own groups are recorded")
    func groupsOfHighest() {
        let list = playlist(
            [variant("low", 360, 1, audio: "lo"), variant("high", 720, 2, audio: "hi")],
            [media(.audio, "lo", "English", "lo"), media(.audio, "hi", "English", "hi")])
        #expect(RenditionPlan(list, .highest).names == ["high": "v0", "hi": "a0"])
    }

    @Test("Audio is known again by group, name and language in any order")
    func audioAgain() {
        let first = playlist(
            [variant("v", 720, 1, audio: "g")],
            [
                media(.audio, "g", "English", "en", language: "en"),
                media(.audio, "g", "Deutsch", "de", language: "de"),
            ])
        let again = playlist(
            [variant("v2", 720, 1, audio: "g")],
            [
                media(.audio, "g", "Français", "fr2", language: "fr"),
                media(.audio, "g", "Deutsch", "de2", language: "de"),
                media(.audio, "g", "English", "en2", language: "en"),
            ])
        #expect(
            RenditionPlan(again, after: RenditionPlan(first)).names
                == ["v2": "v0", "en2": "a0", "de2": "a1", "fr2": "a2"])
    }

    @Test("Where no id is left, a rendition is not recorded under another one's")
    func noIDLeft() {
        var last = RenditionDescription(id: RenditionID(kind: .video, index: 999))
        last.resolution = "1x1"
        let plan = RenditionPlan(three, choice: .all, known: [last], recorded: [])
        #expect(plan.items.isEmpty)
    }

    @Test("No more renditions than the module's bound")
    func bound() {
        let many = playlist((0..<100).map { variant("v\($0)", $0, $0) })
        #expect(RenditionPlan(many).items.count == Limits.renditions)
    }

    @Test("Beyond the bound each kind has its first one, known ones go on, and names choose among all")
    func tooMany() {
        let sounds = ["English", "French"].enumerated().map { media(.audio, "a", $1, "s\($0)") }
        let variants = (0..<33).map { variant("v\($0)", 100 + $0, 1000 - $0, audio: "a") }
        let plan = RenditionPlan(playlist(variants, sounds))
        #expect(plan.items.count == 32 && plan.leftOutCount == 3)
        #expect(plan.names["s0"] == "a0" && plan.names["s1"] == nil)
        // The variants come in another order later.
        let later = RenditionPlan(playlist(variants.reversed(), sounds), after: plan)
        #expect(later.names == plan.names)
        let chosen = [video(32), RenditionID(kind: .audio, index: 1)]
        let named = RenditionPlan(playlist(variants, sounds), .named(chosen))
        #expect(named.names == ["v32": "v32", "s1": "a1"] && named.leftOutCount == 0)
    }

    @Test("What the playlist says of variants and alternatives is kept, also of those without a playlist")
    func attributes() throws {
        let text = """
            #EXTM3U
            #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="lo",NAME="English",LANGUAGE="en",DEFAULT=YES,AUTOSELECT=YES
            #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="lo",NAME="Description",ASSOC-LANGUAGE="en-GB",CHARACTERISTICS="d",URI="d"
            #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="hi",NAME="English",LANGUAGE="en",DEFAULT=YES,AUTOSELECT=YES
            #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="hi",NAME="Described",CHANNELS="2",URI="d"
            #EXT-X-MEDIA:TYPE=CLOSED-CAPTIONS,GROUP-ID="cc",NAME="CC1",LANGUAGE="en",INSTREAM-ID="CC1"
            #EXT-X-MEDIA:TYPE=CLOSED-CAPTIONS,GROUP-ID="other",NAME="x",INSTREAM-ID="CC2"
            #EXT-X-MEDIA:TYPE=VIDEO,GROUP-ID="view",NAME="Hall",DEFAULT=YES,AUTOSELECT=YES
            #EXT-X-MEDIA:TYPE=VIDEO,GROUP-ID="view",NAME="Stage",AUTOSELECT=YES,URI="stage"
            #EXT-X-STREAM-INF:BANDWIDTH=1000000,RESOLUTION=640x360,AUDIO="lo",VIDEO="view",CLOSED-CAPTIONS="cc",VIDEO-RANGE=SDR,SCORE=2
            low
            #EXT-X-STREAM-INF:BANDWIDTH=5000000,RESOLUTION=1920x1080,AUDIO="hi",SUPPLEMENTAL-CODECS="dvh1.08.07/db4h"
            high
            #EXT-X-STREAM-INF:BANDWIDTH=5100000,RESOLUTION=1920x1080,AUDIO="lo",CLOSED-CAPTIONS=NONE
            high
            """
        guard case .multivariant(let list) = try Playlist.reading(text).playlist else {
            Issue.record("no multivariant playlist")
            return
        }
        let items = RenditionPlan(list).items
        #expect(items.map(\.uri).sorted() == ["d", "high", "low"])
        func words(_ attributes: [PlaylistAttribute]?) -> [String] {
            (attributes ?? []).map { $0.isQuoted ? "\($0.name)=\"\($0.value)\"" : "\($0.name)=\($0.value)" }
        }
        func tags(_ lists: [[PlaylistAttribute]]?) -> [String] {
            (lists ?? []).map { words($0).joined(separator: ",") }
        }
        let found = Dictionary(items.map { ($0.uri, $0.description) }, uniquingKeysWith: { one, _ in one })
        let english = #"NAME="English",DEFAULT=YES,AUTOSELECT=YES"#
        let captions =
            #"TYPE=CLOSED-CAPTIONS,GROUP-ID="cc",LANGUAGE="en",NAME="CC1",INSTREAM-ID="CC1""#
        let low = try #require(found["low"])
        #expect(words(low.attributes) == ["VIDEO-RANGE=SDR", #"VIDEO="view""#, #"CLOSED-CAPTIONS="cc""#])
        let view = #"TYPE=VIDEO,GROUP-ID="view",NAME="Hall",DEFAULT=YES,AUTOSELECT=YES"#
        #expect(tags(low.media) == [#"TYPE=AUDIO,GROUP-ID="lo",LANGUAGE="en","# + english, captions, view])
        #expect(low.repeats == nil)
        let high = try #require(found["high"])
        #expect(words(high.attributes) == [#"SUPPLEMENTAL-CODECS="dvh1.08.07/db4h""#])
        #expect(
            tags(high.media)
                == ["lo", "hi"].map { #"TYPE=AUDIO,GROUP-ID="\#($0)",LANGUAGE="en","# + english })
        #expect(tags(high.repeats) == [#"AUDIO="lo",CLOSED-CAPTIONS=NONE"#])
        let description = try #require(found["d"])
        #expect(description.id == RenditionID("a0") && description.groupID == "lo")
        #expect(words(description.attributes) == [#"ASSOC-LANGUAGE="en-GB""#, #"CHARACTERISTICS="d""#])
        #expect(tags(description.media) == [#"TYPE=AUDIO,GROUP-ID="hi",NAME="Described",CHANNELS="2""#])
    }
}
