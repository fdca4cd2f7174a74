import Catalogue
import HTTP
import HTTPSupport
import TestSupport
import Testing
import Timeline

@testable import ViewerAPI

@Suite(.serialized) struct ProblemTests {
    private static let faults = [
        ("begintime=yesterday", "begintime"), ("begintime=", "begintime"), ("begintime=-5", "begintime"),
        ("begintime=1&begintime=2", "begintime"), ("begintime=1469509516&endtime=x", "endtime"),
        ("begintime=1469509516&endtime=1469509516", "endtime"),
        ("begintime=1469509516&duration=1&endtime=1469509520", "duration"),
        ("begintime=1469509516&duration=0", "duration"), ("begintime=1469509516&duration=-4", "duration"),
        ("begintime=1469509516&duration=P1Y", "duration"), ("duration=20", "duration"),
        ("endtime=1469509536", "endtime"), ("mode=event", "mode"),
        ("begintime=1469509516&mode=vod", "mode"), ("begintime=1469509516&dvr=60", "dvr"),
        ("begintime=1469509516&delay=60", "delay"), ("dvr=0", "dvr"), ("dvr=90000", "dvr"),
        ("delay=soon", "delay"), ("delay=700000", "delay"), ("rendition=x1", "rendition"),
        ("begintime=1469509516&gaps=yes", "gaps"), ("begintime=1469509516&tracks=some", "tracks"),
        ("begintime=1469509516&strict=1", "strict"), ("utc=1469509516&begintime=1469509516", "utc"),
        ("lutc=1&lutc=2", "lutc"), ("playseek=20160726050516", "playseek"),
        ("playseek=20160726050536-20160726050516", "playseek"), ("begintime=%zz", "begintime"),
        ("begintime=1469509516&duration=%FF", "duration"), ("timeshift=x", "timeshift"),
        ("timeshift=-4", "timeshift"), ("audio=x", "audio"), ("begintime=1469509516&audio=v0", "audio"),
    ]

    @Test("An invalid parameter is named", arguments: TransportKind.allCases)
    func parameters(transport: TransportKind) async throws {
        try await ViewerFixture.with(over: transport) { viewer in
            try await viewer.record(Recording())
            for (query, name) in Self.faults {
                let answer = try await viewer.get("/live/cctv2/index.m3u8?\(query)")
                #expect(answer.status == 400, "\(query)")
                #expect(answer.problem["parameter"] as? String == name, "\(query)")
                #expect(answer.problem["status"] as? Int == 400)
                #expect((answer.problem["detail"] as? String)?.isEmpty == false)
                #expect(answer.headers["Access-Control-Allow-Origin"] == "*")
            }
        }
    }

    @Test("A query with too many parameters is refused with the limit", arguments: TransportKind.allCases)
    func manyParameters(transport: TransportKind) async throws {
        try await ViewerFixture.with(over: transport) { viewer in
            try await viewer.record(Recording())
            for query in [String(repeating: "_=1&", count: 65), String(repeating: "_=1&", count: 500)] {
                let answer = try await viewer.get("/live/cctv2/index.m3u8?\(query)")
                #expect(answer.isProblem(400))
                #expect((answer.problem["detail"] as? String)?.contains("more than 64 parameters") == true)
            }
        }
    }

    @Test("Unknown parameters are ignored")
    func unknownParameters() async throws {
        try await ViewerFixture.with { viewer in
            try await viewer.record(Recording())
            let answer = try await viewer.get("/live/cctv2/index.m3u8?begintime=1469509516&_=1&_=2&token=a")
            #expect(answer.status == 200)
        }
    }

    private static let tooLong = [
        ("begintime=1469509516&duration=20.001", "duration"),
        ("begintime=1469509516&endtime=1469509537", "endtime"),
        ("utc=1469509516&endtime=1469509537&mode=event", "endtime"),
        ("playseek=20160726050516-20160726050537", "playseek"),
    ]

