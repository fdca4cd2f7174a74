import Testing

@testable import HLS

extension StandardRow {
    /// The tags of single segments (RFC 8216bis §4.4.4), and cue tags that no standard has.
    static let segments: [StandardRow] = [
        // A title extends to the end of the line.
        .media("rfc8216bis-4.4.4.1-extinf", .duration) {
            #expect($0.segments.map(\.durationMicroseconds) == [9_009_009, 3_000_000])
            #expect($0.segments.map(\.title) == [nil, "A title, with a comma"])
        },
        // A range without offset continues the preceding one of the same resource.
        .media("rfc8216bis-4.4.4.2-byterange", .byteRange) {
            let expected: [ByteRange?] = [
                ByteRange(length: 100, offset: 50), ByteRange(length: 25, offset: 150),
                ByteRange(length: 10, offset: 0), nil,
            ]
            #expect($0.segments.map(\.byteRange) == expected)
        },
        .media("rfc8216bis-4.4.4.3-discontinuity", .discontinuity) {
            #expect($0.segments.map(\.discontinuityCount) == [0, 1, 2, 0])
        },
        // The tag applies to the next segment only.
        .media("rfc8216bis-4.4.4.7-gap", .gap) {
            #expect($0.segments.map(\.isGap) == [false, true, false])
        },
        // A part belongs to the segment after it, or to one that is not listed yet.
        .media("rfc8216bis-4.4.4.9-part", .part) {
            #expect($0.segments.map(\.partLines.count) == [2])
            #expect($0.trailingLines == ["#EXT-X-PART:DURATION=2,URI=\"b.0.mp4\""])
        },
        .media(
            "vendor-cue-tags", .cueOut, .cueOutContinued, .cueIn, .cue, .asset, .scte35, .oatclsSCTE35
        ) {
            #expect($0.segments.map(\.unknownLines.count) == [0, 3, 2, 2])
            #expect($0.segments[3].unknownLines.first == "#EXT-X-CUE-IN")
        },
    ]

    /// The tags that stay in force, and dates (RFC 8216bis §4.4.4).
    static let segmentFormats: [StandardRow] = [
        // A key replaces the one of its KEYFORMAT, and METHOD=NONE ends all of them.
        .media("rfc8216bis-4.4.4.4-key", .key) {
            let drm = Key(
                method: .sampleAES, uri: "skd://x", keyFormat: "com.apple.streamingkeydelivery",
                keyFormatVersions: "1/2")
            let first = Key(method: .sampleAES, uri: "https://keys.example/1?a=b,c")
            let second = Key(
                method: .sampleAES, uri: "k2",
                initializationVector: 0xFEDC_BA98_7654_3210_0123_4567_89AB_CDEF)
            #expect($0.segments.map(\.keys) == [[first, drm], [second, drm], []])
        },
        // The keys in force at the tag apply to the initialization section.
        .media("rfc8216bis-4.4.4.5-map", .map) {
            let key = Key(method: .aes128, uri: "k1", initializationVector: 7)
            let clear = MediaMap(uri: "clear.mp4", byteRange: ByteRange(length: 720, offset: 0))
            #expect($0.segments.map(\.map) == [clear, MediaMap(uri: "encrypted.mp4", keys: [key])])
            #expect($0.segments.map(\.keys) == [[key], []])
        },
        .media("rfc8216bis-4.4.4.6-program-date-time", .programDateTime) {
            #expect(
                $0.segments.map(\.programDateTimeMicroseconds) == [86_400_500_000, nil, 86_408_031_000])
        },
        // The rate stays in force until the next tag.
        .media("rfc8216bis-4.4.4.8-bitrate", .bitrate) {
            #expect($0.segments.map(\.kilobitsPerSecond) == [nil, 1_500, 1_500])
        },
    ]
}
