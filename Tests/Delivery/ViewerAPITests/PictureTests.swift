import Foundation
import HTTP
import HTTPSupport
import MediaFormat
import TestSupport
import Testing
import Timeline

@testable import Catalogue
@testable import Postgres
@testable import ViewerAPI

@Suite("Pictures and thumbnail tracks", .serialized, .timeLimit(.minutes(30)))
struct PictureTests {
    /// Segments of four seconds of true video with a key frame each second; one is missing from 12 to 16.
    private func recording(_ channel: String = "cctv2") async throws -> Recording {
        var recording = Recording(channel)
        recording.segments.removeAll { $0.start == 12 }
        try await film(&recording)
        return recording
    }

    private func film(_ recording: inout Recording) async throws {
        let video = try await EncodedVideo.transportStream()
        var inspector = StreamingInspector()
        inspector.append(video)
        let found = try inspector.finish().keyFrames
        for index in recording.segments.indices {
            (recording.segments[index].plain, recording.segments[index].stored) = (video, video)
            recording.segments[index].keyFrames = found
        }
    }

    @Test("The picture is that of the last key frame, with its instant", arguments: TransportKind.allCases)
    func picture(transport: TransportKind) async throws {
        try await ViewerFixture.with(over: transport) { viewer in
            try await viewer.record(recording())
            let answer = try await viewer.get("/live/cctv2/frame.jpg?time=1469509522.500&width=161")
            #expect(answer.status == 200)
            #expect(answer.headers["Content-Type"] == "image/jpeg")
            #expect(answer.headers["Backcast-Time"] == "2016-07-26T05:05:22.000Z")
            #expect(EncodedVideo.size(ofJPEG: Array(answer.body)) == [160, 90])
            #expect(answer.headers["Cache-Control"] == "public, max-age=3600, immutable")
            let same = try await viewer.get("/live/cctv2/frame.jpg?time=20160726050522900&width=160")
            #expect(same.body == answer.body && same.headers["ETag"] == answer.headers["ETag"])
            let tag = try #require(answer.headers["ETag"])
            let again = try await viewer.get(
                "/live/cctv2/frame.jpg?time=1469509522&width=160", ["If-None-Match": tag])
            #expect(again.status == 304 && again.body.isEmpty)
            // Any other length than that of the picture is wrong (RFC 9110 §8.6), and without one the
            // connection is closed.
            #expect(again.headers["Connection"] == nil)
            if transport == .socket {
                #expect(again.headers["Content-Length"] == "\(answer.body.count)")
            }
            let whole = try await viewer.get("/live/cctv2/frame.jpg?time=1469509516&rendition=v0")
            #expect(EncodedVideo.size(ofJPEG: Array(whole.body)) == [320, 180])
            let head = try await viewer.send(.head, "/live/cctv2/frame.jpg?time=1469509516")
            #expect(head.status == 200 && head.body.isEmpty)
        }
    }

    @Test("HEAD and a picture that the client has need no decoder, and hardly the catalogue")
    func undecoded() async throws {
        try await ViewerFixture.with { viewer in
            var recording = try await recording()
            // What is stored is no video any more: a decoder would say so.
            for index in recording.segments.indices {
                let byteCount = recording.segments[index].stored.count
                recording.segments[index].stored = [UInt8](repeating: 7, count: byteCount)
            }
            try await viewer.record(recording)
            let path = "/live/cctv2/frame.jpg?time=1469509522.500&width=160"
            #expect(try await viewer.get(path).status == 404)
            let head = try await viewer.send(.head, path)
            #expect(head.status == 200 && head.headers["Content-Length"] == nil)
            #expect(head.headers["Backcast-Time"] == "2016-07-26T05:05:22.000Z")
            let tag = try #require(head.headers["ETag"])
            // The channel and its head are read every two seconds, whatever is asked for.
            viewer.clock.slowDown()
            let before = viewer.catalogue.pool.statementCount
            for _ in 0..<100 {
                #expect(try await viewer.get(path, ["If-None-Match": tag]).status == 304)
            }
            #expect(viewer.catalogue.pool.statementCount == before)
        }
    }

