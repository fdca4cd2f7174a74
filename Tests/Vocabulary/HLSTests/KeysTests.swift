import HLS
import TestSupport
import Testing

struct KeysTests {
    static let identity = Key(method: .aes128, uri: "k1")
    static let other = Key(method: .aes128, uri: "k2", initializationVector: 7)
    static let drm = Key(method: .sampleAES, uri: "skd://x", keyFormat: "com.apple.streamingkeydelivery")

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
        #expect(Self.sorted(try readMedia(text)) == Self.sorted(playlist))
    }

    /// The order of keys of different formats says nothing.
    private static func sorted(_ playlist: MediaPlaylist) -> MediaPlaylist {
        var playlist = playlist
        for index in playlist.segments.indices {
            playlist.segments[index].keys.sort { $0.keyFormat < $1.keyFormat }
            playlist.segments[index].map?.keys.sort { $0.keyFormat < $1.keyFormat }
        }
        return playlist
    }

    @Test("Without an explicit IV the media sequence number is used, most significant byte first")
    func effectiveVector() {
        let implicit = Self.identity.effectiveInitializationVector(mediaSequenceNumber: 0x0102)
        #expect(Key.bytes(ofInitializationVector: implicit) == [UInt8](repeating: 0, count: 14) + [1, 2])
        #expect(Self.other.effectiveInitializationVector(mediaSequenceNumber: 9) == 7)
    }
}
