import HLS
import Testing
import Timeline

/// A tag of the standard, a playlist that has it, and the line that must be written.
struct TagRow: Sendable, CustomTestStringConvertible {
    var tag: PlaylistTag
    var playlist: Playlist
    var line: String

    var testDescription: String { tag.rawValue }

    static func media(_ tag: PlaylistTag, _ line: String, _ change: (inout MediaPlaylist) -> Void) -> TagRow {
        var playlist = MediaPlaylist()
        playlist.version = 9
        playlist.targetDurationSeconds = 6
        playlist.mediaSequence = 41
        playlist.segments = [
            MediaSegment(uri: "first.ts", durationMicroseconds: 6_006_000),
            MediaSegment(uri: "second.ts", durationMicroseconds: 5_994_000, title: "Title, with comma"),
        ]
        change(&playlist)
        return TagRow(tag: tag, playlist: .media(playlist), line: line)
    }

    static func segment(_ tag: PlaylistTag, _ line: String, _ change: (inout MediaSegment) -> Void) -> TagRow
    {
        media(tag, line) { change(&$0.segments[1]) }
    }

    static func vendor(_ tag: PlaylistTag, _ line: String) -> TagRow {
        segment(tag, line) { $0.unknownLines = [line] }
    }

    static func multivariant(
        _ tag: PlaylistTag, _ line: String, _ change: (inout MultivariantPlaylist) -> Void
    ) -> TagRow {
        var playlist = MultivariantPlaylist()
        playlist.variants = [VariantStream(uri: "low.m3u8", bandwidth: 800_000)]
        change(&playlist)
        return TagRow(tag: tag, playlist: .multivariant(playlist), line: line)
    }

    static func attributes(_ pairs: [(String, String, Bool)]) -> AttributeList {
        var list = AttributeList()
        for (name, value, isQuoted) in pairs {
            list.append(PlaylistAttribute(name: name, value: value, isQuoted: isQuoted))
        }
        return list
    }
}

enum TagTable {
    static let rows = headerRows + mediaRows + lowLatencyRows + segmentRows + vendorRows + multivariantRows

    static let headerRows: [TagRow] = [
        .media(.header, "#EXTM3U") { _ in },
        .media(.version, "#EXT-X-VERSION:7") { $0.version = 7 },
        .media(.independentSegments, "#EXT-X-INDEPENDENT-SEGMENTS") { $0.isIndependentSegments = true },
        .media(.start, "#EXT-X-START:TIME-OFFSET=-12.5,PRECISE=YES") {
            $0.start = StartPoint(offsetMicroseconds: -12_500_000, isPrecise: true)
        },
        .media(.define, "#EXT-X-DEFINE:NAME=\"host\",VALUE=\"cdn.example\"") {
            $0.definitions = [Definition(name: "host", value: "cdn.example")]
        },
        .media(.allowCache, "#EXT-X-ALLOW-CACHE:NO") { $0.allowsCache = false },
    ]

    static let mediaRows: [TagRow] = [
        .media(.targetDuration, "#EXT-X-TARGETDURATION:8") { $0.targetDurationSeconds = 8 },
        .media(.mediaSequence, "#EXT-X-MEDIA-SEQUENCE:9223372036854775808") {
            $0.mediaSequence = 9_223_372_036_854_775_808
        },
        .media(.discontinuitySequence, "#EXT-X-DISCONTINUITY-SEQUENCE:0") { $0.discontinuitySequence = 0 },
        .media(.endList, "#EXT-X-ENDLIST") { $0.isEnded = true },
        .media(.playlistType, "#EXT-X-PLAYLIST-TYPE:EVENT") { $0.type = .event },
        .media(.iFramesOnly, "#EXT-X-I-FRAMES-ONLY") { $0.isIFramesOnly = true },
        .media(.skip, "#EXT-X-SKIP:SKIPPED-SEGMENTS=3,RECENTLY-REMOVED-DATERANGES=\"ad-1\"") {
            $0.skip = .init(segmentCount: 3, removedDateRanges: "ad-1")
        },
        .media(
            .dateRange,
            """
            #EXT-X-DATERANGE:ID="ad-2",CLASS="com.example.ad",START-DATE="2026-03-01T00:00:00.000Z",CUE="PRE,ONCE",\
            END-DATE="2026-03-01T00:00:30.000Z",DURATION=30,PLANNED-DURATION=30.5,END-ON-NEXT=YES,\
            SCTE35-CMD=0xFC30,SCTE35-OUT=0xFC31,SCTE35-IN=0xFC32,X-COM-EXAMPLE="yes"
            """
        ) { $0.dateRanges = [dateRange] },
    ]

    static var dateRange: DateRange {
        // 2026-03-01 is day 20,513 after 1970-01-01.
        var range = DateRange(id: "ad-2", startMicroseconds: 20_513 * 86_400_000_000)
        range.classIdentifier = "com.example.ad"
        range.cue = "PRE,ONCE"
        range.endMicroseconds = 20_513 * 86_400_000_000 + 30_000_000
        range.durationMicroseconds = 30_000_000
        range.plannedDurationMicroseconds = 30_500_000
        range.endsOnNext = true
        range.scte35Command = "0xFC30"
        range.scte35Out = "0xFC31"
        range.scte35In = "0xFC32"
        range.otherAttributes = TagRow.attributes([("X-COM-EXAMPLE", "yes", true)])
        return range
    }

    static let lowLatencyRows: [TagRow] = [
        .media(.serverControl, "#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,PART-HOLD-BACK=1.0") {
            $0.serverControl = TagRow.attributes([
                ("CAN-BLOCK-RELOAD", "YES", false), ("PART-HOLD-BACK", "1.0", false),
            ])
        },
        .media(.partInformation, "#EXT-X-PART-INF:PART-TARGET=0.33334") {
            $0.partInformation = TagRow.attributes([("PART-TARGET", "0.33334", false)])
        },
        .media(.preloadHint, "#EXT-X-PRELOAD-HINT:TYPE=PART,URI=\"third.0.mp4\"") {
            $0.preloadHints = [TagRow.attributes([("TYPE", "PART", false), ("URI", "third.0.mp4", true)])]
            $0.trailingLines = ["#EXT-X-PART:DURATION=0.33334,URI=\"next.0.mp4\""]
        },
        .media(.renditionReport, "#EXT-X-RENDITION-REPORT:URI=\"../audio.m3u8\",LAST-MSN=42") {
            $0.renditionReports = [
                TagRow.attributes([("URI", "../audio.m3u8", true), ("LAST-MSN", "42", false)])
            ]
        },
        .segment(.part, "#EXT-X-PART:DURATION=0.5,URI=\"second.0.mp4\",INDEPENDENT=YES") {
            $0.partLines = ["#EXT-X-PART:DURATION=0.5,URI=\"second.0.mp4\",INDEPENDENT=YES"]
        },
    ]
}
