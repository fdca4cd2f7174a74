import Catalogue
import TestSupport
import Testing
import Timeline

@testable import Playback

/// An answer and the file of `Tests/Fixtures/playlists` that it must be equal to.
struct GoldenPlaylist: Sendable, CustomTestStringConvertible {
    var file: String
    var compose: @Sendable () throws -> String

    var testDescription: String { file }

    func expected() throws -> String { try Fixtures.playlists.text(file + ".m3u8") }

    /// The media playlist of a rendition.
    static func media(
        _ file: String, of rendition: String = "v0",
        _ compose: @escaping @Sendable () throws -> PlaylistContents
    ) -> GoldenPlaylist {
        GoldenPlaylist(file: file) {
            try #require(try compose().text(of: rendition))
        }
    }

    /// The multivariant playlist.
    static func multivariant(
        _ file: String, query: String? = "begintime=1469509516000&endtime=1469509528000",
        _ compose: @escaping @Sendable () throws -> PlaylistContents
    ) -> GoldenPlaylist {
        GoldenPlaylist(file: file) {
            String(decoding: try compose().multivariantPlaylist(query: query), as: UTF8.self)
        }
    }
}

/// Answers to windows in the past.
extension GoldenPlaylist {
    static let closed: [GoldenPlaylist] = [
        // API: always ended and of type VOD, cut to what is recorded, even if the end lies ahead.
        .media("closed") { try RecordedFixture(run(3, from: 0), until: 12).closed(0, 100) },
        // API: EXT-X-START says where the window begins in its first segment.
        .media("closed-begins-inside-segment") { try RecordedFixture(run(3, from: 0)).closed(1.5, 8) },
        // API: missing segments are left out, with a discontinuity and a new date (RFC 8216bis §4.4.4.3).
        .media("closed-hole") { try hole.closed(0, 24) },
        // API: `gaps=tag` names the missing segments (RFC 8216bis §4.4.4.7); Apple asks for version 8.
        .media("closed-hole-gaps") { try hole.closed(0, 24) { $0.writesGaps = true } },
        // RFC 8216bis §6.2.4: all renditions count the same discontinuities, also one without the hole.
        .media("closed-hole-audio", of: "a0") { try hole.closed(0, 24) },
        // API: a short stretch that lacks a track is a hole.
        // RFC 8216bis §4.4.3.3: each of the two boundaries has its tag.
        .media("closed-track-missing") {
            var recorded = RecordedFixture(
                run(2, from: 0) + run(3, from: 8, sequence: 1, format: 2) + run(2, from: 20, sequence: 2))
            recorded.formats[2] = .silent
            return try recorded.closed(0, 28)
        },
        // RFC 8216bis §4.4.3.3: the number of the first segment plus the tags gives that of each segment.
        .media("closed-discontinuities") {
            try RecordedFixture(
                run(1, from: 0, sequence: 7) + run(1, from: 4, sequence: 8) + run(1, from: 20, sequence: 10)
            ).closed(0, 24)
        },
        // A repaired segment has a name of its own, durations keep their microseconds, and a date is written
        // where the durations no longer lead to it (RFC 8216bis §4.4.4.6).
        .media("closed-repaired") {
            var segments = run(3, from: 0, of: 2.005333)
            segments[1].revision = 2
            segments[2].start = segments[2].start + 150_000
            return try RecordedFixture(segments).closed(0, 6)
        },
        // RFC 8216bis §4.4.3.1, §6.2.4: the target duration is that of the longest segment of any rendition.
        .media("closed-audio", of: "a0") { try renditions.closed(0, 12) },
        // RFC 8216bis §3.1.4: subtitles are segments of WebVTT.
        .media("closed-subtitles", of: "s0") { try renditions.closed(0, 12) },
        // API: the source's cue tags stand before the segments that they stood before.
        .media("closed-cue-tags") {
            var segments = run(2, from: 0) + run(2, from: 60, number: 2, sequence: 1)
            segments[0].cueTags = ["#EXT-X-CUE-OUT:30.000", "#EXT-OATCLS-SCTE35:/DAlAAAAAAAAAP/w=="]
            // Unknown tags are recorded and not written.
            segments[1].cueTags = ["#EXT-X-CUE-OUT-CONT:4.000/30.000", "#EXT-X-VENDOR:1"]
            segments[2].cueTags = ["#EXT-X-CUE-IN"]
            for index in 0..<3 { segments[index].flags = .hasCueTags }
            return try RecordedFixture(segments).closed(0, 68)
        },
        // API: the markers that lie in the window, once each, in the time of its dates (RFC 8216bis
        // §4.4.5.1). An interstitial would lead to media that are not recorded.
        .media("closed-markers") {
            var recorded = RecordedFixture(run(3, from: 0), until: 12)
            recorded.markers = markers
            return try recorded.closed(0, 12)
        },
        .media("closed-encrypted") { try encrypted.closed(0, 16) },
        // RFC 8216bis §4.4.4.4: keys of DRM systems stay as the source wrote them; KEYFORMAT needs version 5.
        .media("closed-drm") {
            var recorded = RecordedFixture(run(2, from: 0, format: 2))
            var format = SegmentFormat.muxed
            format.keyMethod = "SAMPLE-AES"
            format.drmTags = [
                #"METHOD=SAMPLE-AES,URI="skd://a",KEYFORMAT="com.apple.streamingkeydelivery","#
                    + #"KEYFORMATVERSIONS="1""#
            ]
            recorded.formats[2] = format
            return try recorded.closed(0, 8)
        },
        // RFC 8216bis §4.4.4.5: the initialization section is written again at its change, which needs a
        // discontinuity. §8: version 6. §4.4.2.1: every segment is independent.
        .media("closed-fragmented") {
            var recorded = RecordedFixture(
                run(2, from: 0, format: 2, flags: .independent)
                    + run(1, from: 8, sequence: 1, format: 3, flags: .independent))
            recorded.formats[2] = .fragmented("init-0000000000000001.mp4")
            recorded.formats[3] = .fragmented("init-0000000000000002.mp4")
            return try recorded.closed(0, 12)
        },
        // RFC 8216bis §4.4.4.5: no key applies to an initialization section, which is stored clear.
        .media("closed-fragmented-encrypted") {
            var recorded = RecordedFixture(
                run(1, from: 0, format: 2).numberedVectors(from: 41)
                    + run(1, from: 16, sequence: 1, format: 2).numberedVectors(from: 42))
            var format = SegmentFormat.fragmented("init-0000000000000001.mp4")
            (format.keyMethod, format.keyName) = ("AES-128", oldKey)
            recorded.formats[2] = format
            return try recorded.closed(0, 20)
        },
    ]

