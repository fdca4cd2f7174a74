import Testing

@testable import MediaFormat

/// The rules are those of ISO 14496-12 §4.2, ISO 13818-1 §2.4.3 and RFC 8794.
@Suite("Whole media files")
struct MediaFileTests {
    private static let opening = MovieBuilder.box("ftyp", Array("isom".utf8) + MovieBuilder.zeros(4))
    private static let movie = MovieBuilder.box("moov", MovieBuilder.videoTrack)
    private static let media = MovieBuilder.box("mdat", [UInt8](repeating: 7, count: 1000))
    private static let packet: [UInt8] =
        [0x47, 0x1F, 0xFF, 0x10] + [UInt8](repeating: 0xFF, count: 184)
    private static let stream = [UInt8](repeatElement(packet, count: 200).joined())

    private func damage(of bytes: [UInt8]) throws -> Damage? {
        let kind = try #require(MediaFileKind(recognising: Array(bytes.prefix(4096))))
        let inspector = MediaFileInspector<Never>(byteCount: UInt64(bytes.count)) { offset, count in
            Array(bytes.dropFirst(Int(offset)).prefix(count))
        }
        return inspector.damage(of: kind)
    }

    @Test(
        "A file whose boxes fill it is whole",
        arguments: [
            opening + movie + media, opening + media + movie,
            opening + movie + MovieBuilder.longBox("mdat", [1, 2, 3]),
            opening + movie + [0, 0, 0, 0] + Array("mdat".utf8) + [1, 2, 3],
            opening + MovieBuilder.box("free", []) + media + movie + [0, 0, 0, 0],
            MovieBuilder.box("wide", []) + media + movie,
            MovieBuilder.box("styp", []) + MovieBuilder.box("moof", []) + media,
        ])
    func whole(bytes: [UInt8]) throws {
        #expect(try damage(of: bytes) == nil)
    }

    @Test("A file that is cut anywhere but between two boxes behind its movie is damaged")
    func cut() throws {
        let bytes = Self.opening + Self.movie + Self.media
        for count in 16..<bytes.count {
            #expect(try damage(of: Array(bytes.prefix(count))) != nil, "\(count) bytes")
        }
        let late = Self.opening + Self.media + Self.movie
        for count in 16..<late.count {
            #expect(try damage(of: Array(late.prefix(count))) != nil, "\(count) bytes")
        }
    }

    @Test("A file without what plays it is damaged, and the fault has its name")
    func missing() throws {
        #expect(try damage(of: Self.opening + Self.media) == .missingBox(type: "moov"))
        #expect(try damage(of: Self.opening + Self.movie) == .missingMedia)
        let empty = MovieBuilder.box("moov", MovieBuilder.zeros(200))
        #expect(try damage(of: Self.opening + empty + Self.media) == .missingBox(type: "trak"))
        let fragment = MovieBuilder.box("moof", []) + Self.media
        #expect(try damage(of: Self.opening + fragment) == .missingBox(type: "moov"))
        #expect(try damage(of: Self.opening + [0, 0, 0, 7] + Array("mdat".utf8)) == .invalidBox(offset: 16))
    }

    @Test("A transport stream has whole packets, and each begins as one")
    func packets() throws {
        #expect(try damage(of: Self.stream) == nil)
        #expect(try damage(of: Self.stream.dropLast(1)) == .partialPacket(byteCount: 187))
        let filled = Self.stream.prefix(188 * 100) + MovieBuilder.zeros(188 * 100)
        guard case .lostSynchronisation? = try damage(of: Array(filled)) else {
            Issue.record("zeros are taken for packets")
            return
        }
    }

    @Test("A Matroska file is as long as it says, unless it does not say it")
    func matroska() throws {
        let header: [UInt8] = [0x1A, 0x45, 0xDF, 0xA3, 0x84, 0x42, 0x86, 0x81, 1]
        let known = header + [0x18, 0x53, 0x80, 0x67, 0x40, 100] + MovieBuilder.zeros(100)
        #expect(try damage(of: known) == nil)
        #expect(try damage(of: known.dropLast(1)) == .truncatedBox(type: "Segment"))
        let unknown = header + [0x18, 0x53, 0x80, 0x67, 0x01] + [UInt8](repeating: 0xFF, count: 7) + [1]
        #expect(try damage(of: unknown) == nil)
    }

    @Test(
        "Media is known by its beginning",
        arguments: [
            Array(stream.dropFirst(100)),
            Array("ID3".utf8) + [4, 0, 0, 0, 0, 0, 10] + MovieBuilder.zeros(10),
            Array("RIFF".utf8) + MovieBuilder.zeros(20), Array("OggS".utf8), Array("fLaC".utf8),
            MovieBuilder.zeros(100) + AudioFrames.mp3 + AudioFrames.mp3, Array("WEBVTT\n".utf8),
        ])
    func known(bytes: [UInt8]) {
        #expect(MediaFileKind(recognising: bytes) != nil)
        #expect(MediaFileKind.refusal(of: bytes) == nil)
    }

    @Test(
        "Zeros, chance and text are not media",
        arguments: [
            MovieBuilder.zeros(4096), (0..<4096).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 3) },
            Array("<!DOCTYPE html><html>".utf8), Array("{\"error\":1}".utf8), [],
        ])
    func unknown(bytes: [UInt8]) {
        #expect(MediaFileKind.refusal(of: bytes) != nil)
    }
}
