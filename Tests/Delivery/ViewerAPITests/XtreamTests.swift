import Catalogue
import HTTP
import HTTPSupport
import TestSupport
import Testing
import Timeline

@testable import ViewerAPI

@Suite(.serialized) struct XtreamTests {
    private let host: HTTPHeaders = ["Host": "tv.example:8080"]

    private func number(_ id: String, _ viewer: ViewerFixture) async throws -> Int {
        let channel = try await viewer.catalogue.channel(try #require(ChannelID(id)))
        return Int(try #require(channel).row)
    }

    /// Where an answer leads, as a client resolves it.
    private func led(_ path: String, by answer: ReceivedResponse) throws -> String {
        let location = try #require(answer.headers["Location"])
        let url = try HTTPURL("http://tv.example\(path)").resolving(location)
        return url.path + (url.query.map { "?\($0)" } ?? "")
    }

    @Test("A live channel leads to its own path, by number and by id")
    func live() async throws {
        try await ViewerFixture.with { viewer in
            viewer.clock.now = at(40)
            try await viewer.record(Recording("news"))
            let number = try await number("news", viewer)
            for name in ["\(number)", "news"] {
                let path = "/live/user/p%40ss/\(name).m3u8"
                let answer = try await viewer.get(path)
                #expect(answer.status == 302)
                #expect(answer.headers["Location"] == "../../../live/news/index.m3u8")
                #expect(answer.headers["Cache-Control"] == "no-store")
                #expect(try await viewer.get(try led(path, by: answer)).status == 200)
                let stream = try await viewer.get("/live/user/pass/\(name).ts")
                #expect(stream.headers["Location"] == "../../../live/news/timeshift_rel-0.ts")
            }
        }
    }

    @Test("A password may look like a part of an object's path", arguments: ["v0", "a1", "s12", "keys"])
    func password(password: String) async throws {
        try await ViewerFixture.with { viewer in
            viewer.clock.now = at(40)
            try await viewer.record(Recording("news"))
            let number = try await number("news", viewer)
            for (name, target) in [
                ("\(number).m3u8", "index.m3u8"), ("news.m3u8", "index.m3u8"),
                ("\(number)", "timeshift_rel-0.ts"), ("news.ts", "timeshift_rel-0.ts"),
            ] {
                let answer = try await viewer.get("/live/viewer/\(password)/\(name)")
                #expect(answer.headers["Location"] == "../../../live/news/\(target)", "\(name)")
            }
        }
    }

    @Test("A stream of a channel that cannot be one, live or past, leads to its playlist")
    func separateAudio() async throws {
        try await ViewerFixture.with { viewer in
            var recording = Recording("news", seconds: 0)
            (recording.playlistForm, recording.watermark) = (.multivariant, 40)
            recording.add("v0", from: 0, count: 10, format: .silent) { $0.audioGroup = "aac" }
            recording.add("a0", from: 0, count: 10, format: .audio) { $0.groupID = "aac" }
            try await viewer.record(recording)
            viewer.clock.now = at(40)
            for path in ["/live/u/p/news.ts", "/timeshift/u/p/1/2016-07-26:05-05/news.ts"] {
                let moved = try await viewer.get(path)
                #expect(moved.headers["Location"]?.contains("live/news/index.m3u8") == true, "\(path)")
                let answer = try await viewer.get(try led(path, by: moved))
                #expect(answer.status == 200 && answer.text.hasPrefix("#EXTM3U"), "\(path)")
                try await viewer.withReplica(isCanonical: true) { replica in
                    replica.clock.now = at(40)
                    let moved = try await replica.get(path)
                    #expect(moved.headers["Location"]?.contains("live/news/index.m3u8") == true, "\(path)")
                }
            }
        }
    }

    @Test("What was recorded of a deleted channel plays by its id")
    func deleted() async throws {
        try await ViewerFixture.with { viewer in
            try await viewer.record(Recording("news"))
            let id = try #require(ChannelID("news"))
            try await viewer.catalogue.delete(id)
            viewer.clock.steadyLead += .seconds(10)
            let path = "/timeshift/u/p/1/2016-07-26:05-05/news.m3u8"
            let moved = try await viewer.get(path)
            #expect(moved.status == 302)
            #expect(try await viewer.get(try led(path, by: moved)).status == 200)
        }
    }

    @Test("An id of digits does not hide the number of another channel")
    func digits() async throws {
        try await ViewerFixture.with { viewer in
            try await viewer.record(Recording("news"))
            let number = try await number("news", viewer)
            try await viewer.record(Recording("\(number)"))
            try await viewer.record(Recording("99999"))
            for (name, id) in [("\(number)", "news"), ("99999", "99999")] {
                let answer = try await viewer.get("/live/u/p/\(name).m3u8")
                #expect(answer.headers["Location"] == "../../../live/\(id)/index.m3u8")
            }
        }
    }

    @Test(
        "The past has a start in every form that apps write",
        arguments: [
            "2016-07-26:05-05", "2016-07-26:05:05", "2016-07-26%2005:05", "2016-07-26_05-05",
            "2016-07-26:05-05-00", "2016-07-26%2005:05:00", "1469509500", "1469509500000", "20160726050500",
            "2016-07-26T05:05:00Z",
        ])
    func past(start: String) async throws {
        try await ViewerFixture.with { viewer in
            viewer.clock.now = at(40)
            try await viewer.record(Recording("news"))
            let window = "begintime=1469509500000&endtime=1469509560000"
            let path = "/timeshift/user/pass/1/\(start)/news.m3u8"
            let answer = try await viewer.get(path)
            #expect(answer.status == 302)
            #expect(answer.headers["Location"] == "../../../../../live/news/index.m3u8?\(window)")
            let playlist = try await viewer.get(try led(path, by: answer))
            #expect(playlist.uris.count == 10)
            #expect(playlist.text.contains("#EXT-X-ENDLIST"))
            let stream = try await viewer.get("/timeshift/user/pass/1/\(start)/news.ts")
            #expect(stream.headers["Location"] == "../../../../../live/news/download.ts?\(window)")
        }
    }

    @Test("The past is also asked for by a query, and a name without an ending is a stream")
    func query() async throws {
        try await ViewerFixture.with { viewer in
            viewer.clock.now = at(40)
            try await viewer.record(Recording("news"))
            let number = try await number("news", viewer)
            let live = try await viewer.get("/live/user/pass/\(number)")
            #expect(live.headers["Location"] == "../../../live/news/timeshift_rel-0.ts")
            for name in ["\(number)", "news", "news.ts", "news.m3u8"] {
                let path = "/timeshift/user/pass/1/2016-07-26:05-05/\(name)"
                let expected = try led(path, by: try await viewer.get(path))
                #expect(expected.contains(name.hasSuffix("8") ? "index.m3u8?" : "download.ts?"))
                let media = try await viewer.get(expected)
                // The minute ends behind what is recorded.
                #expect(media.status == (expected.contains("download.ts") ? 302 : 200))
                let pinned = media.status == 302 ? try led(expected, by: media) : expected
                #expect(try await viewer.get(pinned).status == 200)
                for file in ["/timeshift.php", "/streaming/timeshift.php"] {
                    let query = "username=u&password=p&stream=\(name)&start=2016-07-26:05-05&duration=1"
                    let answer = try await viewer.get("\(file)?\(query)")
                    #expect(answer.status == 302)
                    #expect(try led(file, by: answer) == expected)
                }
            }
        }
    }

    @Test("A programme of less than a minute, for which apps send 0, is a minute")
    func briefProgramme() async throws {
        try await ViewerFixture.with { viewer in
            try await viewer.record(Recording("news"))
            let answer = try await viewer.get("/timeshift/u/p/0/1469509516/news.m3u8")
            let window = "begintime=1469509516000&endtime=1469509576000"
            #expect(answer.headers["Location"] == "../../../../../live/news/index.m3u8?\(window)")
        }
    }

    @Test("A programme that is longer than the longest window, as with a number in place of minutes, is cut")
    func endlessProgramme() async throws {
        try await ViewerFixture.with(maxWindowSeconds: 3 * 3600) { viewer in
            viewer.clock.now = at(40)
            try await viewer.record(Recording("news"))
            for (minutes, length) in [(22_371, 10_800), (181, 10_800), (180, 10_800), (179, 10_740)] {
                let path = "/timeshift/u/p/\(minutes)/1469509516/news.m3u8"
                let answer = try await viewer.get(path)
                let window = "begintime=1469509516000&endtime=\(1_469_509_516 + length)000"
                #expect(answer.headers["Location"] == "../../../../../live/news/index.m3u8?\(window)")
                #expect(try await viewer.get(try led(path, by: answer)).status == 200)
            }
        }
    }

    @Test(
        "Starts are in the channel's zone, on both days of a change of clocks",
        arguments: [
            ("2016-03-27:01-30", "UTC", 1_459_042_200), ("2016-03-27:01-30", "Europe/Berlin", 1_459_038_600),
            ("2016-03-27:03-30", "Europe/Berlin", 1_459_042_200),
            ("2016-10-30:01-30", "Europe/Berlin", 1_477_783_800),
            ("2016-10-30:02-30", "Europe/Berlin", 1_477_787_400),
            ("2016-10-30:03-30", "Europe/Berlin", 1_477_794_600),
        ])
    func clockChanges(start: String, zone: String, begin: Int64) async throws {
        try await ViewerFixture.with { viewer in
            var recording = Recording("news")
            recording.timeZone = zone
            try await viewer.record(recording)
            let answer = try await viewer.get("/timeshift/u/p/60/\(start)/news.m3u8")
            #expect(
                answer.headers["Location"]?.contains("?begintime=\(begin)000&endtime=\(begin + 3600)000")
                    == true)
        }
    }

    @Test(
        "A malformed path is a problem",
        arguments: [
            ("/timeshift/u/p/60/yesterday/news.m3u8", 400, "start"),
            ("/timeshift/u/p/60/2016-13-26:05-05/news.m3u8", 400, "start"),
            ("/timeshift/u/p/60/2016-07-26/news.m3u8", 400, "start"),
            ("/timeshift/u/p/60/2016-07-26:0505/news.ts", 400, "start"),
            ("/timeshift/u/p/-5/1469509516/news.m3u8", 400, "duration"),
            ("/timeshift/u/p/x/1469509516/news.m3u8", 400, "duration"),
            ("/timeshift/u/p//1469509516/news.ts", 400, "duration"),
            ("/timeshift/u/p/9999999/1469509516/news.ts", 400, "duration"),
            ("/timeshift/u/p/60/1469509516/sport.m3u8", 404, nil),
            ("/timeshift/u/p/60/1469509516/7777.m3u8", 404, nil),
            ("/timeshift/u/p/60/1469509516/%zz.m3u8", 404, nil),
            ("/timeshift/u/p/60/1469509516/news.mp4", 404, nil),
            ("/timeshift/u/p/60/news.m3u8", 404, nil), ("/timeshift/", 404, nil),
            ("/live/u/p/sport.m3u8", 404, nil), ("/live/u/p/7777.ts", 404, nil),
            ("/live/u/p/news.mp4", 404, nil), ("/live/u/v0/news.mp4", 404, nil),
            ("/live/u/v0/1469509516000.ts", 404, nil),
            ("/live/u/keys/\(String(repeating: "0a", count: 16))", 404, nil),
            ("/live/a/u/p/news.m3u8", 404, nil), ("/live/u/p/", 404, nil),
            ("/timeshift.php?duration=1&start=1469509516", 400, "stream"),
            ("/timeshift.php?stream=news.mp4&duration=1&start=1469509516", 400, "stream"),
            ("/timeshift.php?stream=news&duration=1", 400, "start"),
            ("/streaming/timeshift.php?stream=news&start=1469509516", 400, "duration"),
            ("/streaming/timeshift.php?stream=news&start=1&start=2&duration=1", 400, "start"),
            ("/streaming/timeshift.php?stream=sport&start=1469509516&duration=1", 404, nil),
            ("/player_api.php?action=get_everything", 400, "action"),
            ("/player_api.php?action=get_short_epg", 400, "stream_id"),
            ("/player_api.php?action=get_simple_data_table&stream_id=x", 400, "stream_id"),
            ("/player_api.php?username=a&username=b", 400, "username"),
            ("/player_api.php?username=%z", 400, "username"), ("/get.php?type=m3u9", 400, "type"),
            ("/get.php?output=mkv", 400, "output"),
        ] as [(String, Int, String?)])
    func malformed(target: String, status: Int, parameter: String?) async throws {
        try await ViewerFixture.with { viewer in
            try await viewer.record(Recording("news"))
            let answer = try await viewer.get(target, host)
            #expect(answer.isProblem(status))
            #expect(answer.problem["parameter"] as? String == parameter)
        }
    }

    @Test("The account says user, password, server and time, with the types that apps expect")
    func account() async throws {
        try await ViewerFixture.with { viewer in
            viewer.clock.now = at(40)
            let answer = try await viewer.get("/player_api.php?username=me&password=a%26b", host)
            #expect(
                answer.text == """
                    {"user_info":{"username":"me","password":"a&b","message":"","auth":1,"status":"Active",\
                    "exp_date":null,"is_trial":"0","active_cons":"0","created_at":"0","max_connections":"100",\
                    "allowed_output_formats":["m3u8","ts"]},"server_info":{"url":"tv.example","port":"8080",\
                    "https_port":"443","server_protocol":"http","rtmp_port":"0","timezone":"UTC",\
                    "timestamp_now":1469509556,"time_now":"2016-07-26 05:05:56"}}
                    """)
        }
    }