    @Test("Within one segment behind what is held it is the last picture; further on there is none")
    func holes() async throws {
        try await ViewerFixture.with { viewer in
            try await viewer.record(recording())
            // The hole begins at 12.
            let near = try await viewer.get("/live/cctv2/frame.jpg?time=1469509531")
            #expect(near.status == 200 && near.headers["Backcast-Time"] == "2016-07-26T05:05:27.000Z")
            for time in ["1469509500", "1469509999"] {
                let none = try await viewer.get("/live/cctv2/frame.jpg?time=\(time)")
                #expect(none.status == 404, "\(time)")
                #expect((none.problem["available"] as? [Any])?.isEmpty == false, "\(time)")
            }
            let live = try await viewer.get("/live/cctv2/frame.jpg?time=1469509556")
            #expect(live.status == 200 && live.headers["Backcast-Time"] == "2016-07-26T05:05:55.000Z")
            try await viewer.expire("cctv2", before: at(20))
            viewer.clock.steadyLead += .seconds(10)
            let gone = try await viewer.get("/live/cctv2/frame.jpg?time=1469509517")
            #expect(gone.status == 410)
        }
    }

    @Test(
        "Where a better variant has ended, the picture is that of another one",
        arguments: [("1469509656", 35, false), ("1469509656.500", 36, true)])
    func betterVariant(time: String, count: Int, hasLateKeyFrames: Bool) async throws {
        try await ViewerFixture.with { viewer in
            var recording = Recording(seconds: 0)
            recording.add("v0", from: 0, count: 25) { $0.bandwidth = 5_000_000 }
            recording.add("v1", from: 0, count: count) { $0.bandwidth = 1_000_000 }
            recording.watermark = Double(count * 4)
            try await film(&recording)
            if hasLateKeyFrames {
                for index in recording.segments.indices {
                    recording.segments[index].keyFrames?.frames = [
                        KeyFrame(offset: 376, byteCount: 200, milliseconds: 1080)
                    ]
                }
            }
            try await viewer.record(recording)
            let picture = try await viewer.send(.head, "/live/cctv2/frame.jpg?time=\(time)")
            #expect(picture.status == 200)
            #expect(picture.headers["ETag"]?.hasPrefix("\"v1-") == true)
        }
    }

    @Test("Segments under AES-128 have pictures; audio and segments without known key frames have none")
    func kinds() async throws {
        try await ViewerFixture.with { viewer in
            var encrypted = try await recording("encrypted")
            try encrypted.encrypt(key: Array(0..<16), name: String(repeating: "0a", count: 16))
            try await viewer.record(encrypted)
            let opened = try await viewer.get("/live/encrypted/frame.jpg?time=1469509518.5&width=64")
            #expect(opened.status == 200)
            #expect(EncodedVideo.size(ofJPEG: Array(opened.body)) == [64, 36])
            try await viewer.record(Recording("plain"))
            var audio = Recording("audio", seconds: 0)
            audio.watermark = 40
            audio.add("a0", from: 0, count: 10, format: .audio)
            try await viewer.record(audio)
            for path in ["plain/frame.jpg?", "audio/frame.jpg?", "encrypted/frame.jpg?rendition=a0&"] {
                let none = try await viewer.get("/live/\(path)time=1469509520")
                #expect(none.status == 404, "\(path)")
                #expect(none.headers["Content-Type"] == "application/problem+json", "\(path)")
                let isKnown = !path.contains("rendition")
                #expect((none.problem["available"] is [Any]) == isKnown, "\(path)")
            }
            #expect(try await viewer.get("/live/none/frame.jpg?time=1469509520").status == 404)
        }
    }

    @Test("Without ffmpeg a picture is 501, for HEAD too")
    func noFFmpeg() async throws {
        try await ViewerFixture.with { recorder in
            try await recorder.record(recording())
            try await recorder.withReplica(ffmpeg: "no-such-ffmpeg") { viewer async throws in
                let path = "/live/cctv2/frame.jpg?time=1469509518"
                let answer = try await viewer.get(path)
                #expect(answer.status == 501)
                #expect((answer.problem["detail"] as? String)?.contains("no-such-ffmpeg") ?? false)
                #expect(try await viewer.send(.head, path).status == 501)
            }
        }
    }

    @Test("While the decoder cannot be started a picture is 503, not absent, and a download is 503, too")
    func shortage() async throws {
        let folder = try TemporaryFolder("decoder")
        let program = try await folder.writeProgram("#!/bin/sh\nexit 126\n", to: "decoder")
        try await ViewerFixture.with { recorder in
            try await recorder.record(recording())
            try await recorder.withReplica(ffmpeg: program) { viewer async throws in
                for path in [
                    "frame.jpg?time=1469509518",
                    "download.mp4?begintime=1469509516000&endtime=1469509526000",
                ] {
                    let answer = try await viewer.get("/live/cctv2/\(path)")
                    #expect(answer.isProblem(503), "\(path)")
                    #expect(Int(answer.headers["Retry-After"] ?? "") ?? 0 > 0, "\(path)")
                }
            }
        }
    }

