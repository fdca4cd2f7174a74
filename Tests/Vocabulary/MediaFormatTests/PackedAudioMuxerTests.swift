import Testing

@testable import MediaFormat

@Suite struct PackedAudioMuxerTests {
    private func packets(_ audio: [UInt8], at time: UInt64, _ packets: inout PackedAudioMuxer, pieces: Int)
        -> [UInt8]
    {
        packets.begin(at: time)
        var output: [UInt8] = []
        for start in stride(from: 0, to: audio.count, by: pieces) {
            output += packets.append(Array(audio[start..<min(start + pieces, audio.count)]))
        }
        return output + packets.finish()
    }

    @Test(
        "Each frame is a unit of a whole transport stream, with the time of the tag",
        arguments: [
            (AudioFrames.aac(byteCount: 100), 1024, 48_000), (AudioFrames.aac(byteCount: 170), 1024, 48_000),
            (AudioFrames.aac(byteCount: 169), 1024, 48_000),
            (AudioFrames.mp3, 1152, 44_100), (AudioFrames.ac3, 1536, 48_000),
            (AudioFrames.eac3, 1536, 48_000),
        ])
    func frames(frame: [UInt8], samples: Int, rate: Int) throws {
        // The times wrap after the first frame.
        let first: UInt64 = 8_589_934_591
        let audio = AudioFrames.tag(time: first) + (0..<10).flatMap { _ in frame }
        for pieces in [1, 50, 10_000] {
            var writer = PackedAudioMuxer()
            let found = try MediaInspector.inspect(packets(audio, at: 0, &writer, pieces: pieces))
            #expect(found.container == .transportStream)
            #expect(found.integrity == .whole)
            #expect(found.firstTimestamp?.value == first)
            #expect(found.tracks.count == 1)
            let length = Int64(samples * 10 * 1_000_000 / rate)
            #expect(abs((found.durationMicroseconds ?? 0) - length) < 50)
        }
    }

    @Test("Without a tag the given time counts, and what nearly follows the segment before follows it")
    func noTag() throws {
        let audio = (0..<10).flatMap { _ in AudioFrames.aac(byteCount: 100) }
        var writer = PackedAudioMuxer()
        var tables: [UInt8]?
        var seen: [UInt64?] = []
        // Ten frames have 19,200 ticks.
        for time: UInt64 in [90_000, 109_000, 300_000] {
            var bytes = packets(audio, at: time, &writer, pieces: 300)
            // Tables are written once.
            if let tables { bytes = tables + bytes } else { tables = Array(bytes.prefix(376)) }
            seen.append(try MediaInspector.inspect(bytes).firstTimestamp?.value)
        }
        #expect(seen == [90_000, 109_200, 300_000])
    }

    @Test("What is no frame ends the segment, and not the next one")
    func damage() throws {
        let frame = AudioFrames.aac(byteCount: 100)
        var writer = PackedAudioMuxer()
        let first = packets(frame + frame + [UInt8](repeating: 0, count: 500), at: 0, &writer, pieces: 64)
        #expect(first.count == 4 * 188)
        #expect(packets(frame + Array(frame.prefix(50)), at: 0, &writer, pieces: 64).count == 188)
    }
}