    @Test("A length over the longest window names the limit and the parameter that was sent")
    func tooLong() async throws {
        try await ViewerFixture.with(maxWindowSeconds: 20) { viewer in
            try await viewer.record(Recording())
            for (query, name) in Self.tooLong {
                let answer = try await viewer.get("/live/cctv2/index.m3u8?\(query)")
                #expect(answer.status == 400, "\(query)")
                #expect(answer.problem["max_window"] as? Int == 20, "\(query)")
                #expect(answer.problem["parameter"] as? String == name, "\(query)")
            }
        }
    }

    @Test("Where nothing is recorded, the nearest coverage is offered, nearest first")
    func nothingRecorded() async throws {
        try await ViewerFixture.with { viewer in
            var recording = Recording()
            recording.add("v0", from: 4000, count: 5, sequence: 1)
            recording.watermark = 4020
            try await viewer.record(recording)
            let early = try await viewer.get("/live/cctv2/index.m3u8?begintime=0001-01-01T00:00:00Z")
            #expect(early.isProblem(404))
            let first = (early.problem["available"] as? [[String: String]])?.first
            #expect(first?["begin"] == "2016-07-26T05:05:16.000Z")
            for query in [
                "begintime=\(1_469_509_516 + 3000)&duration=60", "begintime=\(1_469_509_516 + 5000)",
            ] {
                let answer = try await viewer.get("/live/cctv2/index.m3u8?\(query)")
                #expect(answer.status == 404)
                let available = answer.problem["available"] as? [[String: String]]
                #expect(available?.first?["begin"] == "2016-07-26T06:11:56.000Z")
                #expect(available?.first?["end"] == "2016-07-26T06:12:16.000Z")
                #expect(available?.last?["begin"] == "2016-07-26T05:05:16.000Z")
            }
        }
    }

    @Test("Each window gets the coverage nearest to it, also one in the same quarter of an hour as another")
    func nearest() async throws {
        try await ViewerFixture.with { viewer in
            var recording = Recording()
            for minute in 1...5 { recording.add("v0", from: Double(minute) * 60, count: 1, sequence: 1) }
            recording.add("v0", from: 1500, count: 5, sequence: 7)
            recording.watermark = 1520
            try await viewer.record(recording)
            // Both begin between 05:15 and 05:30.
            for (begin, length, first) in [(640, 20, 5 * 60), (1300, 60, 1500), (640, 860, 1500)] {
                let answer = try await viewer.get(
                    "/live/cctv2/index.m3u8?begintime=\(1_469_509_516 + begin)&duration=\(length)")
                #expect(answer.status == 404)
                let available = answer.problem["available"] as? [[String: String]]
                #expect(available?.count == 5)
                #expect(available?.first?["begin"] == at(Double(first)).rfc3339)
            }
        }
    }

    private static let absent = [
        "/live/nobody/index.m3u8?begintime=1469509516", "/live/cctv2/v7.m3u8?begintime=1469509516",
        "/live/cctv2/index.m3u8?begintime=1469509516&rendition=a3", "/live/cctv2/other.m3u8", "/live/",
        "/live/cctv2",
        "/live/../index.m3u8", "/live/cctv2/v0/1469509516000.mp4", "/live/cctv2/v0/x/y.ts",
        "/live//index.m3u8?begintime=1469509516", "/live/cctv2//index.m3u8?begintime=1469509516",
        "/live/cctv2/index.m3u8/?begintime=1469509516", "/live/cctv2/", "/live/cctv2/v0/",
        "/live/cctv2/v0//1469509516000.ts", "/live/cctv2/v0/1469509516000.ts/",
        "/live/cctv2/v0/2016-07-26/05/1469509516000.ts",
    ]

    @Test("A missing resource is 404", arguments: TransportKind.allCases)
    func notFound(transport: TransportKind) async throws {
        try await ViewerFixture.with(over: transport) { viewer in
            try await viewer.record(Recording())
            for path in Self.absent {
                let answer = try await viewer.get(path)
                #expect(answer.status == 404, "\(path)")
                #expect(answer.problem["status"] as? Int == 404, "\(path)")
            }
        }
    }

