import Testing

@testable import MediaFormat

struct PackedAudioInspectorTests {
    private static func repeated(_ frame: [UInt8], _ count: Int) -> [UInt8] {
        (0..<count).flatMap { _ in frame }
    }

    @Test(
        "Frames are counted and the time is taken from the tag",
        arguments: [
            (AudioFrames.aac(byteCount: 100), PackedAudioKind.aac, "mp4a.40.2", 1024, 48000),
            (AudioFrames.mp3, .mp3, "mp4a.40.34", 1152, 44100),
            (AudioFrames.mp2, .mp3, "mp4a.40.33", 1152, 48000),
            (AudioFrames.ac3, .ac3, "ac-3", 1536, 48000), (AudioFrames.eac3, .eac3, "ec-3", 1536, 48000),
        ])
    func formats(frame: [UInt8], kind: PackedAudioKind, codec: String, samples: Int64, rate: Int64) throws {
        let found = try MediaInspector.inspect(
            AudioFrames.tag(time: 8_589_934_591) + Self.repeated(frame, 10))
        #expect(found.container == .packedAudio(kind))
        #expect(found.integrity == .whole)
        #expect(found.firstTimestamp?.value == 8_589_934_591)
        #expect(found.codecStrings == [codec])
        #expect(found.durationMicroseconds == samples * 10 * 1_000_000 / rate)
    }

    @Test(
        "Without a tag, or with another one, there is no timestamp",
        arguments: [[], AudioFrames.tag(time: 1, owner: "org.example")])
    func noTime(tag: [UInt8]) throws {
        let found = try MediaInspector.inspect(tag + Self.repeated(AudioFrames.ac3, 2))
        #expect(found.integrity == .whole)
        #expect(found.firstTimestamp == nil)
    }

    @Test("A cut last frame is damage", arguments: [1, 6, 50, 99])
    func cut(count: Int) throws {
        let frame = AudioFrames.aac(byteCount: 100)
        let found = try MediaInspector.inspect(Self.repeated(frame, 3) + Array(frame.prefix(count)))
        let missing = count < 7 ? 7 - count : 100 - count
        #expect(found.integrity == .damaged(.partialFrame(missingByteCount: missing)))
    }

    @Test("A frame that does not begin where the last ended is damage, with its offset")
    func lost() throws {
        let frame = AudioFrames.aac(byteCount: 100)
        let found = try MediaInspector.inspect(Self.repeated(frame, 3) + [0] + Self.repeated(frame, 9))
        #expect(found.integrity == .damaged(.lostSynchronisation(offset: 300)))
    }

    @Test("Frames as short as their header are walked")
    func shortFrames() throws {
        let found = try MediaInspector.inspect(Self.repeated(AudioFrames.aac(byteCount: 7), 5))
        #expect(found.integrity == .whole)
        #expect(found.durationMicroseconds == 106_666)
    }

    @Test("A tag alone is not media")
    func tagOnly() throws {
        #expect(try MediaInspector.inspect(AudioFrames.tag(time: 5)).integrity == .damaged(.missingMedia))
    }

    @Test("A tag beyond the limit is skipped, and the format is recognised after it")
    func largeTag() throws {
        let size = Limits.tagByteCount + 1000
        let tag: [UInt8] =
            Array("ID3".utf8) + [4, 0, 0] + AudioFrames.syncSafe(size) + Array(repeating: 0, count: size)
        let found = try MediaInspector.inspect(tag + AudioFrames.ac3)
        #expect(found.container == .packedAudio(.ac3))
        #expect(found.integrity == .whole)
    }
}
