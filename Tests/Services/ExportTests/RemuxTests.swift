import Glibc
import HTTPSupport
import MediaFormat
import SegmentStore
import TestSupport
import Testing
import Timeline

@testable import Export

@Suite("Windows that ffmpeg packs", .serialized, .timeLimit(.minutes(30)))
struct RemuxTests {
    private static let rendition = RenditionID(kind: .video, index: 0)

    /// The segments of a sample stream in an archive, one for each second, and the plan of some of them.
    private struct Sample {
        let store = MemorySegmentStore()
        let channel: ChannelID
        var segments: [RecordedSegment] = []
        var format = SegmentFormat(container: .transportStream, tracks: "video:h264,audio:aac")

        /// With `ticks` the times of the source are that much later, in 33 bits; `renumbered` segments have
        /// other `pids`.
        init(
            _ numbers: [Int], movedBy ticks: Int64 = 0, renumbered: Set<Int> = [],
            pids: [UInt16: UInt16] = [:],
        ) async throws {
            channel = try #require(ChannelID("cctv2"))
            let files = try await SampleStreams.files(.transportStream)
            for number in numbers {
                var joiner = TransportStreamJoiner()
                joiner.begin(movedBy: ticks)
                var bytes = joiner.append(try #require(files["index\(number).ts"])) + joiner.finish()
                if renumbered.contains(number) { bytes = RenumberedStream.bytes(bytes, pids) }
                let segment = RecordedSegment(
                    start: at(Double(number)), duration: 1_000_000, number: Int64(number),
                    discontinuitySequence: 0, formatID: 1, storedBytes: Int64(bytes.count),
                    plainBytes: Int64(bytes.count))
                try await store.put(bytes, as: key(of: segment))
                segments.append(segment)
            }
        }

        mutating func replace(_ index: Int, with bytes: [UInt8]) async throws {
            let key = key(of: segments[index])
            try await store.delete(key)
            try await store.put(bytes, as: key)
            segments[index].storedBytes = Int64(bytes.count)
            segments[index].plainBytes = Int64(bytes.count)
        }

        /// Makes null packets of the packets of a PID in some segments, so that only the tables have it.
        mutating func empty(_ pid: UInt16, in indices: [Int], nullPackets: Int = 0) async throws {
            for index in indices {
                var bytes = try await store.read(key(of: segments[index]))
                for start in stride(from: 0, to: bytes.count, by: 188)
                where UInt16(bytes[start + 1] & 0x1F) << 8 | UInt16(bytes[start + 2]) == pid {
                    bytes.replaceSubrange(start..<(start + 188), with: TransportPacket.null)
                }
                for _ in 0..<nullPackets { bytes += TransportPacket.null }
                try await replace(index, with: bytes)
            }
        }

        /// Clears the marker bits in the times of a PID's units, as some encoders do (ISO 13818-1 §2.4.3.6).
        mutating func clearMarkerBits(of pid: UInt16) async throws {
            for index in segments.indices {
                var bytes = try await store.read(key(of: segments[index]))
                for start in stride(from: 0, to: bytes.count, by: 188)
                where UInt16(bytes[start + 1] & 0x5F) << 8 | UInt16(bytes[start + 2]) == 0x4000 | pid {
                    let unit = start + 4 + (bytes[start + 3] & 0x20 == 0 ? 0 : 1 + Int(bytes[start + 4]))
                    for offset in [9, 11, 13] { bytes[unit + offset] &= 0xFE }
                }
                try await replace(index, with: bytes)
            }
        }

        func key(of segment: RecordedSegment) -> ArchiveKey {
            let name = SegmentName(
                start: segment.start, revision: 0, fileExtension: .transportStream)
            return .segment(channel, RemuxTests.rendition, name)
        }

        /// A plan that has the segments again and again, as a source that begins at zero each time.
        func plan(times: Int = 1) throws -> RemuxPlan {
            let runs = try SegmentRun.pairs(segments)
            return try RemuxPlan(
                channel: channel,
                (RemuxTests.rendition, Array(repeating: runs, count: times).flatMap { $0 }, [1: format]))
        }
    }

    private func all(of body: RemuxBody) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        while let piece = try await body.next(limit: 100_000) { bytes += piece }
        return bytes
    }

    @Test("Holes are closed, times go on, and players have nothing to complain about", arguments: [1, 20])
    func hole(times: Int) async throws {
        let sample = try await Sample([0, 1, 3, 4])
        let body = try WindowExport(store: sample.store).body(of: sample.plan(times: times))
        let file = try TestMovie(try await all(of: body))
        #expect(try await file.complaints() == "")
        let length = try await file.seconds()
        #expect(abs(length - 4 * Double(times)) < 0.1 * Double(2 * times))
        for kind in ["v", "a"] {
            let times = try await file.decodeTimes(kind)
            #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
            // Ten pictures a second, and 43 audio frames.
            let steps = zip(times, times.dropFirst()).map { $1 - $0 }
            #expect((steps.max() ?? 1) < 0.3)
            #expect((times.first ?? 1) < 0.2)
        }
    }