    @Test("A channel without recordings is 404, and is unknown once it is deleted")
    func nothingYet() async throws {
        try await ViewerFixture.with { viewer in
            var recording = Recording(seconds: 0)
            recording.playlistForm = nil
            try await viewer.record(recording)
            viewer.clock.slowDown()
            let answer = try await viewer.get("/live/cctv2/index.m3u8")
            #expect(answer.status == 404)
            #expect(answer.problem["detail"] as? String == "nothing is recorded of cctv2 yet")
            try await viewer.catalogue.delete(try #require(ChannelID("cctv2")))
            viewer.clock.steadyLead += .seconds(4)
            try await eventually("no channel") {
                try await viewer.get("/live/cctv2/index.m3u8").problem["detail"] as? String
                    == "there is no channel cctv2"
            }
        }
    }

    @Test("A deleted channel without recordings is unknown; its expired recordings are 410")
    func purged() async throws {
        try await ViewerFixture.with { viewer in
            try await viewer.record(Recording())
            try await viewer.catalogue.purge(try #require(ChannelID("cctv2")), graceSeconds: 7200)
            // The year 2100: nothing was ever recorded there.
            for path in ["index.m3u8", "v0.m3u8", "master.m3u8?dvr=60", "index.m3u8?begintime=4102444800"] {
                let answer = try await viewer.get("/live/cctv2/\(path)")
                #expect(answer.status == 404, "\(path)")
                #expect(answer.problem["detail"] as? String == "there is no channel cctv2", "\(path)")
            }
            let gone = try await viewer.get("/live/cctv2/index.m3u8?begintime=1469509516&duration=20")
            #expect(gone.status == 410)
        }
    }

    /// Forty seconds, of which the audio lacks the segment at 16 s.
    private var halfSilent: Recording {
        var recording = Recording()
        recording.playlistForm = .multivariant
        recording.add("a0", from: 0, count: 4, format: .audio) { $0.groupID = "aac" }
        recording.add("a0", from: 20, count: 5, sequence: 1, format: .audio)
        return recording
    }

    @Test("strict refuses a multivariant playlist if any rendition is incomplete")
    func strict() async throws {
        try await ViewerFixture.with { viewer in
            try await viewer.record(halfSilent)
            let path = "/live/cctv2/index.m3u8?begintime=1469509516&strict=true&duration="
            #expect(try await viewer.get(path + "16").status == 200)
            let answer = try await viewer.get(path + "40")
            #expect(answer.status == 409)
            #expect(answer.problem["rendition"] as? String == "a0")
            #expect(answer.problem["missing_seconds"] as? Double == 4)
        }
    }

    @Test("A hole that is too long for GAP entries is refused by name")
    func tooManyGaps() async throws {
        try await ViewerFixture.with(maxWindowSeconds: 31 * 86_400) { viewer in
            var recording = Recording()
            recording.add("v0", from: 600_000, count: 4)
            (recording.watermark, recording.retentionSeconds) = (600_016, nil)
            try await viewer.record(recording)
            viewer.clock.now = at(600_020)
            let path = "/live/cctv2/index.m3u8?begintime=1469509516&duration=600016"
            let answer = try await viewer.get("\(path)&gaps=tag")
            #expect(answer.status == 400)
            #expect(answer.problem["parameter"] as? String == "gaps")
            #expect(answer.problem["max_gaps"] as? Int == 100_000)
            #expect(try await viewer.get(path).status == 200)
            // A file has no entries.
            let file = try await viewer.get(path.replacing("index.m3u8", with: "download.ts") + "&gaps=tag")
            #expect(file.status == 200)
        }
    }

    @Test(
        "strict asks nothing of what lies behind Backcast-Next",
        arguments: [(16, 200), (20, 409)] as [(Int64, Int)])
    func strictBeforeNext(maxWindow: Int64, status: Int) async throws {
        try await ViewerFixture.with(maxWindowSeconds: maxWindow) { viewer in
            try await viewer.record(halfSilent)
            let answer = try await viewer.get("/live/cctv2/index.m3u8?begintime=1469509516&strict=true")
            #expect(answer.status == status)
            #expect((answer.headers["Backcast-Next"] == "2016-07-26T05:05:32.000Z") == (status == 200))
        }
    }

    @Test(
        "strict on one rendition asks nothing of the others",
        arguments: [
            ("v0.m3u8?", 200), ("index.m3u8?rendition=v0&", 200), ("download.ts?rendition=v0&", 200),
            ("a0.m3u8?", 409), ("index.m3u8?rendition=a0&", 409), ("master.m3u8?", 409),
            ("download.mp4?audio=a0&", 409), ("download.mp4?rendition=v0&audio=a0&", 409),
        ])
    func strictOnOne(resource: String, status: Int) async throws {
        try await ViewerFixture.with { viewer in
            try await viewer.record(halfSilent)
            let answer = try await viewer.get(
                "/live/cctv2/\(resource)begintime=1469509516&duration=40&strict=true")
            #expect(answer.status == status)
            #expect(answer.problem["rendition"] as? String == (status == 409 ? "a0" : nil))
        }
    }

    /// Forty seconds with a second audio rendition at both ends only, and a third one only before eight.
    private var absentAudio: Recording {
        var recording = Recording()
        recording.playlistForm = .multivariant
        recording.add("a0", from: 0, count: 10, format: .audio) { $0.groupID = "aac" }
        recording.add("a1", from: 0, count: 2, format: .audio) { $0.groupID = "aac" }
        recording.add("a1", from: 32, count: 2, format: .audio)
        recording.add("a2", from: 0, count: 2, format: .audio) { $0.groupID = "aac" }
        return recording
    }

    @Test("strict sees a rendition that has nothing at all in the window, but was there before and after")
    func strictOnAbsent() async throws {
        try await ViewerFixture.with { viewer in
            try await viewer.record(absentAudio)
            let window = "begintime=1469509528&duration=16"
            let answer = try await viewer.get("/live/cctv2/index.m3u8?\(window)&strict=true")
            #expect(answer.status == 409)
            #expect(answer.problem["rendition"] as? String == "a1")
            #expect(answer.problem["missing_seconds"] as? Double == 16)
            #expect(try await viewer.get("/live/cctv2/v0.m3u8?\(window)&strict=true").status == 200)
            #expect(try await viewer.get("/live/cctv2/index.m3u8?\(window)").status == 200)
        }
    }

    @Test(
        "strict on a rendition that has nothing at all in the window is 409 where it was lost, else 404",
        arguments: [
            "a1.m3u8?", "index.m3u8?rendition=a1&", "download.ts?rendition=a1&", "download.mp4?audio=a1&",
        ])
    func strictOnOneAbsent(resource: String) async throws {
        try await ViewerFixture.with { viewer in
            try await viewer.record(absentAudio)
            let path = "/live/cctv2/\(resource)begintime=1469509528&duration=16"
            let answer = try await viewer.get(path + "&strict=true")
            #expect(answer.status == 409)
            #expect(answer.problem["rendition"] as? String == "a1")
            #expect(answer.problem["missing_seconds"] as? Double == 16)
            #expect(try await viewer.get(path).status == 404)
            let withdrawn = path.replacing("a1", with: "a2") + "&strict=true"
            #expect(try await viewer.get(withdrawn).status == 404)
        }
    }

    @Test("strict asks nothing of a rendition that the source no longer had, unless a loss names it")
    func strictOnWithdrawn() async throws {
        try await ViewerFixture.with { viewer in
            var recording = absentAudio
            recording.segments.removeAll { $0.rendition == RenditionID("a1") }
            try await viewer.record(recording)
            let path = "/live/cctv2/index.m3u8?begintime=1469509528&duration=16&strict=true"
            #expect(try await viewer.get(path).status == 200)
            try await viewer.lose("cctv2", "a2", from: 20, to: 24)
            let answer = try await viewer.get(path)
            #expect(answer.status == 409)
            #expect(answer.problem["rendition"] as? String == "a2")
            #expect(answer.problem["missing_seconds"] as? Double == 4)
        }
    }

    @Test("Expired recordings are 410, and a window that begins before the retention limit is clamped")
    func expired() async throws {
        try await ViewerFixture.with { viewer in
            try await viewer.record(Recording())
            try await viewer.expire("cctv2", before: at(20))
            let gone = try await viewer.get("/live/cctv2/index.m3u8?begintime=1469509516&duration=20")
            #expect(gone.status == 410)
            let early = try await viewer.get("/live/cctv2/index.m3u8?begintime=0001-01-01T00:00:00Z")
            #expect(early.status == 410)
            let rest = try await viewer.get("/live/cctv2/index.m3u8?begintime=1469509516&duration=40")
            #expect(rest.uris.count == 5)
            #expect(rest.headers["Backcast-Held-Seconds"] == "20")
            #expect(rest.headers["Backcast-Missing-Seconds"] == "20")
        }
    }

    @Test(
        "An unavailable catalogue is 503 with Retry-After, and segments still play",
        arguments: TransportKind.allCases)
    func unavailable(transport: TransportKind) async throws {
        try await ViewerFixture.with(over: transport) { viewer in
            try await viewer.record(Recording())
            try await viewer.withoutCatalogue { viewer in
                let answer = try await viewer.get("/live/cctv2/index.m3u8?begintime=1469509516")
                #expect(answer.status == 503)
                #expect(answer.headers["Retry-After"] == "5")
                #expect(try await viewer.get("/live/cctv2/v0/1469509516000.ts").status == 200)
            }
        }
    }

    @Test("A page may send any header field, also to a server of a private network")
    func preflight() async throws {
        try await ViewerFixture.with { viewer in
            let asked: HTTPHeaders = [
                "Access-Control-Request-Headers": "cmcd-session, authorization",
                "Access-Control-Request-Private-Network": "true",
            ]
            let answer = try await viewer.send(.options, "/live/cctv2/index.m3u8", asked)
            #expect(answer.headers["Access-Control-Allow-Headers"] == "cmcd-session, authorization")
            #expect(answer.headers["Access-Control-Allow-Private-Network"] == "true")
            #expect(answer.headers["Timing-Allow-Origin"] == "*")
            #expect(answer.headers["Access-Control-Expose-Headers"]?.contains("Date") == true)
            // The answer has to fit into the memory of the connection.
            let many = try await viewer.send(
                .options, "/live/cctv2/index.m3u8",
                ["Access-Control-Request-Headers": String(repeating: "x-a, ", count: 110)])
            #expect(many.status == 204)
            #expect(many.headers["Access-Control-Allow-Headers"]?.contains("Range") == true)
            let form = try await viewer.send(.options, "/player_api.php")
            #expect(form.headers["Allow"] == "GET, HEAD, OPTIONS, POST")
            #expect(form.headers["Access-Control-Allow-Methods"] == "GET, HEAD, OPTIONS, POST")
        }
    }

    @Test(
        "Only reading is allowed, and the body of anything else is not received",
        arguments: TransportKind.allCases)
    func methods(transport: TransportKind) async throws {
        try await ViewerFixture.with(over: transport) { viewer in
            let answer = try await viewer.send(.post, "/live/cctv2/index.m3u8")
            #expect(answer.status == 405)
            #expect(answer.headers["Allow"] == "GET, HEAD, OPTIONS")
            let preflight = try await viewer.send(.options, "/live/cctv2/index.m3u8")
            #expect(preflight.status == 204)
            #expect(preflight.headers["Access-Control-Allow-Methods"] == "GET, HEAD, OPTIONS")
            #expect(preflight.headers["Access-Control-Allow-Headers"]?.contains("Range") == true)
            #expect(preflight.headers["Access-Control-Allow-Private-Network"] == nil)
            let request = HTTPRequest(method: .get, path: "/api/v1/channels")
            #expect(viewer.api.answer(request) == nil)
            let post = HTTPRequest(method: .post, path: "/live/cctv2/index.m3u8")
            guard case .refused(let refusal) = viewer.api.admitBody(of: post) else {
                Issue.record("the body is received")
                return
            }
            #expect(refusal.status == .methodNotAllowed)
        }
    }
}
