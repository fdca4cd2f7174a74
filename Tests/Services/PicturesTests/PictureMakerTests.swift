import Digest
import Foundation
import Glibc
import MediaFormat
import SegmentStore
import TestSupport
import Testing
import Timeline

@testable import Pictures

@Suite("Pictures of key frames", .timeLimit(.minutes(30)))
struct PictureMakerTests {
    private let store = MemorySegmentStore()
    private let channel: ChannelID
    private let rendition = RenditionID(kind: .video, index: 0)

    init() throws {
        channel = try #require(ChannelID("news"))
    }

    private func name(_ container: SegmentExtension) -> ArchiveKey {
        .segment(
            channel, rendition,
            SegmentName(start: Instant(seconds: 1_700_000_000), revision: 0, fileExtension: container))
    }

    /// Pictures that are wanted of each key frame of a segment.
    private func wanted(
        _ bytes: [UInt8], _ format: SegmentFormat, initialization: [UInt8]? = nil, iv: [UInt8]? = nil,
        width: Int? = nil,
    ) throws -> [WantedPicture] {
        let section = try initialization.map(InitSection.reading)
        var inspector = StreamingInspector(initSection: section)
        inspector.append(bytes)
        let found = try #require(try inspector.finish().keyFrames)
        return found.frames.map {
            WantedPicture(
                segment: name(format.container), format: format, iv: iv,
                tableByteCount: found.tableByteCount, frame: $0, width: width)
        }
    }

    private func expectPictures(_ wanted: [WantedPicture], count: Int, size: [Int]) async throws {
        let maker = PictureMaker(store: store, processes: 2)
        #expect(wanted.count == count)
        var pictures: Set<[UInt8]> = []
        for picture in wanted {
            let bytes = try await maker.picture(picture)
            #expect(EncodedVideo.size(ofJPEG: bytes) == size)
            pictures.insert(bytes)
        }
        // The test picture moves.
        #expect(pictures.count == count)
    }

    @Test("Each key frame of a transport stream is one", arguments: ["libx264", "libx265"])
    func transportStream(codec: String) async throws {
        let bytes = try await EncodedVideo.transportStream(codec: codec)
        let format = SegmentFormat(container: .transportStream)
        try await store.put(bytes, as: name(.transportStream))
        try await expectPictures(try wanted(bytes, format), count: 4, size: [320, 180])
    }

    @Test("The first of each fragment of fMP4 is one")
    func fragmented() async throws {
        let video = try await EncodedVideo.fragmented()
        var format = SegmentFormat(container: .fragmentedMP4)
        format.initName = "init-0123456789abcdef.mp4"
        try await store.put(video.segment, as: name(.fragmentedMP4))
        try await store.put(
            video.initialization, as: .initialization(channel, rendition, "init-0123456789abcdef.mp4"))
        let pictures = try wanted(video.segment, format, initialization: video.initialization)
        try await expectPictures(pictures, count: 2, size: [320, 180])
    }

    @Test(
        "A width is kept to, in whole pairs of pixels and never above the recorded one",
        arguments: [(16, [16, 8]), (160, [160, 90]), (101, [100, 56]), (1920, [320, 180])])
    func widths(width: Int, size: [Int]) async throws {
        let bytes = try await EncodedVideo.transportStream()
        try await store.put(bytes, as: name(.transportStream))
        let pictures = try wanted(bytes, SegmentFormat(container: .transportStream), width: width)
        try await expectPictures(Array(pictures.prefix(1)), count: 1, size: size)
    }