    @Test("ffmpeg opens nothing but its streams, whatever an input says")
    func whitelist() async throws {
        let sample = try await Sample([0])
        let runs = try SegmentRun.pairs(sample.segments)
        let inputs = try [Self.rendition, RenditionID(kind: .audio, index: 0)].map {
            RemuxPlan.TrackSource.stream(
                try RemuxPlan.Input(sample.channel, ($0, runs, [1: sample.format])))
        }
        for plan in [try sample.plan(), try RemuxPlan(video: inputs[0], audio: inputs[1])] {
            let allowed = FFmpegInputs.values(of: "-protocol_whitelist", in: plan.arguments())
            #expect(allowed == Array(repeating: "pipe", count: plan.inputCount))
        }
    }

    @Test("Times of 33 bits that wrap go on", arguments: [3.0, 3.55, 4.2])
    func wrap(seconds: Double) async throws {
        let sample = try await Sample([0, 1, 2, 4, 5], movedBy: (1 << 33) - Int64(seconds * 90_000))
        let body = try WindowExport(store: sample.store).body(of: sample.plan())
        let file = try TestMovie(try await all(of: body))
        #expect(try await file.complaints() == "")
        #expect(abs(try await file.seconds() - 5) < 0.2)
        for kind in ["v", "a"] {
            let times = try await file.decodeTimes(kind)
            let steps = zip(times, times.dropFirst()).map { $1 - $0 }
            #expect((steps.min() ?? 0) > 0 && (steps.max() ?? 1) < 0.3)
        }
    }

    /// After a discontinuity the PIDs differ; they may also be swapped.
    @Test(
        "Segments with other PIDs are in the file",
        arguments: [[2, 3], [2], [0, 1]] as [Set<Int>],
        [[0x100: 0x44, 0x101: 0x45], [0x100: 0x101, 0x101: 0x100]] as [[UInt16: UInt16]])
    func otherPIDs(renumbered: Set<Int>, pids: [UInt16: UInt16]) async throws {
        let same = try await Sample([0, 1, 2, 3])
        let other = try await Sample([0, 1, 2, 3], renumbered: renumbered, pids: pids)
        var files: [TestMovie] = []
        for sample in [same, other] {
            let body = try WindowExport(store: sample.store).body(of: sample.plan())
            files.append(try TestMovie(try await all(of: body)))
        }
        #expect(try await files[1].complaints() == "")
        for kind in ["v", "a"] {
            let expected = try await files[0].packets(kind)
            let packets = try await files[1].packets(kind)
            #expect(expected.count >= 40)
            #expect(packets.map(\.digest) == expected.map(\.digest))
            #expect(packets.map(\.seconds) == expected.map(\.seconds))
        }
    }

    @Test(
        "A track that is announced but has no media is not in the file",
        arguments: [(0x100, "a", "v"), (0x101, "v", "a")] as [(UInt16, String, String)])
    func announced(pid: UInt16, present: String, absent: String) async throws {
        var sample = try await Sample([0, 1, 2, 3])
        let whole = try WindowExport(store: sample.store).body(of: sample.plan())
        let expected = try await TestMovie(try await all(of: whole)).packets(present)
        try await sample.empty(pid, in: [0, 1, 2, 3])
        let body = try WindowExport(store: sample.store).body(of: sample.plan())
        let movie = try TestMovie(try await all(of: body))
        #expect(try await movie.complaints() == "")
        #expect(try await movie.packets(absent).isEmpty)
        #expect(try await movie.packets(present).map(\.digest) == expected.map(\.digest))
    }

    @Test("Audio whose times have wrong marker bits is in the file")
    func markerBits() async throws {
        var sample = try await Sample([0, 1, 2, 3])
        let whole = try WindowExport(store: sample.store).body(of: sample.plan())
        let expected = try await TestMovie(try await all(of: whole)).packets("a")
        try await sample.clearMarkerBits(of: 0x101)
        let body = try WindowExport(store: sample.store).body(of: sample.plan())
        let movie = try TestMovie(try await all(of: body))
        #expect(expected.count >= 160)
        #expect(try await movie.packets("a").map(\.digest) == expected.map(\.digest))
        #expect(try await movie.packets("v").count == 40)
    }

