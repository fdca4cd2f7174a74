import Catalogue
import Foundation
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

    @Test("A change of picture size ends the file, and the answer says where the rest begins")
    func change() async throws {
        try await ViewerFixture.with { viewer in
            var recording = try await recording()
            for index in 3..<5 { recording.segments[index].format.width = 1280 }
            for index in 0..<3 { recording.segments[index].format.width = 640 }
            try await viewer.record(recording)
            let answer = try await viewer.send(.head, path)
            #expect(answer.status == 200)
            #expect(answer.headers["Backcast-Next"] == "2016-07-26T05:05:20.000Z")
            #expect(answer.headers["Backcast-Window"]?.hasSuffix("/2016-07-26T05:05:20.000Z") == true)
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
    private func record(_ viewer: ViewerFixture, encrypted: Bool = false) async throws -> Recording {
        let files = try await SampleStreams.files(.fragmentedMP4)
        var recording = try await recording()
        for index in recording.segments.indices {
            let bytes = try #require(files["index\(recording.segments[index].number).m4s"])
            recording.segments[index].plain = bytes
            recording.segments[index].stored = bytes
            recording.segments[index].format.container = .fragmentedMP4
            recording.segments[index].format.initName = "init-0123456789abcdef.mp4"
        }
        if encrypted {
            try recording.encrypt(
                key: [UInt8](repeating: 9, count: 16), name: "0123456789abcdef0123456789abcdef")
        }
        try await viewer.record(recording)
        let channel = try #require(ChannelID("cctv2"))
        try await viewer.store.put(
            try #require(files["init.mp4"]),
            as: .initialization(
                channel, RenditionID(kind: .video, index: 0), "init-0123456789abcdef.mp4"))
        return recording
    }

    @Test(
        "Segments of fMP4 are one file with an exact length, without the hole, and any range is the same",
        arguments: [false, true])
    func fragmented(encrypted: Bool) async throws {
        try await ViewerFixture.with(over: .socket) { viewer in
            let recording = try await record(viewer, encrypted: encrypted)
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

    private static func bytes(_ path: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(filePath: path)))
    }

    /// A channel whose picture and sound are two renditions of fMP4; the third second of six is missing.
    private func recordPair(_ viewer: ViewerFixture) async throws {
        let folder = try TemporaryFolder("pair")
        let sources = ["v0": "testsrc2=size=96x64:rate=10:duration=6", "a0": "sine=duration=6"]
        var recording = Recording(seconds: 0)
        recording.playlistForm = .multivariant
        recording.watermark = 6
        let channel = try #require(ChannelID("cctv2"))
        for (id, source) in sources.sorted(by: { $0.key > $1.key }) {
            let video = ["-c:v", "libx264", "-g", "10", "-pix_fmt", "yuv420p"]
            let codec = id == "v0" ? video : ["-c:a", "aac"]
            var arguments = ["-nostdin", "-v", "error", "-f", "lavfi", "-i", source]
            arguments += codec
            arguments += ["-output_ts_offset", "1000", "-f", "hls", "-hls_time", "1"]
            arguments += ["-hls_playlist_type", "vod", "-hls_segment_type", "fmp4"]
            arguments += ["-hls_fmp4_init_filename", "\(id).mp4"]
            arguments += ["-hls_segment_filename", "\(id)-%d.m4s", "\(id).m3u8"]
            try await Command.run("ffmpeg", arguments, in: folder.path)
            var format = SegmentFormat(
                container: .fragmentedMP4, tracks: id == "v0" ? "video:h264" : "audio:aac")
            format.initName = id == "v0" ? "init-0123456789abcdef.mp4" : "init-0123456789abcde0.mp4"
            let first = recording.segments.count
            recording.add(id, from: 0, count: 6, format: format) { description in
                if id == "v0" { description.audioGroup = "aac" } else { description.groupID = "aac" }
            }
            for index in first..<(first + 6) {
                let bytes = try Self.bytes(folder.path(of: "\(id)-\(index - first).m4s"))
                recording.segments[index].start = Double(index - first)
                recording.segments[index].duration = 1
                recording.segments[index].plain = bytes
                recording.segments[index].stored = bytes
            }
            recording.segments.remove(at: first + 2)
            try await viewer.store.put(
                try Self.bytes(folder.path(of: "\(id).mp4")),
                as: .initialization(
                    channel, try #require(RenditionID(id)), try #require(format.initName)))
        }
        try await viewer.record(recording)
    }

    @Test("Picture and sound of two renditions are packed together, without the hole")
    func pair() async throws {
        try await ViewerFixture.with(over: .socket) { viewer in
            try await recordPair(viewer)
            for target in [path, path + "&audio=a0&rendition=v0"] {
                let answer = try await viewer.get(target)
                #expect(answer.status == 200)
                #expect(answer.headers["Accept-Ranges"] == "none")
                let movie = try TestMovie(answer.body)
                #expect(try await movie.complaints() == "")
                #expect(abs(try await movie.seconds() - 5) < 0.4)
                for kind in ["v", "a"] {
                    let times = try await movie.decodeTimes(kind)
                    let steps = zip(times, times.dropFirst()).map { $1 - $0 }
                    #expect((steps.min() ?? 0) > 0 && (steps.max() ?? 1) < 0.25)
                    #expect((times.first ?? 1) < 0.25)
                }
            }
            #expect(try await viewer.get(path + "&audio=v0").status == 400)
            #expect(try await viewer.get(path + "&audio=a7").status == 404)
        }
    }
}
