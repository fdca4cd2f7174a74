import MediaFormat
import Testing

struct H264ParametersTests {
    private func inspect(_ set: [UInt8]) throws -> Track {
        var builder = TransportStreamBuilder()
        builder.addTables([(0x1B, 0x100)])
        builder.addUnit(0x100, streamID: 0xE0, time: 1, [0, 0, 1, 0x67] + set + [0, 0, 1, 0x65, 0x88])
        return try #require(try MediaInspector.inspect(builder.bytes).tracks.first)
    }

    @Test(
        "Profile, level and the displayed size are read",
        arguments: [
            (100, 31, 80, 45, true, 0, "avc1.64001f", Resolution(width: 1280, height: 720)),
            (66, 30, 40, 23, true, 4, "avc1.42001e", Resolution(width: 640, height: 360)),
            (100, 40, 120, 68, true, 4, "avc1.640028", Resolution(width: 1920, height: 1080)),
            // In fields a cropping unit is four lines.
            (100, 40, 120, 68, false, 2, "avc1.640028", Resolution(width: 1920, height: 1080)),
        ] as [(UInt64, UInt64, UInt64, UInt64, Bool, UInt64, String, Resolution)])
    func sets(
        profile: UInt64, level: UInt64, columns: UInt64, rows: UInt64, framesOnly: Bool, crop: UInt64,
        string: String,
        shown: Resolution,
    ) throws {
        let set = H264Bits.make(
            profile: profile, level: level, columns: columns, rows: rows, framesOnly: framesOnly,
            cropBottom: crop)
        let track = try inspect(set)
        #expect(track.codecString == string)
        #expect(track.resolution == shown)
    }

    @Test("A picture that is cropped completely has no resolution")
    func absurdCrop() throws {
        let set = H264Bits.make(
            profile: 66, level: 30, columns: 1, rows: 1, framesOnly: true, cropBottom: 4_000_000_000)
        #expect(try inspect(set).resolution == nil)
    }

    @Test("A parameter set that is cut off gives its complete fields")
    func cut() throws {
        let track = try inspect([0x64, 0, 0x1F])
        #expect(track.codecString == "avc1.64001f")
        #expect(track.resolution == nil)
    }
}
