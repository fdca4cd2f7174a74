import Catalogue
import HTTP
import HTTPSupport
import TestSupport
import Testing
import Timeline

@testable import ViewerAPI

@Suite(.serialized) struct DialectTests {
    @Test(
        "A window in the name of a file is answered as the same window in parameters",
        arguments: [
            ("archive-1469509516-20.m3u8", "index.m3u8?begintime=1469509516000&duration=20"),
            ("index-1469509516-20.m3u8", "index.m3u8?begintime=1469509516000&duration=20"),
            ("video-1469509516-20.m3u8", "index.m3u8?begintime=1469509516000&duration=20"),
            ("mono-1469509516-20.m3u8", "index.m3u8?begintime=1469509516000&duration=20"),
            ("archive-1469509516-20.m3u8?gaps=tag&token=a", "index.m3u8?utc=1469509516&duration=20&gaps=tag"),
            ("archive-2016-07-26T05:05:16Z-PT20S.m3u8", "index.m3u8?utc=1469509516&duration=20"),
            ("archive-2016-07-26T05%3A05%3A16Z-PT20S.m3u8", "index.m3u8?utc=1469509516&duration=20"),
            ("archive-1469509516-now.m3u8?mode=event", "index.m3u8?begintime=1469509516000&mode=event"),
            ("timeshift_rel-12.m3u8?event=true", "index.m3u8?timeshift=12"),
            (
                "archive-1469509516-20.m3u8?title=%D6%D0&t=100%&%zz",
                "index.m3u8?begintime=1469509516000&duration=20"
            ),
            ("archive-1469509516-now.m3u8", "index.m3u8?begintime=1469509516000&mode=event"),
            ("archive-1469509516-now.m3u8?event=false", "index.m3u8?begintime=1469509516000"),
            ("archive-1469509516-20.m3u8?event=true", "index.m3u8?utc=1469509516&duration=20&mode=event"),
            ("archive-1469509516-20.ts", "download.ts?begintime=1469509516000&duration=20"),
            ("video-1469509516-20.ts", "download.ts?begintime=1469509516000&duration=20"),
            ("index-1469509516-20.ts", "download.ts?begintime=1469509516000&duration=20"),
            ("mono-1469509516-20.ts", "download.ts?begintime=1469509516000&duration=20"),
            ("index-1469509516-now.m3u8", "index.m3u8?begintime=1469509516000&mode=event"),
            ("video-1469509516-now.m3u8", "index.m3u8?begintime=1469509516000&mode=event"),
            ("timeshift_rel-12.m3u8", "index.m3u8?timeshift=12"),
            ("index-timeshift_rel-12.m3u8", "index.m3u8?timeshift=12"),
            ("video-timeshift_rel-12.m3u8", "index.m3u8?timeshift=12"),
            ("mono-timeshift_rel-12.m3u8?event=true", "index.m3u8?timeshift=12"),
            ("rewind-8.m3u8", "index.m3u8?dvr=8"),
            ("playlist_dvr_range-1469509516-20.m3u8", "index.m3u8?begintime=1469509516000&duration=20"),
            ("playlist_dvr_range-1469509516-now.m3u8", "index.m3u8?begintime=1469509516000&mode=event"),
            ("playlist_dvr_timeshift-8-12.m3u8", "index.m3u8?delay=8&dvr=12"),
        ])
    func same(file: String, query: String) async throws {
        try await ViewerFixture.with { viewer in
            viewer.clock.now = at(40)
            try await viewer.record(Recording())
            let answer = try await viewer.get("/live/cctv2/\(file)")
            let plain = try await viewer.get("/live/cctv2/\(query)")
            #expect(answer.status == 200)
            #expect(answer.body == plain.body)
            for field in ["ETag", "Cache-Control", "Content-Type", "Backcast-Window", "Backcast-Final"] {
                #expect(answer.headers[field] == plain.headers[field])
            }
        }
    }

