import MediaFormat
import Testing

struct HEVCParametersTests {
    /// Main, level 3.1, 1280×720 coded as 1280×728 cropped by four units of two lines.
    private static func set(subLayers: UInt64) -> [UInt8] {
        var writer = BitWriter()
        writer.put(0, 4)
        writer.put(subLayers, 3)
        writer.put(1, 1)
        for byte in [0x01, 0x60, 0, 0, 0, 0x90, 0, 0, 0, 0, 0, 93] as [UInt64] { writer.put(byte, 8) }
        if subLayers > 0 {
            for layer in 0..<8 as Range<UInt64> { writer.put(layer < subLayers ? 3 : 0, 2) }
            for _ in 0..<subLayers { for _ in 0..<12 { writer.put(0x55, 8) } }
        }
        for value in [0, 1, 1280, 728] as [UInt64] { writer.unsigned(value) }
        writer.put(1, 1)
        for value in [0, 0, 0, 4] as [UInt64] { writer.unsigned(value) }
        return [0x42, 0x01] + writer.escapedBytes
    }

    @Test(
        "Profile, tier, level and the displayed size are read with any number of layers",
        arguments: [0, 1, 2] as [UInt64])
    func sets(subLayers: UInt64) throws {
        var builder = TransportStreamBuilder()
        builder.addTables([(0x24, 0x100)])
        builder.addUnit(
            0x100, streamID: 0xE0, time: 1,
            [0, 0, 1] + Self.set(subLayers: subLayers) + [0, 0, 1, 0x26, 1, 0xAF])
        let found = try MediaInspector.inspect(builder.bytes)
        #expect(found.codecStrings == ["hvc1.1.6.L93.90"])
        #expect(found.resolution == Resolution(width: 1280, height: 720))
        #expect(found.startsWithKeyFrame == true)
    }
}
