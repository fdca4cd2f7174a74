import Testing

@testable import MediaFormat

/// Sound of its own is cut to the picture: what is left plays as long as the picture does.
@Suite struct TransportStreamJoinerTests {
    struct Sound: Sendable, CustomTestStringConvertible {
        var frame: [UInt8]
        var ticks: Int64
        var streamID: UInt8 = 0xC0
        var streamType: UInt8 = 0x0F

        var testDescription: String { "\(frame.count) bytes, \(ticks) ticks" }
    }

    private static let sounds = [
        Sound(frame: AudioFrames.aac(byteCount: 170), ticks: 1920),
        Sound(frame: AudioFrames.mp2, ticks: 2160, streamType: 0x03),
        Sound(frame: AudioFrames.ac3, ticks: 2880, streamID: 0xBD, streamType: 0x81),
        Sound(frame: AudioFrames.eac3, ticks: 2880, streamID: 0xBD, streamType: 0x87),
    ]

    /// How long the picture of a run is, and the frames of sound in a unit, as ffmpeg packs 64 kbit/s.
    private static let pictureTicks: Int64 = 180_000
    private static let unitFrames = 16

    /// A segment of sound whose frames have numbers, as one encoder writes it; the last unit is shorter.
    private static func segment(_ sound: Sound, from time: Int64, frames: Range<Int>) -> [UInt8] {
        var builder = TransportStreamBuilder()
        builder.addTables([(sound.streamType, TransportStreamBuilder.audioPID)])
        for first in stride(from: frames.lowerBound, to: frames.upperBound, by: unitFrames) {
            var content: [UInt8] = []
            for number in first..<min(first + unitFrames, frames.upperBound) {
                var frame = sound.frame
                frame[frame.count - 2] = UInt8(number >> 8)
                frame[frame.count - 1] = UInt8(number & 0xFF)
                content += frame
            }
            let begin = time + Int64(first - frames.lowerBound) * sound.ticks
            builder.addUnit(
                TransportStreamBuilder.audioPID, streamID: sound.streamID,
                time: UInt64(bitPattern: begin) & PresentationTime.mask, content, saysLength: true)
        }
        // Each segment of an encoder begins anywhere in the count.
        for packet in 2..<(builder.bytes.count / 188) {
            builder.bytes[packet * 188 + 3] |= UInt8((packet + 5) & 0x0F)
        }
        return builder.bytes
    }

    /// The sound of two runs, with a picture of two seconds each, as the joiner writes it.
    ///
    /// `lead` is how long after the picture the first segment of sound begins.
    private static func joined(
        _ sound: Sound, lead: Int64, frames: Int, pictures: [Int64], pieces: Int,
    ) -> [UInt8] {
        var joiner = TransportStreamJoiner()
        var output: [UInt8] = []
        for (run, picture) in pictures.enumerated() {
            let begin = TransportStreamJoiner.begin + Int64(run) * pictureTicks
            let bytes = segment(
                sound, from: picture + lead, frames: (run * frames)..<((run + 1) * frames))
            joiner.begin(movedBy: begin - picture, keeping: begin..<(begin + pictureTicks))
            for start in stride(from: 0, to: bytes.count, by: pieces) {
                output += joiner.append(Array(bytes[start..<min(start + pieces, bytes.count)]))
            }
            output += joiner.finish()
        }
        return output
    }

    /// The frames of a stream by number, with their times.
    private static func heard(_ stream: [UInt8], _ sound: Sound) -> [(number: Int, time: Int64)] {
        var units: [(time: Int64, content: [UInt8])] = []
        for start in stride(from: 0, to: stream.count, by: 188) {
            let packet = Array(stream[start..<(start + 188)])
            let pid = UInt16(packet[1] & 0x1F) << 8 | UInt16(packet[2])
            guard pid == TransportStreamBuilder.audioPID else { continue }
            let payload = packet.dropFirst(4 + (packet[3] & 0x20 == 0 ? 0 : 1 + Int(packet[4])))
            guard packet[1] & 0x40 != 0 else {
                units[units.count - 1].content += payload
                continue
            }
            let time = PESHeader(reading: Array(payload).span)?.presentationTime ?? 0
            units.append((Int64(time), Array(payload.dropFirst(14))))
        }
        var frames: [(number: Int, time: Int64)] = []
        for unit in units {
            for first in stride(from: 0, to: unit.content.count, by: sound.frame.count) {
                let end = first + sound.frame.count
                let number = Int(unit.content[end - 2]) << 8 | Int(unit.content[end - 1])
                frames.append((number, unit.time + Int64(first / sound.frame.count) * sound.ticks))
            }
        }
        return frames
    }