    @Test("The recorded times are ranges of whole seconds, within what is asked for")
    func recordingStatus() async throws {
        try await ViewerFixture.with { viewer in
            var recording = Recording()
            recording.add("v0", from: 100, count: 5, sequence: 1)
            recording.watermark = 120
            try await viewer.record(recording)
            viewer.clock.now = at(120)
            for (query, ranges) in [
                ("", "{\"duration\":40,\"from\":1469509516},{\"duration\":20,\"from\":1469509616}"),
                (
                    "?from=1469509526&to=1469509620",
                    "{\"duration\":30,\"from\":1469509526},{\"duration\":4,\"from\":1469509616}"
                ),
                ("?from=1469509556&to=now&request=ranges", "{\"duration\":20,\"from\":1469509616}"),
                ("?from=1469509000&to=1469509100", ""),
            ] {
                let answer = try await viewer.get("/live/cctv2/recording_status.json\(query)")
                #expect(answer.headers["Content-Type"] == "application/json")
                #expect(answer.text == "[{\"stream\":\"cctv2\",\"ranges\":[\(ranges)]}]")
            }
            for (query, name) in [
                ("from=x", "from"), ("to=x", "to"), ("from=5&to=5", "to"), ("from=1&from=2", "from"),
                ("from=4102444800", "from"), ("from=4102444800&to=now", "to"), ("from=%zz", "from"),
                ("from=1469509516&to=%FF", "to"),
            ] {
                let answer = try await viewer.get("/live/cctv2/recording_status.json?\(query)")
                #expect(answer.isProblem(400))
                #expect(answer.problem["parameter"] as? String == name)
            }
            #expect(try await viewer.get("/live/cctv3/recording_status.json").isProblem(404))
        }
    }

    @Test("The end of a recording status in the hour that comes twice is after its begin")
    func recordingStatusOfRepeatedHour() async throws {
        try await ViewerFixture.with { viewer in
            var recording = Recording()
            recording.timeZone = "Europe/Berlin"
            try await viewer.record(recording)
            let path = "/live/cctv2/recording_status.json?from=20251026024500&to=20251026021500"
            #expect(try await viewer.get(path).text == #"[{"stream":"cctv2","ranges":[]}]"#)
        }
    }