    private static var markers: [RecordedMarker] {
        func marker(
            _ id: String, _ begin: Double, end: Double?, class classID: String? = nil,
            _ versions: [(String, String)]...
        ) -> RecordedMarker {
            RecordedMarker(
                id: id, begin: at(begin), end: end.map(at), classID: classID,
                versions: versions.map { attributes in
                    RecordedMarker.Version(
                        shown: at(begin), until: at(end ?? begin),
                        attributes: attributes.map {
                            PlaylistAttribute(name: $0.0, value: $0.1, isQuoted: $0.0.hasPrefix("X-"))
                        })
                })
        }
        return [
            marker("over", -20, end: 0, [("DURATION", "20")]),
            marker(
                "splice-1", -10, end: 5, class: "com.example.ad",
                [("PLANNED-DURATION", "30"), ("SCTE35-OUT", "0xFC30")],
                [("END-DATE", "2016-07-25T05:05:21Z"), ("SCTE35-IN", "0xFC31")]),
            marker("1 (1)", 6.5, end: nil, [("X-NOTE", "a, b")]),
            marker(
                "i", 7, end: 9, class: "com.apple.hls.interstitial",
                [("DURATION", "2"), ("X-ASSET-URI", "a")]
            ),
            marker("next", 12, end: nil, [("X-NOTE", "c")]),
        ]
    }

    /// Video with a hole of two segments that audio does not have.
    private static var hole: RecordedFixture {
        var recorded = RecordedFixture(run(2, from: 0) + run(2, from: 16, number: 2, sequence: 1))
        recorded.formats[2] = SegmentFormat(container: .aac, tracks: "audio:aac", codecs: "mp4a.40.2")
        recorded.add(
            run(4, from: 0, format: 2) + run(2, from: 16, number: 4, sequence: 1, format: 2), as: "a0")
        return recorded
    }

    /// Three renditions whose segments have different lengths.
    private static var renditions: RecordedFixture {
        var recorded = RecordedFixture(run(2, from: 0, of: 6))
        recorded.formats[2] = SegmentFormat(container: .aac, tracks: "audio:aac", codecs: "mp4a.40.2")
        recorded.formats[3] = SegmentFormat(container: .webVTT)
        recorded.add(run(3, from: 0, of: 3.968, format: 2), as: "a0")
        recorded.add(run(2, from: 0, of: 6, format: 3), as: "s0")
        return recorded
    }

    /// RFC 8216bis §5.2: a list that does not have the source's numbers must write each vector.
    ///
    /// §4.4.4.4: the key changes, and METHOD=NONE precedes what is clear.
    private static var encrypted: RecordedFixture {
        var recorded = RecordedFixture(
            run(2, from: 0, format: 2).numberedVectors(from: 41)
                + run(1, from: 8, format: 3).numberedVectors(from: 43) + run(1, from: 12))
        recorded.formats[2] = .encrypted(oldKey)
        recorded.formats[3] = .encrypted("fedcba9876543210fedcba9876543210")
        return recorded
    }

    private static let oldKey = "0123456789abcdef0123456789abcdef"
}

extension [RecordedSegment] {
    /// Gives each segment the initialization vector that follows from its media sequence number at the
    /// source.
    fileprivate func numberedVectors(from number: UInt8) -> [RecordedSegment] {
        enumerated().map { index, segment in
            var encrypted = segment
            encrypted.iv = [UInt8](repeating: 0, count: 15) + [number + UInt8(index)]
            return encrypted
        }
    }
}