    /// Sound that begins before, at or after the picture, from nearly a whole unit to less than a frame.
    @Test(
        "At a joint less than a frame is missing, nothing is doubled, and sound stays with its picture",
        arguments: sounds, [-29_000, -2_000, -480, 0, 480, 959, 1_439, 1_919] as [Int64])
    func joint(sound: Sound, lead: Int64) throws {
        // As many frames as end after the picture, and up to a unit more.
        for extra in [0, 1, 9] {
            let frames = Int((Self.pictureTicks - lead + sound.ticks - 1) / sound.ticks) + extra
            // A hole, an encoder that began again, and times that wrap.
            for pictures in [[306_000, 846_000], [306_000, 126_000], [8_589_900_000, 846_000]] as [[Int64]] {
                let stream = Self.joined(
                    sound, lead: lead, frames: frames, pictures: pictures, pieces: 1_000)
                let heard = Self.heard(stream, sound)
                try #require(!heard.isEmpty)
                let begin = TransportStreamJoiner.begin
                let end = begin + 2 * Self.pictureTicks
                for (before, after) in zip(heard, heard.dropFirst()) {
                    #expect(after.number > before.number)
                    let step = after.time - before.time
                    #expect(step > sound.ticks / 2 - 1 && step < 2 * sound.ticks, "\(step) ticks")
                }
                for (number, time) in heard {
                    let (run, index) = number.quotientAndRemainder(dividingBy: frames)
                    let first = begin + Int64(run) * Self.pictureTicks + lead
                    #expect(time == first + Int64(index) * sound.ticks)
                }
                let first = try #require(heard.first).time
                let last = try #require(heard.last).time + sound.ticks
                #expect(first >= begin && first < begin + max(lead + 1, sound.ticks))
                #expect(last >= end && last < end + sound.ticks)
            }
        }
    }

    @Test("Whatever pieces it comes in, the stream is the same and its counters go on", arguments: sounds)
    func pieces(sound: Sound) {
        let streams = [1, 188, 1_000, 1_000_000].map {
            Self.joined(sound, lead: -480, frames: 100, pictures: [306_000, 126_000], pieces: $0)
        }
        #expect(streams.allSatisfy { $0 == streams[0] })
        let starts = stride(from: 0, to: streams[0].count, by: 188).filter { start in
            streams[0][start + 1] & 0x1F == 1 && streams[0][start + 2] == 1
        }
        let counters = starts.map { streams[0][$0 + 3] & 0x0F }
        #expect(zip(counters, counters.dropFirst()).allSatisfy { $1 == ($0 + 1) & 0x0F })
    }

    @Test("A unit whose frames are not known is kept where it overlaps the one before by less than a frame")
    func unknown() throws {
        // LATM; ADTS would begin with 0xFF.
        var frame = AudioFrames.aac(byteCount: 170)
        (frame[0], frame[1]) = (0x56, 0xE0)
        let sound = Sound(frame: frame, ticks: 1920, streamType: 0x11)
        for lead: Int64 in [0, 480, 1_919] {
            let stream = Self.joined(
                sound, lead: lead, frames: 94, pictures: [306_000, 126_000], pieces: 1_000)
            #expect(Self.heard(stream, sound).map(\.number) == Array(0..<188))
        }
    }

    /// Two seconds with one unit of metadata or a still picture first, as many encoders write it.
    private static func sparse(_ number: Int, _ type: UInt8, _ streamID: UInt8) -> [UInt8] {
        let begin = 900_000 + UInt64(number) * 180_000
        var builder = TransportStreamBuilder()
        builder.addTables([(0x1B, videoPID), (0x0F, TransportStreamBuilder.audioPID), (type, 0x102)])
        builder.addUnit(0x102, streamID: streamID, time: begin, Array("ID3".utf8), saysLength: true)
        for frame in 0..<50 {
            let time = begin + UInt64(frame) * 3_600
            builder.addUnit(videoPID, streamID: 0xE0, time: time, TransportStreamBuilder.h264OtherFrame)
            // Units of audio of a second each, with another number of bytes each time.
            guard frame % 25 == 5 else { continue }
            builder.addUnit(
                TransportStreamBuilder.audioPID, streamID: 0xC0, time: time,
                [UInt8](repeating: 0xAA, count: 300 + 70 * number + frame), saysLength: true)
        }
        return builder.bytes
    }

    private static let videoPID = TransportStreamBuilder.videoPID

    private static func decodeTimes(_ stream: [UInt8]) -> [Int64] {
        stride(from: 0, to: stream.count, by: 188).compactMap { start in
            PESHeaderLayout(stream, start).map { Int64($0.decodeTime) }
        }
    }

    @Test(
        "A stream that has one unit in each segment does not move the others",
        arguments: [(0x15, 0xBD), (0x06, 0xBD), (0x1B, 0xE1)] as [(UInt8, UInt8)], [188, 1_000, 1_000_000])
    func sparse(stream: (UInt8, UInt8), pieces: Int) throws {
        var joiner = TransportStreamJoiner()
        var (source, output): ([UInt8], [UInt8]) = ([], [])
        for number in 0..<20 {
            let bytes = Self.sparse(number, stream.0, stream.1)
            source += bytes
            joiner.begin(jumps: number == 0)
            for start in stride(from: 0, to: bytes.count, by: pieces) {
                output += joiner.append(Array(bytes[start..<min(start + pieces, bytes.count)]))
            }
            output += joiner.finish()
        }
        let moved = zip(Self.decodeTimes(output), Self.decodeTimes(source)).map { $0 - $1 }
        #expect(moved.count == 20 * 53)
        #expect(Set(moved).count == 1)
    }

    @Test(
        "Where all streams jump, they are moved to the end of what was before",
        arguments: [1_000, 1_000_000])
    func jump(pieces: Int) throws {
        var joiner = TransportStreamJoiner()
        var output: [UInt8] = []
        for number in [0, 1, 7] {
            let bytes = Self.sparse(number, 0x15, 0xBD)
            joiner.begin(jumps: number == 0)
            for start in stride(from: 0, to: bytes.count, by: pieces) {
                output += joiner.append(Array(bytes[start..<min(start + pieces, bytes.count)]))
            }
            output += joiner.finish()
        }
        let times = Self.decodeTimes(output)
        try #require(times.count == 3 * 53)
        let distance = times[2 * 53] - times[53]
        #expect((180_000..<270_000).contains(distance))
    }
}
