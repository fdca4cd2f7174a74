import MediaFormat
import Testing

struct TransportStreamInspectorTests {
    @Test("A whole stream gives its tracks, times and codecs")
    func whole() throws {
        let bytes = TransportStreamBuilder.segment()
        let found = try MediaInspector.inspect(bytes)
        #expect(found.container == .transportStream)
        #expect(found.integrity == .whole)
        #expect(found.byteCount == bytes.count)
        #expect(found.firstTimestamp == MediaTimestamp(mpeg: 900_000))
        #expect(found.lastTimestamp == MediaTimestamp(mpeg: 914_400))
        #expect(found.durationMicroseconds == 200_000)
        #expect(found.startsWithKeyFrame == true)
        #expect(found.tracks.map(\.codec) == ["h264", "aac"])
        #expect(found.tracks.map(\.id) == [0x100, 0x101])
        #expect(found.codecStrings == ["avc1.64001f", "mp4a.40.2"])
        #expect(found.resolution == Resolution(width: 1280, height: 720))
        #expect(found.sampleRate == 48_000)
        #expect(found.audioChannels == 2)
    }

    @Test(
        "The frames of AAC say how many channels it has, unless they leave it to the stream",
        arguments: [(0, nil), (1, 1), (2, 2), (3, 3), (4, 4), (5, 5), (6, 6), (7, 8)] as [(UInt8, Int?)])
    func audioChannels(configuration: UInt8, expected: Int?) throws {
        var frame = TransportStreamBuilder.aacFrame
        frame[2] = frame[2] & 0xFE | configuration >> 2
        frame[3] = frame[3] & 0x3F | configuration << 6
        var builder = TransportStreamBuilder()
        builder.addTables([(0x0F, 0x101)])
        for time: UInt64 in [0, 1920] { builder.addUnit(0x101, streamID: 0xC0, time: time, frame) }
        #expect(try MediaInspector.inspect(builder.bytes).audioChannels == expected)
        let packed = (0..<4).flatMap { _ in frame }
        #expect(try MediaInspector.inspect(packed).audioChannels == expected)
    }

    @Test("The channels are those of the first audio track, whatever the next one says")
    func firstAudio() throws {
        var builder = TransportStreamBuilder()
        builder.addTables([(0x81, 0x101), (0x0F, 0x102)])
        builder.addUnit(0x101, streamID: 0xBD, time: 0, AudioFrames.ac3)
        builder.addUnit(0x102, streamID: 0xC0, time: 0, TransportStreamBuilder.aacFrame)
        #expect(try MediaInspector.inspect(builder.bytes).audioChannels == nil)
    }

    @Test("Times that wrap are one span")
    func wrapped() throws {
        let found = try MediaInspector.inspect(TransportStreamBuilder.segment(from: (1 << 33) - 7200))
        #expect(found.firstTimestamp?.value == (1 << 33) - 7200)
        #expect(found.lastTimestamp?.value == 7200)
        #expect(found.durationMicroseconds == 200_000)
    }

    @Test("Pictures out of order: the earliest and latest time count")
    func reordered() throws {
        var builder = TransportStreamBuilder()
        builder.addTables([(0x1B, 0x100)])
        for time in [7200, 3600, 18000, 10800, 14400] as [UInt64] {
            builder.addUnit(0x100, streamID: 0xE0, time: time, TransportStreamBuilder.h264KeyFrame)
        }
        let found = try MediaInspector.inspect(builder.bytes)
        #expect(found.firstTimestamp?.value == 3600)
        #expect(found.lastTimestamp?.value == 18000)
        #expect(found.durationMicroseconds == 200_000)
    }

    /// A stream of pictures at these times, seconds; how long it plays.
    private func duration(ofPictures times: [Double]) throws -> Int64? {
        var builder = TransportStreamBuilder()
        builder.addTables([(0x1B, 0x100)])
        for time in times {
            builder.addUnit(
                0x100, streamID: 0xE0, time: UInt64(time * 90_000), TransportStreamBuilder.h264KeyFrame)
        }
        return try MediaInspector.inspect(builder.bytes).durationMicroseconds
    }

