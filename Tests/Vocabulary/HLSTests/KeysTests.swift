import HLS
import TestSupport
import Testing

struct KeysTests {
    static let identity = Key(method: .aes128, uri: "k1")
    static let other = Key(method: .aes128, uri: "k2", initializationVector: 7)
    static let drm = Key(method: .sampleAES, uri: "skd://x", keyFormat: "com.apple.streamingkeydelivery")

    @Test("Keys of several formats are in force together until the next key of their format or METHOD=NONE")
    func keysInForce() throws {
        let playlist = try readMedia(
            """
            #EXTM3U
            #EXT-X-TARGETDURATION:4
            #EXT-X-KEY:METHOD=AES-128,URI="k1"
            #EXT-X-KEY:METHOD=SAMPLE-AES,URI="skd://x",KEYFORMAT="com.apple.streamingkeydelivery"
            #EXTINF:4,
            a.ts
            #EXT-X-KEY:METHOD=AES-128,URI="k2",IV=0x7
            #EXTINF:4,
            b.ts
            #EXT-X-KEY:METHOD=NONE
            #EXTINF:4,
            c.ts
            """)
        #expect(playlist.segments.map(\.keys) == [[Self.identity, Self.drm], [Self.drm, Self.other], []])
    }

    @Test("The map keeps the keys that were in force at its tag")
    func keysOfMap() throws {
        let playlist = try readMedia(
            """
            #EXTM3U
            #EXT-X-TARGETDURATION:4
            #EXT-X-MAP:URI="clear.mp4"
            #EXT-X-KEY:METHOD=AES-128,URI="k1"
            #EXTINF:4,
            a.m4s
            #EXT-X-MAP:URI="hidden.mp4"
            #EXT-X-KEY:METHOD=NONE
            #EXTINF:4,
            b.m4s
            """)
        #expect(playlist.segments[0].map == MediaMap(uri: "clear.mp4"))
        #expect(playlist.segments[0].keys == [Self.identity])
        #expect(playlist.segments[1].map == MediaMap(uri: "hidden.mp4", keys: [Self.identity]))
        #expect(playlist.segments[1].keys == [])
    }

    @Test("Any sequence of keys and maps is written and read back unchanged", arguments: [false, true])
    func changesRoundTrip(restates: Bool) throws {
        let sets: [[Key]] = [
            [], [Self.identity], [Self.drm], [Self.identity, Self.drm], [Self.drm, Self.other],
        ]
        var playlist = MediaPlaylist()
        playlist.targetDurationSeconds = 4
        for (index, before) in sets.enumerated() {
            for after in sets {
                for keys in [before, after] {
                    let map = MediaMap(uri: "init\(index).mp4", keys: before)
                    playlist.segments.append(
                        MediaSegment(
                            uri: "s", durationMicroseconds: 4_000_000,
                            discontinuityCount: playlist.segments.count % 3, keys: keys, map: map))
                }
            }
        }
        let text = playlist.written(WritingOptions(restatesAfterDiscontinuity: restates))
        #expect(try readMedia(text) == playlist)
    }

    @Test("Without an explicit IV the media sequence number is used, most significant byte first")
    func effectiveVector() {
        let implicit = Self.identity.effectiveInitializationVector(mediaSequenceNumber: 0x0102)
        #expect(Key.bytes(ofInitializationVector: implicit) == [UInt8](repeating: 0, count: 14) + [1, 2])
        #expect(Self.other.effectiveInitializationVector(mediaSequenceNumber: 9) == 7)
    }

    @Test("An IV of 16 bytes keeps all of them")
    func wholeVector() throws {
        let playlist = try readMedia(
            "#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\n"
                + "#EXT-X-KEY:METHOD=AES-128,URI=\"k\",IV=0xfedcba98765432100123456789ABCDEF\na.ts\n")
        let vector = try #require(playlist.segments[0].keys[0].initializationVector)
        #expect(vector == 0xFEDC_BA98_7654_3210_0123_4567_89AB_CDEF)
    }
}
