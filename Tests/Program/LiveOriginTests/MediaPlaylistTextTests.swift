import Testing

@testable import LiveOrigin

@Suite("Media playlists (RFC 8216)")
struct MediaPlaylistTextTests {
    private func listing(_ number: Int, date: Double? = nil) -> Listing {
        Listing(number: number, uri: "v0/\(number).ts", durationSeconds: 4, date: date)
    }

    @Test("A plain playlist: version 3, six decimals, one date per segment")
    func plain() {
        let text = MediaPlaylistText(
            targetDuration: 4, discontinuitySequence: 0,
            listings: [listing(7, date: 1_700_000_000), listing(8, date: 1_700_000_004.0015)])
        #expect(
            text.written() == """
                #EXTM3U
                #EXT-X-VERSION:3
                #EXT-X-TARGETDURATION:4
                #EXT-X-MEDIA-SEQUENCE:7
                #EXT-X-INDEPENDENT-SEGMENTS
                #EXT-X-PROGRAM-DATE-TIME:2023-11-14T22:13:20.000Z
                #EXTINF:4.000000,
                v0/7.ts
                #EXT-X-PROGRAM-DATE-TIME:2023-11-14T22:13:24.002Z
                #EXTINF:4.000000,
                v0/8.ts

                """)
    }

    @Test("A discontinuity, a gap and an end; a gap needs version 8")
    func marks() {
        var second = listing(1)
        second.isDiscontinuity = true
        second.isGap = true
        let text = MediaPlaylistText(
            targetDuration: 4, discontinuitySequence: 2, listings: [listing(0), second], hasEnded: true)
        #expect(
            text.written() == """
                #EXTM3U
                #EXT-X-VERSION:8
                #EXT-X-TARGETDURATION:4
                #EXT-X-MEDIA-SEQUENCE:0
                #EXT-X-DISCONTINUITY-SEQUENCE:2
                #EXT-X-INDEPENDENT-SEGMENTS
                #EXTINF:4.000000,
                v0/0.ts
                #EXT-X-DISCONTINUITY
                #EXT-X-GAP
                #EXTINF:4.000000,
                v0/1.ts
                #EXT-X-ENDLIST

                """)
    }

    @Test("Keys and maps are written where they change; no key applies to a map")
    func keysAndMaps() {
        let key = [UInt8](repeating: 1, count: 16)
        var listings = (0..<4).map { listing($0) }
        for index in listings.indices {
            listings[index].map = "v0/init.mp4"
            listings[index].cipher = SegmentCipher(
                key: key, keyIndex: index / 2, number: index, isExplicit: false)
        }
        listings[3].isDiscontinuity = true
        let lines = MediaPlaylistText(targetDuration: 4, discontinuitySequence: 0, listings: listings)
            .written()
            .split(separator: "\n").filter { !$0.hasPrefix("#EXTINF") }.dropFirst()
        #expect(
            lines.joined(separator: "\n") == """
                #EXT-X-VERSION:6
                #EXT-X-TARGETDURATION:4
                #EXT-X-MEDIA-SEQUENCE:0
                #EXT-X-DISCONTINUITY-SEQUENCE:0
                #EXT-X-INDEPENDENT-SEGMENTS
                #EXT-X-MAP:URI="v0/init.mp4"
                #EXT-X-KEY:METHOD=AES-128,URI="key/0"
                v0/0.ts
                v0/1.ts
                #EXT-X-KEY:METHOD=AES-128,URI="key/1"
                v0/2.ts
                #EXT-X-DISCONTINUITY
                #EXT-X-KEY:METHOD=NONE
                #EXT-X-MAP:URI="v0/init.mp4"
                #EXT-X-KEY:METHOD=AES-128,URI="key/1"
                v0/3.ts
                """)
    }

    @Test("An explicit IV is 128 bits of hex; an implicit one is the media sequence number")
    func vectors() {
        let implicit = SegmentCipher(key: [], keyIndex: 0, number: 258, isExplicit: false)
        #expect(implicit.initializationVector == [UInt8](repeating: 0, count: 14) + [1, 2])
        let explicit = SegmentCipher(key: [], keyIndex: 3, number: 1, isExplicit: true)
        #expect(explicit.attributes == "METHOD=AES-128,URI=\"key/3\",IV=0x6c6976656f7269670000000000000001")
    }
}
