import Catalogue
import Foundation
import HTTP
import HTTPSupport
import SegmentStore
import TestSupport
import Testing
import Timeline

@testable import ViewerAPI

@Suite("Audio that is a rendition of its own, in one MP4 file", .serialized, .timeLimit(.minutes(30)))
struct SeparateAudioTests {
    enum Form: String, Sendable {
        case transportStream = "ts"
        case fragmentedMP4 = "m4s"
        /// With the time in front of each segment.
        case packed = "aac"
        case packedWithoutTime = "untimed"

        var container: SegmentExtension {
            switch self {
            case .transportStream: .transportStream
            case .fragmentedMP4: .fragmentedMP4
            case .packed, .packedWithoutTime: .aac
            }
        }
    }

    struct Kind: Sendable, CustomTestStringConvertible {
        var picture: Form
        var audio: Form
        /// The first time of the source, seconds.
        var begin = 1000.0
        /// That of the audio; that of the picture unless said.
        var audioBegin: Double?
        /// Segments of a second that are missing in the picture and in the audio.
        var missingPicture = [2]
        var missingAudio = [2]

        var testDescription: String { "\(picture) \(audio) \(begin) \(audioBegin ?? begin)" }
    }

    private let path = "/live/cctv2/download.mp4?begintime=1469509516000&endtime=1469509522000"
    /// 2³³ ticks of 90 kHz, seconds.
    private static let wrap = 95_443.717

    private static let kinds = [
        Kind(picture: .fragmentedMP4, audio: .fragmentedMP4),
        Kind(picture: .transportStream, audio: .transportStream),
        Kind(picture: .transportStream, audio: .packed),
        Kind(picture: .transportStream, audio: .packedWithoutTime),
        // The encoder writes the begin of fMP4 into an edit list.
        Kind(picture: .fragmentedMP4, audio: .packed),
        Kind(picture: .fragmentedMP4, audio: .transportStream),
        Kind(picture: .transportStream, audio: .fragmentedMP4),
        Kind(picture: .fragmentedMP4, audio: .packed, begin: 0),
        Kind(picture: .fragmentedMP4, audio: .transportStream, begin: 0),
        Kind(picture: .transportStream, audio: .fragmentedMP4, begin: 0),
        // Picture and audio do not count from the same time.
        Kind(picture: .transportStream, audio: .fragmentedMP4, audioBegin: 0),
        Kind(picture: .transportStream, audio: .transportStream, audioBegin: 5000),
        Kind(picture: .transportStream, audio: .packed, audioBegin: 20),
        Kind(picture: .fragmentedMP4, audio: .transportStream, audioBegin: 5000),
        Kind(picture: .fragmentedMP4, audio: .fragmentedMP4, audioBegin: 20),
        Kind(
            picture: .fragmentedMP4, audio: .transportStream, begin: 0, audioBegin: 5000,
            missingPicture: [0, 2, 5], missingAudio: []),
        // Times wrap in the second that is missing, and in one that is not.
        Kind(picture: .transportStream, audio: .transportStream, begin: wrap - 2.5),
        Kind(picture: .transportStream, audio: .packed, begin: wrap - 3.5),
        Kind(picture: .fragmentedMP4, audio: .transportStream, begin: wrap - 3.5),
        // They wrap in one of both only.
        Kind(picture: .transportStream, audio: .packed, begin: wrap - 1.5, audioBegin: 500),
        Kind(picture: .fragmentedMP4, audio: .transportStream, audioBegin: wrap - 3.5),
        Kind(picture: .transportStream, audio: .fragmentedMP4, begin: wrap - 3.5),
        // The audio begins after the wrap.
        Kind(picture: .transportStream, audio: .packed, begin: wrap - 1.5, missingAudio: [0, 1]),
        Kind(picture: .fragmentedMP4, audio: .transportStream, begin: wrap - 0.5, missingAudio: [0]),
        // Audio is cut to the picture.
        Kind(picture: .transportStream, audio: .packed, missingPicture: [0, 2, 5], missingAudio: []),
        Kind(
            picture: .transportStream, audio: .transportStream, missingPicture: [0, 2, 5], missingAudio: [3]),
    ]