    @Test(
        "The account states the zone in which starts are read, if all channels of the viewer have one",
        arguments: [
            (["Europe/Berlin", "Europe/Berlin"], "Europe/Berlin", "2016-07-26 07:05:56"),
            (["Europe/Berlin", "UTC"], "UTC", "2016-07-26 05:05:56"),
            (["UTC"], "UTC", "2016-07-26 05:05:56"),
            (["No/Where"], "UTC", "2016-07-26 05:05:56"),
        ])
    func zone(zones: [String], stated: String, time: String) async throws {
        try await ViewerFixture.with { viewer in
            viewer.clock.now = at(40)
            for (index, zone) in zones.enumerated() {
                var recording = Recording("news\(index)")
                recording.timeZone = zone
                try await viewer.record(recording)
            }
            let answer = try await viewer.get("/player_api.php", host)
            #expect(answer.text.contains("\"timezone\":\"\(stated)\""))
            #expect(answer.text.contains("\"timestamp_now\":1469509556,\"time_now\":\"\(time)\""))
        }
    }

    @Test("Apps may send the parameters as a form", arguments: TransportKind.allCases)
    func form(transport: TransportKind) async throws {
        try await ViewerFixture.with(over: transport) { viewer in
            viewer.clock.now = at(40)
            try await viewer.record(Recording("news"))
            let type = ["Content-Type": "application/x-www-form-urlencoded; charset=UTF-8"]
            func post(
                _ path: String, _ form: String, _ headers: [String: String] = type,
            ) async throws -> ReceivedResponse {
                var request = HTTPRequest(.post, path)
                request.headers = host
                for (name, value) in headers { request.headers[name] = value }
                request.body = Array(form.utf8)
                return try await viewer.send(request)
            }
            for (path, form) in [
                ("/player_api.php", "username=me&password=a%26b&action=get_live_streams"),
                ("/player_api.php", "username=me+too&password=ab"), ("/get.php", "username=a&password=b"),
                ("/xmltv.php", "username=a&password=b"), ("/player_api.php", ""),
            ] {
                let answer = try await post(path, form)
                #expect(answer.status == 200, "\(path)")
                let plain = try await viewer.get("\(path)?\(form)", host)
                #expect(answer.body == plain.body, "\(path)")
            }
            let both = try await post("/player_api.php?action=get_live_streams", "username=a&password=b")
            let plain = try await viewer.get("/player_api.php?action=get_live_streams", host)
            #expect(both.body == plain.body)
            #expect(try await post("/player_api.php", "username=%z").isProblem(400))
            #expect(try await post("/player_api.php", "{}", ["Content-Type": "text/json"]).isProblem(415))
            let long = "username=" + String(repeating: "a", count: Limits.formBytes)
            if transport == .socket { #expect(try await post("/player_api.php", long).isProblem(413)) }
            let other = try await post("/live/a/b/news.m3u8", "")
            #expect(other.isProblem(405) && other.headers["Allow"] == "GET, HEAD, OPTIONS")
        }
    }

    @Test("Channels are in categories that keep their numbers, and say how many days they hold")
    func streams() async throws {
        try await ViewerFixture.with { viewer in
            var news = Recording("news")
            (news.title, news.logo, news.group) = ("The News", "https://logo.example/a.png", "News")
            try await viewer.record(news)
            try await viewer.record(Recording("art", seconds: 0))
            viewer.clock.now = at(1.5 * 86_400)
            let categories = try await viewer.get("/player_api.php?action=get_live_categories", host)
            #expect(
                categories.text == """
                    [{"category_id":"1228969109","category_name":"Channels","parent_id":0},\
                    {"category_id":"1274284134","category_name":"News","parent_id":0}]
                    """)
            let (art, number) = (try await number("art", viewer), try await number("news", viewer))
            let expected = """
                {"num":2,"name":"The News","stream_type":"live","stream_id":\(number),\
                "stream_icon":"https://logo.example/a.png","epg_channel_id":"news","added":"0",\
                "category_id":"1274284134","custom_sid":"","tv_archive":1,"direct_source":"",\
                "tv_archive_duration":2}
                """
            let all = try await viewer.get("/player_api.php?action=get_live_streams&category_id=", host)
            #expect(
                all.text == """
                    [{"num":1,"name":"art","stream_type":"live","stream_id":\(art),"stream_icon":"",\
                    "epg_channel_id":"art","added":"0","category_id":"1228969109","custom_sid":"",\
                    "tv_archive":0,"direct_source":"","tv_archive_duration":0},\(expected)]
                    """)
            let one = try await viewer.get(
                "/player_api.php?action=get_live_streams&category_id=1274284134", host)
            #expect(one.text == "[\(expected)]")
        }
    }

    @Test("The guide is empty, and so are films and series")
    func others() async throws {
        try await ViewerFixture.with { viewer in
            for action in ["get_short_epg", "get_simple_data_table"] {
                let answer = try await viewer.get(
                    "/player_api.php?action=\(action)&stream_id=1&limit=4", host)
                #expect(answer.text == #"{"epg_listings":[]}"#)
            }
            let films = ["get_vod_categories", "get_vod_streams", "get_vod_info"]
            for action in films + ["get_series_categories", "get_series", "get_series_info"] {
                #expect(try await viewer.get("/player_api.php?action=\(action)", host).text == "[]")
            }
        }
    }

    @Test("The list of a user has the paths with user and password, and so has the flavour xc")
    func lists() async throws {
        try await ViewerFixture.with { viewer in
            viewer.clock.now = at(40)
            try await viewer.record(Recording("news"))
            let number = try await number("news", viewer)
            let get = try await viewer.get(
                "/get.php?username=m%20e&password=p&type=m3u_plus&output=ts", host)
            #expect(get.uris == ["http://tv.example:8080/live/m%20e/p/\(number).ts"])
            #expect(get.text.contains("catchup=\"xc\" catchup-days=\"1\","))
            let guide = "http://tv.example:8080/xmltv.php?username=m%20e&password=p"
            #expect(get.text.hasPrefix("#EXTM3U x-tvg-url=\"\(guide)\""))
            let flavour = try await viewer.get("/iptv/channels.m3u?flavour=xc", host)
            #expect(flavour.uris == ["http://tv.example:8080/live/viewer/open/\(number).m3u8"])
            let xmltv = try await viewer.get("/xmltv.php?username=me&password=p", host)
            #expect(xmltv.body == (try await viewer.get("/iptv/guide.xml")).body)
        }
    }
}