    private static let faults = [
        ("frame.jpg", "time"), ("frame.jpg?time=", "time"), ("frame.jpg?time=soon", "time"),
        ("frame.jpg?time=-1", "time"), ("frame.jpg?time=1469509516&time=1469509517", "time"),
        ("frame.jpg?time=1469509516&width=15", "width"), ("frame.jpg?time=1469509516&width=1921", "width"),
        ("frame.jpg?time=1469509516&width=", "width"), ("frame.jpg?time=1469509516&width=1e2", "width"),
        ("frame.jpg?time=1469509516&width=-16", "width"), ("frame.jpg?time=1469509516&width=%2B64", "width"),
        ("frame.jpg?time=1469509516&width=99999999999999999999", "width"),
        ("frame.jpg?time=1469509516&width=64&width=64", "width"),
        ("frame.jpg?time=1469509516&rendition=v", "rendition"), ("frame.jpg?time=%zz", "time"),
        ("frames.vtt", "begintime"), ("frames.vtt?dvr=60", "begintime"),
        ("frames.vtt?begintime=1469509516&mode=event", "mode"),
        ("frames.vtt?begintime=1469509516&step=0", "step"),
        ("frames.vtt?begintime=1469509516&step=0.5", "step"),
        ("frames.vtt?begintime=1469509516&step=601", "step"),
        ("frames.vtt?begintime=1469509516&step=ten", "step"),
        ("frames.vtt?begintime=1469509516&step=1&step=2", "step"),
        ("frames.vtt?begintime=1469509516&width=8", "width"),
        ("frames.vtt?begintime=1469509516&endtime=1469509510", "endtime"),
    ]

    @Test("Each malformed time, width and step is named", arguments: TransportKind.allCases)
    func parameters(transport: TransportKind) async throws {
        try await ViewerFixture.with(over: transport) { viewer in
            try await viewer.record(recording())
            for (path, name) in Self.faults {
                let answer = try await viewer.get("/live/cctv2/\(path)")
                #expect(answer.status == 400, "\(path)")
                #expect(answer.problem["parameter"] as? String == name, "\(path)")
                #expect(answer.headers["Content-Type"] == "application/problem+json", "\(path)")
            }
        }
    }