    @Test("A file name with an open end leads to the download with the present end")
    func openStream() async throws {
        try await ViewerFixture.with { viewer in
            var recording = Recording()
            // The end that is written into the link is in whole milliseconds.
            recording.watermark += 0.000_25
            try await viewer.record(recording)
            let answer = try await viewer.get("/live/cctv2/archive-1469509516-now.ts")
            #expect(answer.status == 302)
            #expect(
                answer.headers["Location"] == "download.ts?begintime=1469509516000&endtime=1469509556000")
        }
    }

    @Test("A name that is not canonical leads to the canonical URL")
    func canonical() async throws {
        try await ViewerFixture.with { recorder in
            try await recorder.record(Recording())
            try await recorder.withReplica(isShared: false, isCanonical: true) { viewer in
                for (file, location) in [
                    ("archive-1469509517-20.m3u8", "index.m3u8?"),
                    ("archive-1469509517-20.ts", "download.ts?"),
                ] {
                    let answer = try await viewer.get("/live/cctv2/\(file)")
                    #expect(answer.status == 302)
                    let canonical = "begintime=1469509516000&endtime=1469509540000"
                    #expect(answer.headers["Location"] == location + canonical)
                }
                let mono = try await viewer.get("/live/cctv2/mono-1469509517-20.m3u8")
                #expect(mono.headers["Location"]?.hasSuffix("&rendition=v0") == true)
            }
        }
    }

    @Test("mono and video are one media playlist, unless the audio is apart")
    func single() async throws {
        try await ViewerFixture.with { viewer in
            var recording = Recording("variants")
            recording.playlistForm = .multivariant
            recording.add("v1", from: 0, count: 10)
            try await viewer.record(recording)
            recording.channel = "apart"
            recording.segments.removeAll { $0.rendition.kind == .video && $0.rendition != RenditionID("v0") }
            recording.add("a0", from: 0, count: 10, format: .audio) { $0.groupID = "aac" }
            try await viewer.record(recording)
            for name in ["mono", "video"] {
                let file = "\(name)-1469509516-20.m3u8"
                let variants = try await viewer.get("/live/variants/\(file)")
                #expect(variants.uris == (0..<5).map { "v0/\(1_469_509_516 + $0 * 4)000.ts" })
                let apart = try await viewer.get("/live/apart/\(file)")
                #expect(apart.text.contains("#EXT-X-STREAM-INF"))
            }
        }
    }

    @Test(
        "A growing list of one rendition stays with it",
        arguments: [
            "video-1469509516-now", "mono-1469509516-now", "video-1469509516-120", "mono-1469509516-120",
        ])
    func growingSingle(name: String) async throws {
        try await ViewerFixture.with { viewer in
            var recording = Recording(seconds: 0)
            recording.playlistForm = .multivariant
            var last = ""
            func check(at time: Double) async throws {
                recording.watermark = time
                viewer.clock.now = at(time)
                if last.isEmpty {
                    try await viewer.record(recording)
                } else {
                    try await viewer.recordMore(recording)
                }
                viewer.clock.steadyLead += .seconds(10)
                let answer = try await viewer.get("/live/cctv2/\(name).m3u8?event=true")
                let text = answer.text.replacing("#EXT-X-ENDLIST\n", with: "")
                #expect(answer.status == 200 && text.hasPrefix(last), "at \(time)")
                #expect(answer.uris.count == Int(time / 4))
                #expect(answer.uris.allSatisfy { $0.hasPrefix("v0/") })
                last = text
            }
            recording.add("v0", from: 0, count: 10) { $0.bandwidth = 1_000_000 }
            try await check(at: 40)
            recording.add("v0", from: 40, count: 10)
            recording.add("v1", from: 40, count: 10) { $0.bandwidth = 5_000_000 }
            try await check(at: 80)
            recording.add("v0", from: 80, count: 10)
            recording.add("v1", from: 80, count: 10)
            recording.add("a0", from: 80, count: 10, format: .audio) { $0.groupID = "aac" }
            try await check(at: 120)
        }
    }

    @Test("A time shift of one rendition stays with it, whatever the channel gets later")
    func slidingSingle() async throws {
        try await ViewerFixture.with { viewer in
            var recording = Recording(seconds: 0)
            recording.playlistForm = .multivariant
            recording.add("v0", from: 0, count: 10) { $0.bandwidth = 1_000_000 }
            recording.watermark = 40
            try await viewer.record(recording)
            recording.add("v0", from: 40, count: 20)
            recording.add("v1", from: 40, count: 20) { $0.bandwidth = 5_000_000 }
            recording.add("a0", from: 80, count: 10, format: .audio) { $0.groupID = "aac" }
            recording.watermark = 120
            viewer.clock.now = at(120)
            try await viewer.recordMore(recording)
            viewer.clock.steadyLead += .seconds(10)
            let answer = try await viewer.get("/live/cctv2/video-timeshift_rel-0.m3u8")
            #expect(answer.status == 200 && !answer.uris.isEmpty)
            #expect(answer.uris.allSatisfy { $0.hasPrefix("v0/") }, "\(answer.uris)")
        }
    }

    @Test("A growing list knows of the audio beside its first segment before that is listed")
    func growingApart() async throws {
        try await ViewerFixture.with { viewer in
            var recording = Recording(seconds: 0)
            recording.playlistForm = .multivariant
            recording.add("v0", from: 0, count: 1, format: .silent) { $0.audioGroup = "aac" }
            recording.add("a0", from: 0.25, count: 1, format: .audio) { $0.groupID = "aac" }
            recording.watermark = 4.1
            try await viewer.record(recording)
            viewer.clock.now = at(4.1)
            // A playlist of the video alone, of whatever form, would be silent to its end.
            let paths = ["video", "mono"].map { "/live/cctv2/\($0)-1469509516-now.m3u8" }
            for path in paths { #expect(try await viewer.get(path).status == 404) }
            recording.watermark = 4.25
            try await viewer.recordMore(recording)
            viewer.clock.now = at(5)
            viewer.clock.steadyLead += .seconds(10)
            for path in paths {
                let answer = try await viewer.get(path)
                #expect(answer.text.contains("#EXT-X-STREAM-INF") && answer.text.contains("a0.m3u8"))
            }
        }
    }

    @Test("What goes on in one rendition is one media playlist, unless the audio is apart")
    func singleShifted() async throws {
        try await ViewerFixture.with { viewer in
            viewer.clock.now = at(40)
            var recording = Recording("variants")
            recording.playlistForm = .multivariant
            recording.add("v1", from: 0, count: 10)
            try await viewer.record(recording)
            for name in ["mono", "video"] {
                let one = try await viewer.get("/live/variants/\(name)-timeshift_rel-20.m3u8")
                let same = try await viewer.get("/live/variants/v0.m3u8?timeshift=20")
                #expect(one.status == 200 && one.body == same.body)
            }
            let all = try await viewer.get("/live/variants/index-timeshift_rel-20.m3u8")
            #expect(all.text.contains("#EXT-X-STREAM-INF"))
        }
    }

    @Test("Unreserved characters of a path may be percent-encoded (RFC 3986 §6.2.2.2)")
    func escapes() async throws {
        try await ViewerFixture.with(over: .socket) { viewer in
            viewer.clock.now = at(40)
            try await viewer.record(Recording())
            for (escaped, plain) in [
                ("%6Cive/cctv%32/index%2Em3u8?utc=1469509516", "live/cctv2/index.m3u8?utc=1469509516"),
                ("live/cctv2/archive%2D1469509516%2d20.m3u8", "live/cctv2/archive-1469509516-20.m3u8"),
                ("live/cctv2/timeshift%5Frel-4.m3u8", "live/cctv2/timeshift_rel-4.m3u8"),
                ("live/cctv2/%760/1469509516000.ts", "live/cctv2/v0/1469509516000.ts"),
                ("iptv/channels%2Em3u", "iptv/channels.m3u"),
            ] {
                let (answer, same) = (try await viewer.get("/\(escaped)"), try await viewer.get("/\(plain)"))
                #expect(answer.status == 200, "\(escaped)")
                #expect(answer.body == same.body, "\(escaped)")
            }
            for path in ["cctv2%2Findex.m3u8", "cctv2/index.m3u8%00", "cctv%2532/index.m3u8"] {
                #expect(try await viewer.get("/live/\(path)").isProblem(404), "\(path)")
            }
        }
    }

    @Test(
        "A malformed name is a problem that names the parameter",
        arguments: [
            ("archive-abc-20.m3u8", 400, "utc"), ("archive-1469509516.m3u8", 400, "duration"),
            ("archive--20.m3u8", 400, "utc"), ("archive-1469509516-0.m3u8", 400, "duration"),
            ("archive-1469509516-x.ts", 400, "duration"), ("index--5-20.m3u8", 400, "utc"),
            ("archive-1469509516-86401.m3u8", 400, "duration"), ("mono-1469509516%3A20.m3u8", 400, "utc"),
            ("archive-1469509516-20.m3u8?event=maybe", 400, "event"),
            ("archive-1469509516-20.m3u8?utc=1", 400, "utc"),
            ("archive-1469509516-20.m3u8?begintime=1", 400, "utc"),
            ("archive-1469509516-20.m3u8?endtime=1469509536", 400, "duration"),
            ("archive-1469509516-20.ts?event=true", 400, "event"),
            ("archive-1469509516-20.ts?mode=event", 400, "mode"),
            ("timeshift_rel-.m3u8", 400, "timeshift"), ("timeshift_rel--1.m3u8", 400, "timeshift"),
            ("timeshift_rel-604801.m3u8", 400, "timeshift"), ("timeshift_rel-4.m3u8?dvr=9", 400, "dvr"),
            ("timeshift_rel-4.m3u8?utc=9", 400, "timeshift"), ("timeshift_abs-x.m3u8", 400, "utc"),
            ("timeshift_abs-x.ts", 400, "utc"), ("timeshift_rel-x.ts", 400, "timeshift"),
            ("timeshift_abs-1469609516.ts", 404, nil), ("timeshift_abs-1468000000.ts", 410, nil),
            ("timeshift_rel-20.ts?rendition=v7", 404, "rendition"), ("timeshift_rel-3600.ts", 404, nil),
            ("timeshift_abs-1469509520.ts?duration=20", 400, "duration"),
            ("timeshift_abs-1469509520.m3u8?duration=20", 400, "duration"),
            ("timeshift_abs-1469509520.ts?endtime=1469509540", 400, "endtime"),
            ("timeshift_abs-1469509520.m3u8?endtime=1469509540", 400, "endtime"),
            ("timeshift_abs-1469509520.ts?mode=event", 400, "mode"),
            ("timeshift_abs-1469509520.m3u8?mode=event", 400, "mode"),
            ("timeshift_abs-1469509520.m3u8?event=maybe", 400, "event"),
            ("video-timeshift_abs-x.m3u8", 400, "utc"), ("mono-timeshift_rel-x.ts", 400, "timeshift"),
            ("video-timeshift_rel-4.m3u8?duration=20", 400, "duration"),
            ("timeshift_abs-1469609516.m3u8", 404, nil), ("timeshift_abs-1468000000.m3u8", 410, nil),
            ("rewind-0.m3u8", 400, "dvr"), ("rewind-86401.m3u8", 400, "dvr"),
            ("rewind-x.ts", 400, "timeshift"),
            ("playlist_dvr_range-1469509516.m3u8", 400, "duration"),
            ("playlist_dvr_timeshift-8.m3u8", 400, "dvr"), ("playlist_dvr_timeshift--8.m3u8", 400, "delay"),
            ("archive-1469509516-20.mp4", 404, nil), ("replay-1469509516-20.m3u8", 404, nil),
            ("archive.m3u8", 404, nil),
        ] as [(String, Int, String?)])
    func malformed(file: String, status: Int, parameter: String?) async throws {
        try await ViewerFixture.with { viewer in
            viewer.clock.now = at(40)
            try await viewer.record(Recording())
            let answer = try await viewer.get("/live/cctv2/\(file)")
            #expect(answer.isProblem(status))
            #expect(answer.problem["parameter"] as? String == parameter)
        }
    }

    @Test(
        "Times without a zone are in the channel's zone, on both days of a change of clocks",
        arguments: [
            ("20160327013000-1800", "UTC", 1_459_042_200),
            ("20160327013000-1800", "Europe/Berlin", 1_459_038_600),
            ("20160327033000-1800", "Europe/Berlin", 1_459_042_200),
            ("20161030013000-1800", "Europe/Berlin", 1_477_783_800),
            ("20161030023000-1800", "Europe/Berlin", 1_477_787_400),
            ("20161030033000-1800", "Europe/Berlin", 1_477_794_600),
        ])
    func clockChanges(times: String, zone: String, begin: Int64) async throws {
        try await ViewerFixture.with { viewer in
            let start = Double(begin - 1_469_509_516)
            var recording = Recording(seconds: 0)
            recording.timeZone = zone
            recording.retentionSeconds = nil
            recording.add("v0", from: start, count: 450)
            recording.watermark = start + 1800
            try await viewer.record(recording)
            let answer = try await viewer.get("/live/cctv2/archive-\(times).m3u8")
            #expect(answer.uris.count == 450)
            #expect(answer.uris.first == "v0/\(begin)000.ts")
        }
    }

    @Test(
        "Where an hour occurs twice, an end that is not after the begin in the first one is in the second",
        arguments: [
            ("begintime=20261025023000&endtime=20261025021500", "01:15"),
            ("playseek=20261025023000-20261025021500", "01:15"),
            ("begintime=20261025021500&endtime=20261025023000", "00:30"),
            ("playseek=20261025021500-20261025023000", "00:30"),
        ])
    func repeatedHour(query: String, end: String) async throws {
        try await ViewerFixture.with { viewer in
            // 2026-10-25T00:00:00Z.
            let start = Double(1_792_886_400 - 1_469_509_516)
            var recording = Recording(seconds: 0)
            recording.timeZone = "Europe/Berlin"
            recording.retentionSeconds = nil
            recording.add("v0", from: start, count: 1800)
            recording.watermark = start + 7200
            try await viewer.record(recording)
            let answer = try await viewer.get("/live/cctv2/index.m3u8?\(query)")
            #expect(answer.headers["Backcast-Window"]?.hasSuffix("/2026-10-25T\(end):00.000Z") == true)
        }
    }
}