    /// Segments of video of four seconds, and audio whose format changes within one of them.
    private func changingAudio(at change: Double) -> Recording {
        var recording = Recording(seconds: 0)
        (recording.playlistForm, recording.watermark) = (.multivariant, 40)
        var (first, second) = (SegmentFormat.audio, SegmentFormat.audio)
        (first.sampleRate, second.sampleRate) = (44_100, 48_000)
        recording.add("v0", from: 0, count: 10, format: .silent) { $0.audioGroup = "aac" }
        let begin = change.truncatingRemainder(dividingBy: 4)
        recording.add("a0", from: begin, count: Int(change) / 4, format: first) { $0.groupID = "aac" }
        recording.add("a0", from: change, count: 5, sequence: 1, format: second)
        return recording
    }

    @Test(
        "Audio of another format within a segment of video begins the next file, which goes on from there",
        arguments: [("16", "34"), ("33", "34"), ("34", nil), ("35", nil)] as [(String, String?)])
    func changeOfAudio(begin: String, next: String?) async throws {
        try await ViewerFixture.with { viewer in
            try await viewer.record(changingAudio(at: 18))
            let answer = try await viewer.send(
                .head,
                "/live/cctv2/download.mp4?begintime=2016-07-26T05:05:\(begin).000Z&endtime=1469509552000")
            #expect(answer.status == 200)
            #expect(answer.headers["Backcast-Next"] == next.map { "2016-07-26T05:05:\($0).000Z" })
            let end = next ?? "52"
            #expect(answer.headers["Backcast-Window"]?.hasSuffix("/2016-07-26T05:05:\(end).000Z") == true)
        }
    }

    @Test("A change of the audio behind the end of the window is not in a next one")
    func changeBehindEnd() async throws {
        try await ViewerFixture.with { viewer in
            try await viewer.record(changingAudio(at: 11))
            let answer = try await viewer.send(.head, path.replacing("522000", with: "526000"))
            #expect(answer.status == 200)
            #expect(answer.headers["Backcast-Next"] == nil)
        }
    }

    @Test("Each packet of the audio stays with its picture, and holes take no time", arguments: kinds)
    func sync(kind: Kind) async throws {
        try await ViewerFixture.with(over: .socket) { viewer in
            let source = try await record(viewer, kind)
            for target in [path, path + "&audio=a0&rendition=v0"] {
                let answer = try await viewer.get(target)
                #expect(answer.status == 200)
                #expect(answer.headers["Accept-Ranges"] == "none")
                let movie = try TestMovie(answer.body)
                #expect(try await movie.complaints() == "")
                try await check(movie, kind, source)
            }
            for audio in ["v0", "x"] {
                let refused = try await viewer.get("\(path)&audio=\(audio)")
                #expect(refused.isProblem(400) && refused.problem["parameter"] as? String == "audio")
            }
            let unknown = try await viewer.get(path + "&audio=a7")
            #expect(unknown.isProblem(404) && unknown.problem["parameter"] as? String == "audio")
        }
    }

