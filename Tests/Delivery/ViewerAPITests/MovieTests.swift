import Catalogue
import Concurrency
import HTTP
import HTTPSupport
import SegmentStore
import TestSupport
import Testing
import Timeline

@testable import ViewerAPI

@Suite(.serialized) struct MovieTests {
    private let path = "/live/cctv2/download.mp4?begintime=1469509516000&endtime=1469509522000"

    /// A channel whose second segment of six is missing.
    private func recording() async throws -> Recording {
        let files = try await SampleStreams.files(.transportStream)
        var recording = Recording(seconds: 0)
        recording.add("v0", from: 0, count: 6)
        recording.watermark = 6
        for number in 0..<6 {
            let bytes = try #require(files["index\(number).ts"])
            recording.segments[number].start = Double(number)
            recording.segments[number].duration = 1
            recording.segments[number].plain = bytes
            recording.segments[number].stored = bytes
        }
        recording.segments.remove(at: 1)
        return recording
    }

    @Test(
        "A window of a transport stream is packed while it is sent, encrypted or not",
        arguments: TransportKind.allCases)
    func packed(transport: TransportKind) async throws {
        try await ViewerFixture.with(over: transport) { viewer in
            var recording = try await recording()
            for channel in ["cctv2", "cctv3"] {
                recording.channel = channel
                if channel == "cctv3" {
                    try recording.encrypt(
                        key: [UInt8](repeating: 9, count: 16), name: "0123456789abcdef0123456789abcdef")
                }
                try await viewer.record(recording)
                let answer = try await viewer.get(path.replacing("cctv2", with: channel))
                #expect(answer.status == 200)
                #expect(answer.headers["Accept-Ranges"] == "none")
                #expect(answer.headers["Content-Type"] == "video/mp4")
                #expect(answer.headers["ETag"] == nil && answer.headers["Content-Length"] == nil)
                #expect(
                    answer.headers["Content-Disposition"]
                        == "attachment; filename=\"\(channel)_20160726T050516Z.mp4\"")
                #expect(answer.headers["Backcast-Held-Seconds"] == "5")
                #expect(answer.body.dropFirst(4).prefix(4).elementsEqual("ftyp".utf8))
                #expect(answer.body.count > 10_000)
            }
        }
    }

    @Test(
        "A change of picture size or audio channels ends the file, also behind a segment that shows neither",
        arguments: [(1280, 2, true), (640, 6, true), (1280, 2, false), (640, 6, false)])
    func change(width: Int, channels: Int, isKnownAtOnce: Bool) async throws {
        try await ViewerFixture.with { viewer in
            var recording = try await recording()
            for index in 0..<5 { recording.segments[index].format.width = index < 3 ? 640 : width }
            for index in 0..<5 { recording.segments[index].format.audioChannels = index < 3 ? 2 : channels }
            if !isKnownAtOnce {
                recording.segments[0].format.width = 0
                recording.segments[0].format.audioChannels = nil
            }
            try await viewer.record(recording)
            let answer = try await viewer.send(.head, path)
            #expect(answer.status == 200)
            #expect(answer.headers["Backcast-Next"] == "2016-07-26T05:05:20.000Z")
            #expect(answer.headers["Backcast-Window"]?.hasSuffix("/2016-07-26T05:05:20.000Z") == true)
        }
    }

    @Test("Audio that begins behind the end of the file is in the next one; strict wants it if it was lost")
    func laterSound() async throws {
        try await ViewerFixture.with { viewer in
            var recording = Recording(seconds: 0)
            (recording.playlistForm, recording.watermark) = (.multivariant, 40)
            var (narrow, wide) = (SegmentFormat.silent, SegmentFormat.silent)
            (narrow.width, wide.width) = (640, 1280)
            recording.add("v0", from: 0, count: 5, format: narrow) { $0.audioGroup = "aac" }
            recording.add("v0", from: 20, count: 5, sequence: 1, format: wide)
            recording.add("a0", from: 20, count: 5, sequence: 1, format: .audio) { $0.groupID = "aac" }
            try await viewer.record(recording)
            let path = path.replacing("522000", with: "556000")
            for choice in ["", "&audio=a0", "&strict=true", "&audio=a0&strict=true"] {
                let answer = try await viewer.send(.head, path + choice)
                #expect(answer.status == 200, "\(choice)")
                #expect(answer.headers["Backcast-Next"] == "2016-07-26T05:05:36.000Z", "\(choice)")
            }
            try await viewer.lose("cctv2", "a0", from: 4, to: 20)
            let strict = try await viewer.get(path + "&strict=true")
            #expect(strict.status == 409)
            #expect(strict.problem["rendition"] as? String == "a0")
        }
    }

    @Test(
        "Audio that begins long after the video begins another file, in which its first segment is",
        arguments: [(8, nil), (20, "36"), (22, "36"), (24, "40")] as [(Double, String?)])
    func lateSound(start: Double, next: String?) async throws {
        try await ViewerFixture.with { viewer in
            var recording = Recording(seconds: 0)
            (recording.playlistForm, recording.watermark) = (.multivariant, 40)
            recording.add("v0", from: 0, count: 10, format: .silent) { $0.audioGroup = "aac" }
            recording.add("a0", from: start, count: 4, format: .audio) { $0.groupID = "aac" }
            try await viewer.record(recording)
            let path = path.replacing("522000", with: "556000")
            for choice in ["", "&audio=a0"] {
                let answer = try await viewer.send(.head, path + choice)
                #expect(answer.status == 200, "\(choice)")
                let begin = next.map { "2016-07-26T05:05:\($0).000Z" }
                #expect(answer.headers["Backcast-Next"] == begin, "\(choice)")
                guard let begin else { continue }
                let rest = try await viewer.send(
                    .head, path.replacing("begintime=1469509516000", with: "begintime=\(begin)") + choice)
                #expect(rest.status == 200 && rest.headers["Backcast-Next"] == nil, "\(choice)")
            }
            // The source had audio of its own all the time, or not: strict cannot know.
            #expect(try await viewer.send(.head, path + "&strict=true").status == 409)
        }
    }

    @Test("An open end is redirected to the URL with the current end", arguments: TransportKind.allCases)
    func openEnd(transport: TransportKind) async throws {
        try await ViewerFixture.with(over: transport) { viewer in
            try await viewer.record(recording())
            let answer = try await viewer.get("/live/cctv2/download.mp4?begintime=1469509516")
            #expect(answer.status == 302)
            #expect(answer.headers["Location"]?.hasPrefix("download.mp4?begintime=1469509516000&") == true)
        }
    }

    /// A channel with fMP4 and its initialization section; one second of six is missing.
    private func record(
        _ viewer: ViewerFixture, _ kind: SampleStreams.Kind, encrypted: Bool,
    ) async throws -> Recording {
        var recording = try await fragmentedRecording(viewer, kind)
        if encrypted {
            try recording.encrypt(
                key: [UInt8](repeating: 9, count: 16), name: "0123456789abcdef0123456789abcdef")
        }
        try await viewer.record(recording)
        return recording
    }

    /// The same in fMP4, of which only the initialization section is stored.
    private func fragmentedRecording(
        _ viewer: ViewerFixture, _ kind: SampleStreams.Kind = .fragmentedMP4,
    ) async throws -> Recording {
        let files = try await SampleStreams.files(kind)
        var recording = try await recording()
        for index in recording.segments.indices {
            let bytes = try #require(files["index\(recording.segments[index].number).m4s"])
            recording.segments[index].plain = bytes
            recording.segments[index].stored = bytes
            recording.segments[index].format.container = .fragmentedMP4
            recording.segments[index].format.initName = "init-0123456789abcdef.mp4"
        }
        try await viewer.storeOpening(of: "cctv2", kind)
        return recording
    }

    @Test(
        "Segments of fMP4 are one file with an exact length, without the hole, and any range is the same",
        arguments: [
            (SampleStreams.Kind.fragmentedMP4, false), (.fragmentedMP4, true), (.lateMP4, false),
        ])
    func fragmented(kind: SampleStreams.Kind, encrypted: Bool) async throws {
        try await ViewerFixture.with(over: .socket) { viewer in
            let recording = try await record(viewer, kind, encrypted: encrypted)
            let answer = try await viewer.get(path)
            #expect(answer.status == 200)
            #expect(answer.headers["Accept-Ranges"] == "bytes")
            let whole = answer.body
            #expect(answer.headers["Content-Length"] == "\(whole.count)")
            let tag = try #require(answer.headers["ETag"])
            let movie = try TestMovie(whole)
            #expect(try await movie.complaints() == "")
            #expect(abs(try await movie.seconds() - 5) < 0.1)
            for kind in ["v", "a"] {
                let times = try await movie.decodeTimes(kind)
                let steps = zip(times, times.dropFirst()).map { $1 - $0 }
                #expect((steps.min() ?? 0) > 0 && (steps.max() ?? 1) < 0.2)
                #expect((times.first ?? 1) < 0.1)
            }
            let first = whole.count - recording.segments.reduce(0) { $0 + $1.plain.count }
            for offset in [0, 1, first - 1, first, first + 5000, whole.count / 2, whole.count - 1] {
                let part = try await viewer.get(path, ["Range": "bytes=\(offset)-", "If-Range": tag])
                #expect(part.status == 206)
                #expect(part.body == Array(whole.dropFirst(offset)))
            }
            try await viewer.withReplica { replica in
                let part = try await replica.get(path, ["Range": "bytes=\(whole.count / 2)-"])
                #expect(part.headers["ETag"] == tag)
                #expect(part.body == Array(whole.dropFirst(whole.count / 2)))
            }
        }
    }

    @Test(
        "The answer for a day of 43,200 segments begins within a second, and so does a HEAD",
        arguments: [SegmentExtension.transportStream, .fragmentedMP4])
    func day(container: SegmentExtension) async throws {
        try await ViewerFixture.with(over: .socket) { viewer in
            var recording =
                try await container == .transportStream ? recording() : fragmentedRecording(viewer)
            let sample = recording.segments[0]
            recording.segments = (0..<43_200).map { number in
                var segment = sample
                (segment.number, segment.start, segment.duration) = (Int64(number), Double(number) * 2, 2)
                return segment
            }
            recording.watermark = 86_400
            // Entering a day takes some seconds, and longer on a slow machine.
            let entered = try await times(1) { try await viewer.record(recording) }
            let limit = max(3, (entered.first ?? 0) / 2)
            let day = path.replacing("1469509522000", with: "1469595916000")
            // The best of three: the machine may have other work.
            let answered = try await times(3) {
                let answer = try await viewer.send(.head, day)
                #expect(answer.status == 200 && answer.headers["Backcast-Held-Seconds"] == "86400")
            }
            #expect((answered.min() ?? .infinity) < limit, "HEAD \(answered), entered \(entered)")
            let begun = await times(3) { #expect(await viewer.begun(day).status == .ok) }
            #expect((begun.min() ?? .infinity) < limit, "first bytes \(begun), entered \(entered)")
        }
    }

    /// The seconds that each of several runs takes.
    private func times(_ count: Int, _ body: () async throws -> Void) async rethrows -> [Double] {
        var times: [Double] = []
        for _ in 0..<count {
            let begin = SteadyInstant.now
            try await body()
            times.append((SteadyInstant.now - begin) / .seconds(1))
        }
        return times
    }

    @Test("What is no transport stream is refused there, and the refusal names the MP4 file")
    func instead() async throws {
        try await ViewerFixture.with { viewer in
            var recording = try await recording()
            for index in recording.segments.indices {
                recording.segments[index].format.container = .fragmentedMP4
            }
            try await viewer.record(recording)
            let answer = try await viewer.get(path.replacing(".mp4", with: ".ts"))
            #expect(answer.isProblem(404))
            #expect(
                try answer.json["instead"] as? String
                    == "download.mp4?begintime=1469509516000&endtime=1469509522000")
        }
    }

    @Test("A third download at a time is refused for a while, and allowed when one has ended")
    func busy() async throws {
        try await ViewerFixture.with(over: .socket) { viewer in
            try await viewer.record(recording())
            var begun = [await viewer.begun(path), await viewer.begun(path)]
            #expect(begun.allSatisfy { $0.status == .ok })
            for method in [HTTPMethod.get, .head] {
                let answer = try await viewer.send(method, path)
                #expect(answer.status == 503)
                #expect(Int(answer.headers["Retry-After"] ?? "") ?? 0 > 0)
            }
            #expect(try await viewer.get(path).isProblem(503))
            // What needs no process is answered.
            #expect(try await viewer.get(path.replacing(".mp4", with: ".ts")).status == 200)
            begun.removeLast()
            try await eventually("a free process") { try await viewer.get(path).status == 200 }
        }
    }

    @Test("Without ffmpeg a window that needs it is 501, and fMP4 is a file all the same")
    func noFFmpeg() async throws {
        try await ViewerFixture.with(over: .socket) { recorder in
            try await recorder.record(recording())
            var other = Recording("cctv3", seconds: 0)
            other.watermark = 2
            try await recorder.recordBoxes(&other, times: [0, 1_000])
            try await recorder.withReplica(ffmpeg: "no-such-ffmpeg") { viewer in
                let answer = try await viewer.get(path)
                #expect(answer.isProblem(501))
                #expect((answer.problem["detail"] as? String)?.contains("no-such-ffmpeg") ?? false)
                #expect(try await viewer.send(.head, path).status == 501)
                let fragmented = path.replacing("cctv2", with: "cctv3").replacing("522000", with: "518000")
                #expect(try await viewer.get(fragmented).status == 200)
            }
        }
    }

    @Test(
        "Times that no source can mean end the download, whether audio is a rendition of its own or not",
        arguments: [1 << 63, UInt64.max, Self.endless, 1 << 60], [false, true])
    func impossible(time: UInt64, hasAudio: Bool) async throws {
        try await ViewerFixture.with { viewer in
            var recording = Recording("cctv2", seconds: 0)
            recording.watermark = 6
            let segments = (0..<3).map { _ in
                TestBoxes.longSegment(time: 0) + TestBoxes.longSegment(time: time)
            }
            let tracks =
                hasAudio
                ? [("v0", "video:h264"), ("a0", "audio:aac")] : [("v0", "video:h264,audio:aac")]
            if hasAudio { recording.playlistForm = .multivariant }
            for (id, tracks) in tracks {
                try await viewer.add(id, segments, tracks: tracks, to: &recording)
            }
            try await viewer.record(recording)
            let answer = await viewer.begun(path)
            if answer.status == .internalServerError { return }
            guard answer.status == .ok, case .stream(_, let body) = answer.body else {
                throw TestFailure("\(answer.status)")
            }
            await #expect(throws: (any Error).self) { while try await body.next(limit: 1000) != nil {} }
        }
    }

    /// With the duration of the segments the largest number of 63 bits.
    private static let endless = UInt64(Int64.max) - 100

    @Test("A file of fMP4 ends before a time that does not fit in 32 bits, and says where the rest begins")
    func overflow() async throws {
        try await ViewerFixture.with(over: .socket) { viewer in
            var recording = Recording("cctv2", seconds: 0)
            recording.watermark = 6
            // A second has a billion ticks: the fifth one does not fit. The source began anywhere.
            let times = (0..<6).map { 3_000_000_000 + UInt64($0) * 100 }
            try await viewer.recordBoxes(&recording, times: times, timescale: 1_000_000_000)
            let answer = try await viewer.get(path)
            #expect(answer.status == 200)
            #expect(answer.headers["Backcast-Next"] == "2016-07-26T05:05:20.000Z")
            #expect(answer.headers["Backcast-Held-Seconds"] == "4")
            let opening = answer.body.count - 4 * TestBoxes.segment(time: 0).count
            #expect(opening == TestBoxes.opening(timescale: 1).count)
            #expect(answer.headers["Content-Length"] == "\(answer.body.count)")
            let rest = try await viewer.get(path.replacing("516000&", with: "520000&"))
            #expect(rest.status == 200 && rest.headers["Backcast-Next"] == nil)
        }
    }
    @Test(
        "A segment of fMP4 that is cut, or whose last box is open, takes nothing from those behind it",
        arguments: CutFragment.allCases)
    func cut(_ cut: CutFragment) async throws {
        try await ViewerFixture.with(over: .socket) { viewer in
            var recording = try await fragmentedRecording(viewer)
            try await viewer.record(recording)
            let whole = try TestMovie(try await viewer.get(path).body)
            recording.channel = "cctv3"
            recording.segments[2].plain = try cut.applied(to: recording.segments[2].plain)
            recording.segments[2].stored = recording.segments[2].plain
            try await viewer.storeOpening(of: "cctv3")
            try await viewer.record(recording)
            let answer = try await viewer.get(path.replacing("cctv2", with: "cctv3"))
            #expect(answer.status == 200)
            #expect(answer.headers["Content-Length"] == "\(answer.body.count)")
            let movie = try TestMovie(answer.body)
            // Two segments with ten pictures each, and 43 audio frames a second.
            for (kind, count) in [("v", 20), ("a", 80)] {
                let expected = try await whole.packets(kind).suffix(count)
                let packets = try await movie.packets(kind).suffix(count)
                try #require(expected.count == count)
                #expect(packets.map(\.digest) == expected.map(\.digest))
                #expect(packets.map(\.seconds) == expected.map(\.seconds))
            }
        }
    }
}

extension ViewerFixture {
    /// Stores the initialization section of a channel with fMP4.
    fileprivate func storeOpening(
        of channel: String, _ kind: SampleStreams.Kind = .fragmentedMP4,
    ) async throws {
        let files = try await SampleStreams.files(kind)
        try await store.put(
            try #require(files["init.mp4"]),
            as: .initialization(
                try #require(ChannelID(channel)), RenditionID(kind: .video, index: 0),
                "init-0123456789abcdef.mp4"))
    }
}
