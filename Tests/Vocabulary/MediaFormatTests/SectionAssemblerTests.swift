import MediaFormat
import Testing

struct SectionAssemblerTests {
    @Test("A map of several packets is joined")
    func longMap() throws {
        var builder = TransportStreamBuilder()
        builder.addTables(
            (0..<20).map { (0x0F, UInt16(0x200 + $0)) }, descriptors: [0x0A, 4, 0x64, 0x65, 0x75, 0])
        builder.addUnit(0x205, streamID: 0xC0, time: 5, TransportStreamBuilder.aacFrame)
        let found = try MediaInspector.inspect(builder.bytes)
        #expect(found.tracks.count == 20)
        #expect(found.firstTimestamp?.value == 5)
    }

    @Test("A table with a wrong checksum is ignored; a later correct one is used")
    func checksum() throws {
        var builder = TransportStreamBuilder()
        builder.addSection(0, table: 0, [0, 1, 0xE0, 0x55], isIntact: false)
        builder.addTables([(0x24, 0x100)])
        builder.addUnit(0x100, streamID: 0xE0, time: 5, [0, 0, 1, 0x26, 1, 0xAF])
        let found = try MediaInspector.inspect(builder.bytes)
        #expect(found.tracks.map(\.codec) == ["hevc"])
        #expect(found.startsWithKeyFrame == true)
    }
}