    /// Holds the file against what was encoded: a picture each tenth of a second, a packet of audio each 1024
    /// samples, the first of which is the encoder's delay.
    private func check(_ movie: TestMovie, _ kind: Kind, _ source: [Substring]) async throws {
        let pictures = (0..<60).filter { !kind.missingPicture.contains($0 / 10) }
        let shown = try await movie.packets("v").map(\.seconds).sorted()
        try #require(shown.count == pictures.count)
        #expect((shown.first ?? 1) < 0.06)
        let steps = zip(shown, shown.dropFirst()).map { $1 - $0 }
        #expect((steps.min() ?? 0) > 0.09 && (steps.max() ?? 1) < 0.16)
        let numbers = Dictionary(uniqueKeysWithValues: source.enumerated().map { ($1, $0) })
        try #require(numbers.count == source.count)
        // The catalogue does not know the encoder's delay, and a transport stream has no times below 0.
        let allowed =
            kind.audio == .packedWithoutTime || kind.begin == 0 || kind.audioBegin != nil ? 0.03 : 0.005
        var heard: [Double] = []
        for packet in try await movie.packets("a") {
            let number = try #require(numbers[packet.digest])
            let time = Double(number - 1) * 1024 / 44_100
            // Packets at the edge of a hole belong to the nearest picture.
            let nearest = try #require(
                pictures.indices.min {
                    abs(Self.distance(pictures[$0], time)) < abs(Self.distance(pictures[$1], time))
                })
            #expect(abs(Self.distance(pictures[nearest], time)) < 0.3)
            let offset = packet.seconds - shown[nearest] - (time - Double(pictures[nearest]) / 10)
            #expect(abs(offset) < allowed, "packet at \(time) s is \(offset) s off")
            heard.append(packet.seconds)
        }
        #expect(zip(heard, heard.dropFirst()).allSatisfy { $0 < $1 })
        let audible = Set(0..<6).subtracting(kind.missingPicture).subtracting(kind.missingAudio)
        #expect(Double(heard.count) > Double(audible.count) * 44_100 / 1024 * 0.9)
    }

    /// From the middle of a picture to a time of the source, seconds.
    private static func distance(_ picture: Int, _ time: Double) -> Double {
        time - Double(picture) / 10 - 0.05
    }

    /// Encodes and records picture and audio of six seconds, and returns the digests of the audio's packets.
    private func record(_ viewer: ViewerFixture, _ kind: Kind) async throws -> [Substring] {
        let folder = try TemporaryFolder("pair")
        var recording = Recording(seconds: 0)
        recording.playlistForm = .multivariant
        recording.watermark = 6
        for (id, form, missing) in [
            ("v0", kind.picture, kind.missingPicture), ("a0", kind.audio, kind.missingAudio),
        ] {
            let begin = id == "v0" ? kind.begin : kind.audioBegin ?? kind.begin
            try await encode(id, form, begin: begin, in: folder)
            var format = SegmentFormat(
                container: form.container, tracks: id == "v0" ? "video:h264" : "audio:aac")
            if form == .fragmentedMP4 {
                let name = "init-0123456789abcde\(id == "v0" ? 1 : 0).mp4"
                format.initName = name
                try await viewer.store.put(
                    try Self.bytes(folder.path(of: "\(id).mp4")),
                    as: .initialization(
                        try #require(ChannelID("cctv2")), try #require(RenditionID(id)), name))
            }
            let first = recording.segments.count
            recording.add(id, from: 0, count: 6, format: format) { description in
                if id == "v0" { description.audioGroup = "aac" } else { description.groupID = "aac" }
            }
            for number in 0..<6 {
                let bytes = try await segment(id, form, number, in: folder)
                recording.segments[first + number].start = Double(number)
                recording.segments[first + number].duration = 1
                recording.segments[first + number].plain = bytes
                recording.segments[first + number].stored = bytes
            }
            for number in missing.reversed() { recording.segments.remove(at: first + number) }
        }
        try await viewer.record(recording)
        return try await TestMovie(try Self.bytes(folder.path(of: "reference.mp4"))).packets("a").map(
            \.digest)
    }

    /// Segments of audio end elsewhere than those of the video, as AAC frames do.
    @Test(
        "Audio reaches as far as the video, which has whole segments, where it is cut elsewhere",
        arguments: [Form.transportStream, .packed])
    func otherCuts(form: Form) async throws {
        try await ViewerFixture.with(over: .socket) { viewer in
            let folder = try TemporaryFolder("cuts")
            var recording = Recording(seconds: 0)
            (recording.playlistForm, recording.watermark) = (.multivariant, 6)
            for (id, form, seconds) in [("v0", Form.transportStream, 1.0), ("a0", form, 0.7)] {
                try await encode(id, form, begin: 1000, seconds: seconds, in: folder)
                let durations = try Self.durations(folder.path(of: "\(id).m3u8"))
                let format = SegmentFormat(
                    container: form.container, tracks: id == "v0" ? "video:h264" : "audio:aac")
                let first = recording.segments.count
                recording.add(id, from: 0, count: durations.count, format: format) { description in
                    if id == "v0" { description.audioGroup = "aac" } else { description.groupID = "aac" }
                }
                for (number, duration) in durations.enumerated() {
                    let bytes = try await segment(id, form, number, in: folder)
                    recording.segments[first + number].start = durations.prefix(number).reduce(0, +)
                    recording.segments[first + number].duration = duration
                    recording.segments[first + number].plain = bytes
                    recording.segments[first + number].stored = bytes
                }
            }
            try await viewer.record(recording)
            // The video's segments are those of the seconds 1 to 5.
            let inner = path.replacing("516000", with: "517900").replacing("522000", with: "520100")
            let answer = try await viewer.get(inner)
            #expect(answer.status == 200)
            let movie = try TestMovie(answer.body)
            #expect(try await movie.complaints() == "")
            let shown = try await movie.packets("v").map(\.seconds)
            #expect(shown.count == 40)
            let heard = try await movie.packets("a").map(\.seconds)
            #expect(abs((heard.first ?? 9) - (shown.min() ?? 0)) < 0.03)
            #expect(abs((heard.last ?? 0) - (shown.max() ?? 9) - 0.1) < 0.06)
            #expect(zip(heard, heard.dropFirst()).allSatisfy { (0.01...0.03).contains($1 - $0) })
        }
    }

    /// What a playlist says of its segments (RFC 8216 §4.3.2.1), seconds.
    private static func durations(_ path: String) throws -> [Double] {
        String(decoding: try bytes(path), as: UTF8.self).split(separator: "\n").compactMap { line in
            line.hasPrefix("#EXTINF:") ? Double(line.dropFirst(8).prefix { $0 != "," }) : nil
        }
    }

    private func encode(
        _ id: String, _ form: Form, begin: Double, seconds: Double = 1, in folder: TemporaryFolder,
    ) async throws {
        // A rising tone: no two packets are equal.
        let source =
            id == "v0" ? "testsrc2=size=96x64:rate=10:duration=6" : "aevalsrc=sin(400*t*t):s=44100:d=6"
        var arguments = ["-nostdin", "-v", "error", "-f", "lavfi", "-i", source]
        let picture = ["-c:v", "libx264", "-g", "10", "-bf", "0", "-pix_fmt", "yuv420p"]
        let codec = id == "v0" ? picture : ["-c:a", "aac", "-flags", "+bitexact"]
        if id == "a0" {
            try await Command.run("ffmpeg", arguments + codec + ["reference.mp4"], in: folder.path)
        }
        arguments += codec + ["-output_ts_offset", "\(begin)", "-f", "hls", "-hls_time", "\(seconds)"]
        arguments += ["-hls_playlist_type", "vod"]
        if form == .fragmentedMP4 {
            arguments += ["-hls_segment_type", "fmp4", "-hls_fmp4_init_filename", "\(id).mp4"]
            arguments += ["-hls_segment_filename", "\(id)-%d.m4s", "\(id).m3u8"]
        } else {
            // Without this the muxer adds 1.4 s to transport streams, which fMP4 does not have.
            arguments += ["-muxdelay", "0", "-hls_segment_filename", "\(id)-%d.ts", "\(id).m3u8"]
        }
        try await Command.run("ffmpeg", arguments, in: folder.path)
    }

    private func segment(
        _ id: String, _ form: Form, _ number: Int, in folder: TemporaryFolder,
    ) async throws -> [UInt8] {
        let name = "\(id)-\(number).\(form == .fragmentedMP4 ? "m4s" : "ts")"
        guard form == .packed || form == .packedWithoutTime else {
            return try Self.bytes(folder.path(of: name))
        }
        try await Command.run(
            "ffmpeg",
            ["-nostdin", "-v", "error", "-y", "-i", name, "-c", "copy", "-f", "adts", "packed.aac"],
            in: folder.path)
        let audio = try Self.bytes(folder.path(of: "packed.aac"))
        guard form == .packed else { return audio }
        return Self.tag(try Self.firstTime(try Self.bytes(folder.path(of: name)))) + audio
    }

    /// The first PTS of a transport stream with one stream (ISO 13818-1 §2.4.3.6).
    private static func firstTime(_ stream: [UInt8]) throws -> UInt64 {
        for start in stride(from: 0, to: stream.count, by: 188) where stream[start + 1] & 0x40 != 0 {
            let payload = start + 4 + (stream[start + 3] & 0x20 == 0 ? 0 : 1 + Int(stream[start + 4]))
            guard payload + 14 < start + 188, Array(stream[payload..<(payload + 3)]) == [0, 0, 1] else {
                continue
            }
            let bytes = stream[(payload + 9)..<(payload + 14)].map { UInt64($0) }
            return (bytes[0] & 0x0E) << 29 | bytes[1] << 22 | (bytes[2] & 0xFE) << 14 | bytes[3] << 7 | bytes[
                4] >> 1
        }
        throw TestFailure("no time in the stream")
    }

    /// The ID3 tag with the time of packed audio (RFC 8216 §3.4).
    private static func tag(_ time: UInt64) -> [UInt8] {
        let content =
            Array("com.apple.streaming.transportStreamTimestamp".utf8) + [0]
            + (0..<8).map { UInt8(truncatingIfNeeded: time >> (56 - 8 * UInt64($0))) }
        let frame = Array("PRIV".utf8) + [0, 0, 0, UInt8(content.count), 0, 0] + content
        return Array("ID3".utf8) + [4, 0, 0, 0, 0, 0, UInt8(frame.count)] + frame
    }

    private static func bytes(_ path: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(filePath: path)))
    }
}
