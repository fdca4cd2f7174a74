import TestSupport
import Testing

@testable import MediaFormat

struct StreamingInspectorTests {
    static let initSection = try? InitSection.reading(MovieBuilder.initSection)
    static let samples: [[UInt8]] = [
        TransportStreamBuilder.segment(frames: 3, filler: 200), MovieBuilder.segment(),
        MovieBuilder.initSection + MovieBuilder.segment(),
        AudioFrames.tag(time: 90_000) + (0..<5).flatMap { _ in AudioFrames.mp3 },
        AudioFrames.eac3 + AudioFrames.eac3,
        Array("WEBVTT\n\n00:00.000 --> 00:01.000\nHello\n".utf8), Array("<html>".utf8),
    ]

    /// Units of more bytes than are kept of one, which fill their packets, and other packets between them.
    static let longUnits: [UInt8] = {
        var builder = TransportStreamBuilder()
        builder.addTables([(0x1B, 0x100), (0x0F, 0x101)])
        // The first slice of the third picture is in its third packet.
        let message = [0, 0, 1, 6] + [UInt8](repeating: 0xA5, count: 400)
        let pictures = [
            TransportStreamBuilder.h264KeyFrame, TransportStreamBuilder.h264OtherFrame,
            message + TransportStreamBuilder.h264KeyFrame,
        ]
        let headerByteCount = 14
        for (number, picture) in pictures.enumerated() {
            let room = 50 * 184 - headerByteCount - picture.count
            let time = UInt64(number) * 3600
            builder.addUnit(
                0x100, streamID: 0xE0, time: time, picture + [UInt8](repeating: 0xA5, count: room))
            builder.addPacket(0x1FFF, startsUnit: false, [UInt8](repeating: 0, count: 184))
            let frames = Array(repeatElement(TransportStreamBuilder.aacFrame, count: 600).joined())
            builder.addUnit(0x101, streamID: 0xC0, time: time, frames)
        }
        return builder.bytes
    }()

    private static func inspect(_ bytes: [UInt8], pieces: Int) -> Result<MediaInspection, MediaFormatError> {
        var inspector = StreamingInspector(initSection: initSection)
        for start in stride(from: 0, to: bytes.count, by: pieces) {
            inspector.append(Array(bytes[start..<min(start + pieces, bytes.count)]))
        }
        do { return .success(try inspector.finish()) } catch { return .failure(error) }
    }

    @Test(
        "The result does not depend on how the bytes arrive",
        arguments: [1, 7, 187, 188, 189, 511, 512, 513, 4096])
    func pieces(count: Int) {
        for bytes in Self.samples + [Self.longUnits] {
            #expect(Self.inspect(bytes, pieces: count) == Self.inspect(bytes, pieces: bytes.count))
        }
    }

    @Test(
        "Cutting at every offset never traps, and a cut segment counts as whole only at the end of a packet, frame or box"
    )
    func truncation() {
        for bytes in Self.samples {
            for count in 0..<bytes.count { _ = Self.inspect(Array(bytes.prefix(count)), pieces: 4096) }
        }
        let stream = Self.samples[0]
        for count in 189..<stream.count where count % 188 != 0 {
            let found = try? Self.inspect(Array(stream.prefix(count)), pieces: 4096).get()
            #expect(found?.integrity == .damaged(.partialPacket(byteCount: count % 188)))
        }
    }

    @Test("A refusal is known before the end")
    func early() {
        var inspector = StreamingInspector()
        inspector.append(Array("<html>".utf8))
        #expect(inspector.refusal == nil)
        inspector.append([UInt8](repeating: 0x20, count: Limits.sniffByteCount))
        #expect(inspector.refusal != nil)
        inspector.append(TransportStreamBuilder.segment())
        #expect(throws: MediaFormatError.self) { try inspector.finish() }
    }

    @Test("Random changes never trap", arguments: [1, 2, 3, 4] as [UInt64])
    func mutations(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for round in 0..<400 {
            var bytes = Self.samples[round % Self.samples.count]
            for _ in 0..<Int.random(in: 1...12, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(
                    in: 0...255, using: &random)
            }
            _ = Self.inspect(bytes, pieces: 1000)
            _ = try? InitSection.reading(bytes)
        }
    }

    @Test("Random changes of an initialization section never trap", arguments: [5, 6] as [UInt64])
    func initMutations(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<1000 {
            var bytes = MovieBuilder.initSection
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] =
                    [0, 1, 0x7F, 0x80, 0xFF].randomElement(using: &random) ?? 0
            }
            guard let section = try? InitSection.reading(bytes) else { continue }
            _ = try? MediaInspector.inspect(MovieBuilder.segment(), initSection: section)
        }
    }
}
