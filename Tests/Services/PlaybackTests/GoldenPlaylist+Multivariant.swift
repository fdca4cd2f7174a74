import Catalogue
import TestSupport
import Timeline

@testable import Playback

/// Multivariant answers.
extension GoldenPlaylist {
    static let multivariants: [GoldenPlaylist] = [
        // API: every URI carries the query with a resolved end.
        // RFC 8216bis §4.4.6.2: BANDWIDTH is the largest sum of a playable combination: video, one audio and
        // one subtitle rendition. §4.4.6.1: one default for each group.
        .multivariant("multivariant") { try presentation.closed(0, 12) },
        // API: `master.m3u8` is multivariant even for one rendition.
        .multivariant("multivariant-one-variant") { try RecordedFixture(run(3, from: 0)).closed(0, 12) },
        // A channel without video has its audio as variants.
        .multivariant("multivariant-audio-only") {
            var recorded = RecordedFixture(run(3, from: 0, format: 3, bytes: 64_000), as: "a0")
            recorded.formats[3] = audio
            return try recorded.closed(0, 12)
        },
        // RFC 8216bis §4.4.6: what the source says of variants and alternatives; alternatives without URI are
        // part of the variant's media, one rendition may be in several groups, and a variant may be listed
        // with each.
        .multivariant("multivariant-attributes") { try attributed.closed(0, 12) },
        // A playlist that goes on promises what the source promises, not only the peak so far.
        .multivariant("multivariant-live", query: nil) {
            var recorded = RecordedFixture(run(20, from: 0))
            recorded.renditions[0].description.bandwidth = 2_000_000
            return recorded.published(until: 80).sliding(now: 84)
        },
    ]

    private static let audio = SegmentFormat(
        container: .transportStream, tracks: "audio:aac", codecs: "mp4a.40.2")

    /// Two variants with two audio renditions and one with subtitles.
    private static var presentation: RecordedFixture {
        var recorded = RecordedFixture()
        recorded.formats = [3: audio, 4: SegmentFormat(container: .webVTT)]
        for (format, size, rate, bytes) in [(1, (1280, 720), "50", 500_000), (2, (640, 360), "25", 250_000)] {
            var video = SegmentFormat.silent
            (video.width, video.height) = size
            recorded.formats[Int32(format)] = video
            recorded.add(
                run(3, from: 0, format: Int32(format), bytes: Int64(bytes)), as: "v\(format - 1)"
            ) {
                ($0.audioGroup, $0.subtitlesGroup, $0.frameRate) = ("aac", "subs", rate)
            }
        }
        for (id, language, name) in [("a0", "de", "Deutsch"), ("a1", "en", "English")] {
            recorded.add(run(3, from: 0, format: 3, bytes: 64_000), as: id) {
                ($0.groupID, $0.language, $0.name, $0.channels) = ("aac", language, name, "2")
                $0.isDefault = language == "de"
                $0.autoselect = true
            }
        }
        recorded.add(run(3, from: 0, format: 4, bytes: 2_000), as: "s0") {
            ($0.groupID, $0.language, $0.name, $0.forced) = ("subs", "de", "Deutsch", true)
        }
        return recorded
    }

    private static func tag(_ attributes: (String, String)...) -> [PlaylistAttribute] {
        let enumerated = ["TYPE", "DEFAULT", "AUTOSELECT", "VIDEO-RANGE"]
        return attributes.map {
            PlaylistAttribute(name: $0.0, value: $0.1, isQuoted: !enumerated.contains($0.0))
        }
    }

    private static func english(_ group: String) -> [PlaylistAttribute] {
        tag(
            ("TYPE", "AUDIO"), ("GROUP-ID", group), ("LANGUAGE", "en"), ("NAME", "English"),
            ("DEFAULT", "YES"), ("AUTOSELECT", "YES"))
    }

    /// English in the videos, a description beside them, captions, and a view that only one variant has.
    private static var attributed: RecordedFixture {
        var recorded = RecordedFixture()
        recorded.formats[3] = audio
        let captions = tag(
            ("TYPE", "CLOSED-CAPTIONS"), ("GROUP-ID", "cc"), ("LANGUAGE", "en"), ("NAME", "CC1"),
            ("INSTREAM-ID", "CC1"))
        let view = tag(
            ("TYPE", "VIDEO"), ("GROUP-ID", "view"), ("NAME", "Hall"), ("DEFAULT", "YES"),
            ("AUTOSELECT", "YES"))
        recorded.add(run(3, from: 0, bytes: 250_000), as: "v0") {
            ($0.audioGroup, $0.resolution) = ("lo", "640x360")
            $0.attributes = tag(("VIDEO-RANGE", "SDR"), ("VIDEO", "view"), ("CLOSED-CAPTIONS", "cc"))
            $0.media = [english("lo"), captions, view]
        }
        recorded.add(run(3, from: 0, bytes: 500_000), as: "v1") {
            ($0.audioGroup, $0.resolution) = ("hi", "1920x1080")
            $0.attributes = tag(
                ("VIDEO-RANGE", "PQ"), ("CLOSED-CAPTIONS", "cc"), ("SUPPLEMENTAL-CODECS", "dvh1.08.07/db4h"))
            $0.media = [english("hi"), english("lo"), captions]
            $0.repeats = [tag(("AUDIO", "lo"), ("VIDEO-RANGE", "PQ"), ("CLOSED-CAPTIONS", "cc"))]
        }
        recorded.add(run(3, from: 0, format: 3, bytes: 64_000), as: "a0") {
            ($0.groupID, $0.name, $0.language) = ("lo", "Description", "en")
            $0.attributes = tag(
                ("ASSOC-LANGUAGE", "en-GB"), ("CHARACTERISTICS", "public.accessibility.describes-video"))
            $0.media = [
                tag(
                    ("TYPE", "AUDIO"), ("GROUP-ID", "hi"), ("LANGUAGE", "en"), ("NAME", "Described"),
                    ("CHANNELS", "2"))
            ]
        }
        return recorded
    }
}