    @Test("Where the clock of the media is reset, nothing says how long they play; slow pictures do")
    func jump() throws {
        let before = (0..<25).map { Double($0) * 0.04 }
        #expect(try duration(ofPictures: before + before.map { $0 + 3600 }) == nil)
        #expect(try duration(ofPictures: before.map { $0 + 3600 } + before) == nil)
        #expect(try duration(ofPictures: before + before.map { $0 + 3 }) == nil)
        #expect(try duration(ofPictures: before + before.map { $0 + 1 }) == 2_000_000)
        #expect(try duration(ofPictures: [0, 2, 4, 6, 8]) == 10_000_000)
    }

    @Test("Audio plays as long as its frames, also where the last unit has fewer than the others")
    func lastUnitOfAudio() throws {
        var builder = TransportStreamBuilder()
        builder.addTables([(0x0F, 0x101)])
        let frame = TransportStreamBuilder.aacFrame
        for (unit, count) in [20, 20, 20, 4].enumerated() {
            let content = Array(repeatElement(frame, count: count).joined())
            builder.addUnit(0x101, streamID: 0xC0, time: UInt64(unit) * 20 * 1920, content)
        }
        // 64 frames of 1,024 samples at 48 kHz.
        let found = try #require(try MediaInspector.inspect(builder.bytes).durationMicroseconds)
        #expect(abs(found - 1_365_333) <= 1)
    }

    @Test("A cut last packet is damage, with its length", arguments: [1, 4, 100, 187])
    func partialPacket(count: Int) throws {
        let bytes = TransportStreamBuilder.segment() + Array(TransportStreamBuilder.segment().prefix(count))
        #expect(try MediaInspector.inspect(bytes).integrity == .damaged(.partialPacket(byteCount: count)))
    }

    @Test("A missing sync byte anywhere is damage, with its offset", arguments: [1, 3, 10])
    func lostSynchronisation(packet: Int) throws {
        var bytes = TransportStreamBuilder.segment()
        bytes[packet * 188] = 0x46
        let found = try MediaInspector.inspect(bytes)
        #expect(found.integrity == .damaged(.lostSynchronisation(offset: packet * 188)))
    }

    @Test("A segment that begins between key frames is marked, and its codec is found at the next")
    func laterKeyFrame() throws {
        var builder = TransportStreamBuilder()
        builder.addTables([(0x1B, 0x100)])
        builder.addUnit(0x100, streamID: 0xE0, time: 0, TransportStreamBuilder.h264OtherFrame)
        builder.addUnit(
            0x100, streamID: 0xE0, time: 3600, TransportStreamBuilder.h264KeyFrame, isRandomAccess: true)
        let found = try MediaInspector.inspect(builder.bytes)
        #expect(found.startsWithKeyFrame == false)
        #expect(found.codecStrings == ["avc1.64001f"])
    }

    @Test("The map may follow the first packets of its streams")
    func lateTables() throws {
        var builder = TransportStreamBuilder()
        builder.addUnit(0x100, streamID: 0xE0, time: 3600, TransportStreamBuilder.h264KeyFrame)
        builder.addTables([(0x1B, 0x100)])
        builder.addUnit(0x100, streamID: 0xE0, time: 7200, TransportStreamBuilder.h264OtherFrame)
        let found = try MediaInspector.inspect(builder.bytes)
        #expect(found.firstTimestamp?.value == 3600)
        #expect(found.codecStrings == ["avc1.64001f"])
    }

    @Test("Without a map the stream identifiers give the kind")
    func noTables() throws {
        var builder = TransportStreamBuilder()
        builder.addUnit(0x101, streamID: 0xC0, time: 10, TransportStreamBuilder.aacFrame)
        builder.addUnit(0x100, streamID: 0xE0, time: 20, TransportStreamBuilder.h264KeyFrame)
        let found = try MediaInspector.inspect(builder.bytes)
        #expect(found.integrity == .whole)
        #expect(found.tracks.map(\.kind) == [.audio, .video])
        #expect(found.firstTimestamp?.value == 20)
        #expect(found.codecStrings == nil)
    }

    @Test("Tables alone are not media")
    func tablesOnly() throws {
        var builder = TransportStreamBuilder()
        builder.addTables([(0x1B, 0x100)])
        #expect(try MediaInspector.inspect(builder.bytes).integrity == .damaged(.missingMedia))
    }

    @Test("A stream of one packet is recognised")
    func onePacket() throws {
        var builder = TransportStreamBuilder()
        builder.addUnit(0x100, streamID: 0xE0, time: 1, TransportStreamBuilder.h264KeyFrame)
        #expect(builder.bytes.count == 188)
        #expect(try MediaInspector.inspect(builder.bytes).container == .transportStream)
    }
}
