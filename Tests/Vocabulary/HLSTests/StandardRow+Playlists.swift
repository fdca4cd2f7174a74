import HLS
import Testing

extension StandardRow {
    /// The text (RFC 8216bis §4.1) and the tags of both kinds of playlist (§4.4.1, §4.4.2).
    static let anyPlaylist: [StandardRow] = [
        // Lines end with LF or CR LF; blank lines and comments mean nothing.
        .media("rfc8216bis-4.1-lines") {
            #expect($0.segments.map(\.uri) == ["a.ts", "b.ts"])
            #expect($0.unknownLines == ["# a comment"])
        },
        .media("rfc8216bis-4.4.1-basic-tags", .header, .version) { #expect($0.version == 7) },
        .media("rfc8216bis-4.4.2.1-independent-segments", .independentSegments) {
            #expect($0.isIndependentSegments)
        },
        // A negative offset counts from the end of the last segment.
        .media("rfc8216bis-4.4.2.2-start", .start) {
            #expect($0.start == StartPoint(offsetMicroseconds: -12_500_000, isPrecise: true))
        },
        // Values come from the tag, the query of the playlist's URL or the multivariant playlist. They are
        // inserted into URIs and quoted strings; a query parameter is percent-decoded, and its first value
        // counts.
        .media(
            "rfc8216bis-4.4.2.3-define", .define,
            source: VariableSource(
                url: "https://a.example/x.m3u8?token=a%2Fb%20c&empty&token=second#fragment",
                imports: ["auth": "k=v"])
        ) {
            #expect($0.segments[0].uri == "https://cdn.example/a/b c/{a}/{$}.mp4?k=v")
            #expect($0.segments[0].map?.uri == "https://cdn.example/init.mp4")
            #expect($0.segments[0].title == "{$host} stays in a title")
            #expect(
                $0.definitions == [
                    Definition(name: "host", value: "cdn.example"),
                    Definition(name: "token", value: "a/b c", origin: .queryParameter),
                    Definition(name: "auth", value: "k=v", origin: .imported),
                ])
            #expect($0.variables == ["host": "cdn.example", "token": "a/b c", "auth": "k=v"])
        },
        // Version 7 removed the tag; older players still meet it.
        .media("rfc8216-7-allow-cache", .allowCache) { #expect($0.allowsCache == false) },
    ]

    /// The tags of media playlists (RFC 8216bis §4.4.3).
    static let mediaPlaylist: [StandardRow] = [
        // EXTINF may exceed it by less than half a second, because it is rounded.
        .media("rfc8216bis-4.4.3.1-targetduration", .targetDuration) {
            #expect($0.targetDurationSeconds == 4)
            #expect($0.segments.map(\.durationMicroseconds) == [4_499_000, 2_000_000])
        },
        .media("rfc8216bis-4.4.3.2-media-sequence", .mediaSequence) {
            #expect($0.number(at: 0) == 2_680)
            #expect($0.number(at: 1) == 2_681)
        },
        .media("rfc8216bis-4.4.3.3-discontinuity-sequence", .discontinuitySequence) {
            #expect($0.discontinuitySequence == 4)
            #expect($0.segments.map(\.discontinuityCount) == [1])
        },
        // The tag may occur anywhere in the playlist.
        .media("rfc8216bis-4.4.3.4-endlist", .endList) {
            #expect($0.isEnded)
            #expect($0.segments.count == 1)
        },
        .media("rfc8216bis-4.4.3.5-playlist-type", .playlistType) { #expect($0.type == .event) },
        // Each segment is an I-frame; its duration is the time to the next one.
        .media("rfc8216bis-4.4.3.6-i-frames-only", .iFramesOnly) {
            #expect($0.isIFramesOnly)
            #expect($0.segments.map { $0.byteRange?.offset } == [720, 170_720])
            #expect($0.segments[1].map?.byteRange == ByteRange(length: 720, offset: 0))
        },
        .media("rfc8216bis-4.4.3.7-part-inf", .partInformation) {
            #expect($0.partInformation?["PART-TARGET"] == "0.33334")
        },
        .media("rfc8216bis-4.4.3.8-server-control", .serverControl) {
            #expect($0.serverControl?.attributes.count == 4)
            #expect($0.serverControl?["CAN-SKIP-UNTIL"] == "24.0")
        },
    ]

    /// The tags with metadata of a media playlist (RFC 8216bis §4.4.5).
    static let mediaMetadata: [StandardRow] = [
        // Tags with one ID are one range; a later tag adds attributes. SCTE-35 values stay as they are.
        .media("rfc8216bis-4.4.5.1-daterange", .dateRange) {
            #expect($0.dateRanges.map(\.id) == ["splice", "logo"])
            // 2026-03-01 is day 20,513 after 1970-01-01.
            let midnight: Int64 = 20_513 * 86_400_000_000
            let (splice, logo) = ($0.dateRanges[0], $0.dateRanges[1])
            #expect(splice.startMicroseconds == midnight + 6_000_000)
            #expect(splice.plannedDurationMicroseconds == 30_500_000)
            #expect(splice.durationMicroseconds == 29_500_000)
            #expect([splice.scte35Out, splice.scte35In] == ["0xFC31", "0xFC32"])
            #expect(logo.startMicroseconds == midnight + 8_000_000)
            #expect(logo.endsOnNext)
            #expect(logo.otherAttributes["X-FILE"] == "logo.png")
        },
        // A delta update numbers its segments after those that it skips.
        .media("rfc8216bis-4.4.5.2-skip", .skip) {
            #expect($0.skip == .init(segmentCount: 7, removedDateRanges: "ad-1"))
            #expect($0.number(at: 0) == 107)
        },
        .media("rfc8216bis-4.4.5.3-preload-hint", .preloadHint) {
            #expect($0.preloadHints.map { $0["URI"] } == ["b.mp4"])
        },
        .media("rfc8216bis-4.4.5.4-rendition-report", .renditionReport) {
            #expect($0.renditionReports.map { $0["LAST-MSN"] } == ["42"])
        },
    ]
}