    @Test("A segment under AES-128 has them while its key is held")
    func encrypted() async throws {
        let bytes = try await EncodedVideo.transportStream()
        let (key, iv) = (Array(0..<16) as [UInt8], Array(16..<32) as [UInt8])
        var cipher = try AES128CBC(.encrypt, key: key, iv: iv)
        let stored = try cipher.update(bytes) + (try cipher.finish())
        try await store.put(stored, as: name(.transportStream))
        var format = SegmentFormat(container: .transportStream)
        (format.keyMethod, format.keyName) = ("AES-128", "00112233445566778899aabbccddeeff")
        let pictures = try wanted(bytes, format, iv: iv)
        let maker = PictureMaker(store: store, processes: 1)
        await #expect { try await maker.picture(pictures[0]) } throws: { error in
            if case .encrypted = error as? PictureError { true } else { false }
        }
        try await store.put(key, as: .key(channel, "00112233445566778899aabbccddeeff"))
        try await expectPictures(pictures, count: 4, size: [320, 180])
    }

    @Test("What is not held, what is no picture, and a missing decoder are errors of their own")
    func failures() async throws {
        let bytes = try await EncodedVideo.transportStream()
        let pictures = try wanted(bytes, SegmentFormat(container: .transportStream))
        let maker = PictureMaker(store: store, processes: 1)
        await #expect { try await maker.picture(pictures[0]) } throws: { error in
            if case .notHeld = error as? PictureError { true } else { false }
        }
        try await store.put([UInt8](repeating: 0x47, count: bytes.count), as: name(.transportStream))
        await #expect { try await maker.picture(pictures[0]) } throws: { error in
            if case .decoder = error as? PictureError { true } else { false }
        }
        let without = PictureMaker(store: store, processes: 1, program: "no-such-decoder")
        await #expect { try await without.picture(pictures[0]) } throws: { error in
            if case .noDecoder("no-such-decoder") = error as? PictureError { true } else { false }
        }
    }

    @Test("A segment whose tables come behind a megabyte has none")
    func lateTables() async throws {
        // Packets without content (ISO/IEC 13818-1, 2.4.3.3).
        let empty: [UInt8] = [0x47, 0x1F, 0xFF, 0x10] + [UInt8](repeating: 0xFF, count: 184)
        let video = try await EncodedVideo.transportStream()
        let maker = PictureMaker(store: store, processes: 1)
        for (count, isHeld) in [(5000, true), (6000, false)] {
            let bytes = Array(repeatElement(empty, count: count).joined()) + video
            let name = ArchiveKey.segment(
                channel, rendition,
                SegmentName(
                    start: Instant(seconds: Int64(count)), revision: 0, fileExtension: .transportStream))
            try await store.put(bytes, as: name)
            var one = try #require(try wanted(bytes, SegmentFormat(container: .transportStream)).first)
            one.segment = name
            #expect(one.tableByteCount > count * empty.count)
            if isHeld {
                #expect(try await !maker.picture(one).isEmpty)
                continue
            }
            await #expect { try await maker.picture(one) } throws: { error in
                if case .notHeld = error as? PictureError { true } else { false }
            }
        }
    }

    /// A program that runs lines of a shell.
    private func decoder(_ lines: String, in folder: TemporaryFolder) async throws -> String {
        try await folder.writeProgram("#!/bin/sh\n\(lines)\n", to: "decoder")
    }

    @Test(
        "A decoder that cannot be started or is killed says nothing of the picture",
        arguments: ["exit 126", "exit 127", "cat >/dev/null; kill -9 $$"])
    func shortage(line: String) async throws {
        let bytes = try await EncodedVideo.transportStream()
        try await store.put(bytes, as: name(.transportStream))
        let one = try #require(try wanted(bytes, SegmentFormat(container: .transportStream)).first)
        let folder = try TemporaryFolder("decoder")
        let maker = PictureMaker(store: store, processes: 1, program: try await decoder(line, in: folder))
        await #expect { try await maker.picture(one) } throws: { error in
            if case .unavailable = error as? PictureError { true } else { false }
        }
    }

    @Test("A picture that many ask for is decoded once, and takes one place of those that wait")
    func equal() async throws {
        let bytes = try await EncodedVideo.transportStream()
        try await store.put(bytes, as: name(.transportStream))
        let one = try #require(try wanted(bytes, SegmentFormat(container: .transportStream)).first)
        let folder = try TemporaryFolder("decoder")
        // It may write no file; a folder counts each run.
        let program = try await decoder(
            "mkdir '\(folder.path)/run.'$$ >&2; sleep 1; exec ffmpeg \"$@\"", in: folder)
        let maker = PictureMaker(store: store, processes: 2, program: program)
        let pictures = try await withThrowingTaskGroup(of: [UInt8].self) { group in
            for _ in 0..<30 { group.addTask { try await maker.picture(one) } }
            return try await group.reduce(into: Set<[UInt8]>()) { $0.insert($1) }
        }
        #expect(pictures.count == 1)
        let runs = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(runs.count { $0.hasPrefix("run.") } == 1)
    }

    @Test("When the last who asked for a picture has left, its decoder is ended, and its place is free")
    func left() async throws {
        let bytes = try await EncodedVideo.transportStream()
        try await store.put(bytes, as: name(.transportStream))
        let one = try #require(try wanted(bytes, SegmentFormat(container: .transportStream)).first)
        let folder = try TemporaryFolder("decoder")
        let program = try await decoder("mkdir '\(folder.path)/run.'$$; exec sleep 600", in: folder)
        let maker = PictureMaker(store: store, processes: 1, program: program)
        func runs() throws -> [pid_t] {
            try FileManager.default.contentsOfDirectory(atPath: folder.path)
                .filter { $0.hasPrefix("run.") }.compactMap { pid_t($0.dropFirst(4)) }
        }
        for count in 1...2 {
            let asker = Task { try await maker.picture(one) }
            try await eventually("the decoder") { try runs().count == count }
            asker.cancel()
            let processes = try runs()
            try await eventually("its end") { processes.allSatisfy { kill($0, 0) != 0 } }
            await #expect(throws: PictureError.self) { try await asker.value }
        }
    }

    @Test("A decoder opens nothing but its streams", arguments: SegmentExtension.allCases)
    func whitelist(container: SegmentExtension) throws {
        let wanted = WantedPicture(
            segment: name(container), format: SegmentFormat(container: container), iv: nil,
            tableByteCount: 0, frame: KeyFrame(offset: 0, byteCount: 1, milliseconds: 0), width: nil)
        let arguments = PictureMaker.arguments(for: wanted)
        #expect(FFmpegInputs.values(of: "-protocol_whitelist", in: arguments) == ["pipe"])
    }

    @Test("Of many at once some are made, eight wait, and the others are refused; what was made is kept")
    func turns() async throws {
        let bytes = try await EncodedVideo.transportStream()
        try await store.put(bytes, as: name(.transportStream))
        let one = try #require(try wanted(bytes, SegmentFormat(container: .transportStream)).first)
        let maker = PictureMaker(store: store, processes: 2)
        let results = await withTaskGroup(of: String.self) { group in
            for width in 0..<30 {
                var wanted = one
                wanted.width = 16 + 2 * width
                group.addTask { [wanted] in
                    do throws(PictureError) {
                        return try await maker.picture(wanted).isEmpty ? "empty" : "made"
                    } catch {
                        if case .busy = error { return "busy" }
                        return "\(error)"
                    }
                }
            }
            return await group.reduce(into: [] as [String]) { $0.append($1) }
        }
        #expect(Set(results) == ["made", "busy"])
        #expect(results.count { $0 == "made" } >= 10)
        let without = PictureMaker(store: MemorySegmentStore(), processes: 1)
        await #expect(throws: PictureError.self) { try await without.picture(one) }
        let first = try await maker.picture(one)
        try await store.delete(one.segment)
        #expect(try await maker.picture(one) == first)
    }
}
