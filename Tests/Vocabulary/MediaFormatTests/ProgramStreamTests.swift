import MediaFormat
import Testing

struct ProgramStreamTests {
    private func track(_ type: UInt8, _ descriptors: [UInt8] = []) throws -> Track {
        var builder = TransportStreamBuilder()
        builder.addTables([(type, 0x100)], descriptors: descriptors)
        builder.addUnit(0x100, streamID: 0xBD, time: 5, [1, 2, 3])
        return try #require(try MediaInspector.inspect(builder.bytes).tracks.first)
    }

    @Test(
        "Stream types identify codecs",
        arguments: [
            (0x02, Track.Kind.video, "mpeg2video"), (0x03, .audio, "mp3"), (0x0F, .audio, "aac"),
            (0x1B, .video, "h264"),
            (0x24, .video, "hevc"), (0x81, .audio, "ac3"), (0x87, .audio, "eac3"), (0x15, .other, "id3"),
            (0x86, .other, "scte35"), (0xDB, .video, "h264"), (0x99, .other, nil),
        ] as [(UInt8, Track.Kind, String?)])
    func types(type: UInt8, kind: Track.Kind, codec: String?) throws {
        let track = try track(type)
        #expect(track.kind == kind)
        #expect(track.codec == codec)
    }

    @Test(
        "Private data are identified by their descriptors",
        arguments: [
            ([0x6A, 0], Track.Kind.audio, "ac3"), ([0x0A, 1, 0, 0x7A, 1, 0], .audio, "eac3"),
            ([0x59, 0], .subtitles, "dvbsub"),
            ([0x56, 0], .subtitles, "teletext"), ([0x05, 4] + Array("Opus".utf8), .audio, "opus"),
            ([0x6A], .other, nil), ([], .other, nil),
        ] as [([UInt8], Track.Kind, String?)])
    func descriptors(bytes: [UInt8], kind: Track.Kind, codec: String?) throws {
        let track = try track(0x06, bytes)
        #expect(track.kind == kind)
        #expect(track.codec == codec)
    }
}