    @Test("A track has a cue for each step in the time of the media, and ends with the last segment")
    func track() async throws {
        try await ViewerFixture.with { viewer in
            try await viewer.record(recording())
            let query = "begintime=1469509518000&endtime=1469509538000"
            let answer = try await viewer.get("/live/cctv2/frames.vtt?\(query)&step=5")
            #expect(answer.status == 200 && answer.headers["Content-Type"] == "text/vtt; charset=utf-8")
            #expect(answer.headers["X-Content-Type-Options"] == "nosniff")
            // Three segments, a hole that takes no time, and two more.
            #expect(
                answer.text == """
                    WEBVTT

                    00:00:00.000 --> 00:00:05.000
                    frame.jpg?time=1469509516000&width=160

                    00:00:05.000 --> 00:00:10.000
                    frame.jpg?time=1469509521000&width=160

                    00:00:10.000 --> 00:00:15.000
                    frame.jpg?time=1469509526000&width=160

                    00:00:15.000 --> 00:00:20.000
                    frame.jpg?time=1469509535000&width=160

                    """)
            let gaps = try await viewer.get(
                "/live/cctv2/frames.vtt?\(query)&step=5&gaps=tag&width=33&rendition=v0")
            #expect(
                gaps.text.contains(
                    "00:00:10.000 --> 00:00:12.000\nframe.jpg?time=1469509526000&width=32&rendition=v0\n"))
            #expect(gaps.text.contains("00:00:16.000 --> 00:00:20.000\nframe.jpg?time=1469509532000"))
            #expect(!gaps.text.contains("00:00:12.000 -->"))
            #expect(gaps.text.contains("00:00:20.000 --> 00:00:24.000\nframe.jpg?time=1469509536000"))
            for uri in answer.text.split(separator: "\n").filter({ $0.hasPrefix("frame.jpg") }) {
                #expect(try await viewer.get("/live/cctv2/\(uri)").status == 200, "\(uri)")
            }
        }
    }

    @Test("The cues before the first key frame of the window, or behind a hole, show that one")
    func openGroups() async throws {
        try await ViewerFixture.with { viewer in
            var recording = try await recording()
            for index in recording.segments.indices {
                recording.segments[index].keyFrames?.frames = [
                    KeyFrame(offset: 376, byteCount: 200, milliseconds: 1080)
                ]
            }
            try await viewer.record(recording)
            for gaps in ["", "&gaps=tag"] {
                let track = try await viewer.get(
                    "/live/cctv2/frames.vtt?begintime=1469509521&endtime=1469509538&step=1\(gaps)")
                // The hole is 12 to 16.
                let times = [5080, 5080, 6000, 7000, 8000, 9000, 10_000, 11_000]
                let behind = [17_080, 17_080, 18_000, 19_000, 20_000, 21_000, 22_000, 23_000]
                let uris = track.text.split(separator: "\n").filter { $0.hasPrefix("frame.jpg") }
                let named = (times + behind).map { "frame.jpg?time=\(1_469_509_516_000 + $0)&width=160" }
                #expect(uris.map(String.init) == named)
                for uri in uris {
                    #expect(try await viewer.send(.head, "/live/cctv2/\(uri)").status == 200, "\(uri)")
                }
            }
        }
    }

    @Test("A window without key frames, and one with too many steps, has no track")
    func noTrack() async throws {
        try await ViewerFixture.with(maxWindowSeconds: 200_000) { viewer in
            try await viewer.record(Recording("plain"))
            let none = try await viewer.get("/live/plain/frames.vtt?begintime=1469509516&duration=20")
            #expect(none.status == 404)
            let none2 = try await viewer.get("/live/plain/frames.vtt?begintime=1469509816&duration=20")
            #expect(none2.status == 404 && none2.problem["available"] != nil)
            var long = try await recording("long")
            long.watermark = 100_000
            try await viewer.record(long)
            for (duration, status) in [(86_400, 200), (86_401, 400)] {
                let fine = try await viewer.get(
                    "/live/long/frames.vtt?begintime=1469509516&duration=\(duration)&step=1")
                #expect(fine.status == status)
                #expect(status == 200 || fine.problem["parameter"] as? String == "step")
            }
        }
    }

    @Test("Unless it is said a step is ten seconds, or longer where the window would have too many")
    func longTrack() async throws {
        try await ViewerFixture.with(maxWindowSeconds: 31 * 86_400) { viewer in
            var long = try await recording("long")
            (long.watermark, long.retentionSeconds) = (31 * 86_400, nil)
            try await viewer.record(long)
            for (days, step) in [(1, 10), (10, 10), (11, 11), (31, 31)] {
                let path = "/live/long/frames.vtt?begintime=1469509516&duration=\(days * 86_400)"
                let track = try await viewer.get(path)
                let same = try await viewer.get("\(path)&step=\(step)")
                #expect(track.status == 200 && track.body == same.body, "\(days) days")
                #expect(track.text.contains("\n00:00:00.000 --> 00:00:\(step).000\n"), "\(days) days")
            }
        }
    }

    @Test("A day has a track with any step, a cue for each")
    func wholeDay() async throws {
        try await ViewerFixture.with { viewer in
            var day = try await recording("day")
            let first = day.segments[0]
            day.segments = (0..<1440).map { minute in
                var segment = first
                (segment.number, segment.start) = (Int64(minute), Double(60 * minute))
                segment.duration = 60
                return segment
            }
            (day.watermark, day.targetSeconds) = (86_400, 60)
            try await viewer.record(day)
            for step in [1, 5, 600] {
                let track = try await viewer.get(
                    "/live/day/frames.vtt?begintime=1469509516&duration=86400&step=\(step)")
                #expect(track.status == 200)
                let cues = track.text.split(separator: "\n").count { $0.contains(" --> ") }
                #expect(cues == 86_400 / step)
                let last = "--> 24:00:00.000\nframe.jpg?time=\(1_469_509_516 + 86_400 - step)000&width=160\n"
                #expect(track.text.hasSuffix(last), "\(step)")
            }
        }
    }

    @Test("More pictures at once than may wait are to be asked for later, and others are made")
    func busy() async throws {
        try await ViewerFixture.with { viewer in
            try await viewer.record(recording())
            let answers = try await withThrowingTaskGroup(of: ReceivedResponse.self) { group in
                for width in 0..<64 {
                    group.addTask {
                        try await viewer.get("/live/cctv2/frame.jpg?time=1469509518&width=\(64 + 2 * width)")
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(Set(answers.map(\.status)) == [200, 503])
            for answer in answers where answer.status == 503 {
                #expect(answer.headers["Content-Type"] == "application/problem+json")
                #expect(Int(answer.headers["Retry-After"] ?? "").map { $0 > 0 } ?? false)
            }
        }
    }
}