    @Test("A track whose media begin in a later segment is in the file; much later they end it with an error")
    func late() async throws {
        var sample = try await Sample([0, 1, 2, 3])
        try await sample.empty(0x101, in: [0, 1])
        let body = try WindowExport(store: sample.store).body(of: sample.plan())
        let movie = try TestMovie(try await all(of: body))
        #expect(try await movie.packets("v").count == 40)
        let audio = try await movie.packets("a")
        #expect((80...90).contains(audio.count))
        #expect(abs((audio.first?.seconds ?? 0) - 2) < 0.2)
        try await sample.empty(0x101, in: [0], nullPackets: (17 << 20) / 188)
        let much = try WindowExport(store: sample.store).body(of: sample.plan())
        await #expect(throws: (any Error).self) { try await all(of: much) }
    }

    @Test("A segment with a track that the first one lacks ends the body with an error")
    func otherTracks() async throws {
        var sample = try await Sample([0, 1, 2, 3])
        // Of the same video, but without audio.
        let bytes = try #require(try await SampleStreams.files(.separateAudio)["video0.ts"])
        try await sample.replace(0, with: bytes)
        let body = try WindowExport(store: sample.store).body(of: sample.plan())
        await #expect(throws: (any Error).self) { try await all(of: body) }
    }

    @Test(
        "A segment that lacks bytes takes nothing from those behind it",
        arguments: [1, 2, 3], [1, 100, 187])
    func lackingBytes(quarter: Int, count: Int) async throws {
        var files: [TestMovie] = []
        for isDamaged in [false, true] {
            var sample = try await Sample([0, 1, 2, 3])
            if isDamaged {
                var bytes = try await sample.store.read(sample.key(of: sample.segments[1]))
                let packet = bytes.count / 188 * quarter / 4
                bytes.removeSubrange((packet * 188 + 20)..<(packet * 188 + 20 + count))
                try await sample.replace(1, with: bytes)
            }
            let body = try WindowExport(store: sample.store).body(of: sample.plan())
            files.append(try TestMovie(try await all(of: body)))
        }
        for (kind, count) in [("v", 20), ("a", 80)] {
            let times = try await files[1].decodeTimes(kind)
            #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
            let expected = try await files[0].packets(kind).suffix(count)
            let packets = try await files[1].packets(kind).suffix(count)
            #expect(packets.map(\.digest) == expected.map(\.digest))
        }
    }

    @Test(
        "HEVC of a transport stream gets the name that Apple's players want",
        arguments: [
            (SegmentExtension.transportStream, "video:hevc,audio:aac", true),
            (.transportStream, "audio:aac,video:hevc", true),
            (.transportStream, "video:h264,audio:aac", false),
            (.transportStream, "video:h264,video:hevc", false), (.fragmentedMP4, "video:hevc", false),
        ])
    func appleTag(container: SegmentExtension, tracks: String, isSet: Bool) async throws {
        var sample = try await Sample([0])
        sample.format = SegmentFormat(container: container, tracks: tracks)
        let arguments = try sample.plan().arguments()
        let tag = arguments.firstIndex(of: "-tag:v:0").map { arguments[$0 + 1] }
        #expect(tag == (isSet ? "hvc1" : nil))
    }

    @Test("At most so many at a time, and the next when one is given up")
    func places() async throws {
        let sample = try await Sample([0, 1, 2])
        let export = WindowExport(store: sample.store, remuxProcesses: 2)
        var held = [try export.body(of: sample.plan()), try export.body(of: sample.plan())]
        #expect(throws: ExportError.noFreeProcess) { _ = try export.body(of: sample.plan()) }
        #expect(throws: ExportError.noFreeProcess) { _ = try export.body(of: sample.plan(), isRead: false) }
        held.removeLast()
        // What is not read leaves the place to others.
        let unread = try export.body(of: sample.plan(), isRead: false)
        defer { _ = unread }
        _ = try export.body(of: sample.plan())
    }

    @Test("The process ends when the viewer leaves")
    func leaving() async throws {
        let sample = try await Sample([0, 1, 2, 3, 4, 5])
        var body: RemuxBody? = try WindowExport(store: sample.store).body(of: sample.plan(times: 500))
        try await body?.prepare()
        let process = try #require(await body?.process)
        #expect(kill(process, 0) == 0)
        body = nil
        try await eventually("the end of the process") { kill(process, 0) != 0 }
    }

    @Test("A process that is killed ends the body with an error, so that nothing short looks whole")
    func killed() async throws {
        let sample = try await Sample([0, 1, 2, 3, 4, 5])
        let body = try WindowExport(store: sample.store).body(of: sample.plan(times: 500))
        try await body.prepare()
        kill(try #require(await body.process), SIGKILL)
        await #expect(throws: (any Error).self) { try await all(of: body) }
    }

    @Test("A segment that the archive lost ends the body with an error")
    func lost() async throws {
        let sample = try await Sample([0, 1, 2, 3, 4, 5])
        try await sample.store.delete(sample.key(of: sample.segments[4]))
        let body = try WindowExport(store: sample.store).body(of: sample.plan())
        await #expect(throws: (any Error).self) { try await all(of: body) }
    }
}
