import Catalogue
import HTTP
import HTTPSupport
import TestSupport
import Testing
import Timeline

@testable import ViewerAPI

@Suite(.serialized) struct ListTests {
    private let host: HTTPHeaders = ["Host": "tv.example:8080"]

    /// A channel with everything, and one of which nothing is held.
    private func record(_ viewer: ViewerFixture) async throws {
        var news = Recording("news")
        (news.title, news.logo) = ("The \"News\", art & more", "https://logo.example/a.png?x=1&y=2")
        news.group = "News"
        try await viewer.record(news)
        var empty = Recording("art", seconds: 0)
        empty.title = "Art"
        try await viewer.record(empty)
        viewer.clock.now = at(2.5 * 86_400)
    }

    @Test("The list has every channel, with what Kodi understands best", arguments: TransportKind.allCases)
    func channels(transport: TransportKind) async throws {
        try await ViewerFixture.with(over: transport) { viewer in
            try await record(viewer)
            let answer = try await viewer.get("/iptv/channels.m3u", host)
            #expect(answer.status == 200)
            #expect(answer.headers["Content-Type"] == "audio/x-mpegurl; charset=utf-8")
            #expect(answer.headers["Vary"] == "Host, Accept-Encoding")
            let base = "http://tv.example:8080"
            let numbers = try await viewer.numbers()
            #expect(
                answer.text == """
                    #EXTM3U x-tvg-url="\(base)/iptv/guide.xml" url-tvg="\(base)/iptv/guide.xml"
                    #EXTINF:-1 tvg-id="art" tvg-name="Art" tvg-chno="\(numbers["art"] ?? 0)",Art
                    \(base)/live/art/index.m3u8
                    #EXTINF:-1 tvg-id="news" tvg-name="The 'News', art & more" \
                    tvg-chno="\(numbers["news"] ?? 0)" tvg-logo="https://logo.example/a.png?x=1&y=2" group-title="News" catchup="default" \
                    catchup-days="3" \
                    catchup-source="\(base)/live/news/index.m3u8?begintime=${start}000&endtime=${end}000",\
                    The 'News', art & more
                    \(base)/live/news/index.m3u8

                    """)
        }
    }

    @Test(
        "A flavour says how an app asks for the past, and the request that it makes is answered",
        arguments: [
            ("append", "catchup-source=\"?utc=${start}&lutc=${timestamp}\"", "index.m3u8?utc=S&lutc=E"),
            ("shift", "catchup=\"shift\"", "index.m3u8?utc=S&lutc=E"),
            ("flussonic", "catchup=\"flussonic\"", "timeshift_rel-20.m3u8"),
            ("default", "endtime=${end}000", "index.m3u8?begintime=S000&endtime=E000"),
        ])
    func flavours(flavour: String, text: String, request: String) async throws {
        try await ViewerFixture.with { viewer in
            try await viewer.record(Recording("news"))
            viewer.clock.now = at(40)
            let answer = try await viewer.get("/iptv/channels.m3u?flavour=\(flavour)", host)
            #expect(answer.text.contains(text))
            #expect(answer.text.contains("catchup=\"\(flavour)\" catchup-days=\"1\""))
            #expect(answer.uris == ["http://tv.example:8080/live/news/index.m3u8"])
            let american = try await viewer.get("/iptv/channels.m3u?flavor=\(flavour)", host)
            #expect(american.body == answer.body)
            let query = request.replacing("S", with: "1469509520").replacing("E", with: "1469509550")
            #expect(try await viewer.get("/live/news/\(query)").status == 200)
        }
    }

    @Test(
        "Days that are held are no more than the retention has, though it is a little behind",
        arguments: [(7, 604_820, 7), (7, 518_399, 6), (7, 518_401, 7), (nil, 604_820, 8), (1, 1, 1)]
            as [(Int64?, Double, Int)])
    func days(retention: Int64?, age: Double, days: Int) async throws {
        try await ViewerFixture.with { viewer in
            var recording = Recording("news")
            recording.retentionSeconds = retention.map { $0 * 86_400 }
            try await viewer.record(recording)
            viewer.clock.now = at(age)
            let list = try await viewer.get("/iptv/channels.m3u", host)
            #expect(list.text.contains(" catchup-days=\"\(days)\" "))
            let streams = try await viewer.get("/player_api.php?action=get_live_streams", host)
            #expect(streams.text.contains("\"tv_archive_duration\":\(days)}"))
        }
    }

    @Test("A parameter that cannot be read is ignored unless it is one of the list's own")
    func unreadable() async throws {
        try await ViewerFixture.with { viewer in
            try await record(viewer)
            for path in ["/iptv/channels.m3u?flavour=xc", "/player_api.php?action=get_live_streams"] {
                let answer = try await viewer.get(path + "&title=%D6%D0&%zz", host)
                #expect(answer.status == 200)
                #expect(answer.body == (try await viewer.get(path, host)).body)
            }
            for name in ["flavour", "flavor"] {
                let answer = try await viewer.get("/iptv/channels.m3u?\(name)=%D6", host)
                #expect(answer.status == 400 && answer.text.contains("\(name) has a malformed escape"))
            }
        }
    }

    @Test("The guide is XMLTV with the channels, their names and logos")
    func guide() async throws {
        try await ViewerFixture.with { viewer in
            try await record(viewer)
            let answer = try await viewer.get("/iptv/guide.xml")
            #expect(answer.headers["Content-Type"] == "application/xml; charset=utf-8")
            #expect(
                answer.text == """
                    <?xml version="1.0" encoding="UTF-8"?>
                    <!DOCTYPE tv SYSTEM "xmltv.dtd">
                    <tv generator-info-name="Backcast">
                      <channel id="art">
                        <display-name>Art</display-name>
                      </channel>
                      <channel id="news">
                        <display-name>The &quot;News&quot;, art &amp; more</display-name>
                        <icon src="https://logo.example/a.png?x=1&amp;y=2"/>
                      </channel>
                    </tv>

                    """)
        }
    }

    @Test("The public URL replaces the Host of the request, also with a path")
    func publicURL() async throws {
        try await ViewerFixture.with { recorder in
            try await recorder.record(Recording("news"))
            let base = try #require(PublicBase(reading: "https://tv.example/a/"))
            try await recorder.withReplica(publicBase: base) { viewer in
                let answer = try await viewer.get("/iptv/channels.m3u", host)
                #expect(answer.uris == ["https://tv.example/a/live/news/index.m3u8"])
                #expect(answer.text.contains("x-tvg-url=\"https://tv.example/a/iptv/guide.xml\""))
                #expect(answer.headers["Vary"] == "Accept-Encoding")
            }
        }
    }

    @Test(
        "A malformed request is a problem",
        arguments: [
            ("/iptv/channels.m3u?flavour=best", "tv.example", 400, "flavour"),
            ("/iptv/channels.m3u?flavour=shift&flavour=xc", "tv.example", 400, "flavour"),
            ("/iptv/channels.m3u?flavor=best", "tv.example", 400, "flavor"),
            ("/iptv/channels.m3u?flavour=%zz", "tv.example", 400, "flavour"),
            ("/iptv/channels.m3u", "tv example", 400, nil), ("/iptv/channels.m3u", "a@tv.example", 400, nil),
            ("/iptv/channels.m3u", "tv.example/a", 400, nil), ("/iptv/channels.m3u", "", 400, nil),
            ("/iptv/channels.m3u", "tv\".example", 400, nil),
            ("/iptv/", "tv.example", 404, nil), ("/iptv/channels.m3u8", "tv.example", 404, nil),
        ] as [(String, String, Int, String?)])
    func malformed(target: String, host: String, status: Int, parameter: String?) async throws {
        try await ViewerFixture.with { viewer in
            let answer = try await viewer.get(target, ["Host": host])
            #expect(answer.isProblem(status))
            #expect(answer.problem["parameter"] as? String == parameter)
        }
    }

    @Test("Without the catalogue a list is 503 with Retry-After, and only reading is allowed")
    func unavailable() async throws {
        try await ViewerFixture.with { viewer in
            #expect(try await viewer.send(.post, "/iptv/channels.m3u").isProblem(405))
            #expect(try await viewer.send(.options, "/iptv/guide.xml").status == 204)
            #expect(try await viewer.send(.head, "/iptv/guide.xml").status == 200)
            try await viewer.withoutCatalogue { viewer in
                let answer = try await viewer.get("/iptv/channels.m3u", host)
                #expect(answer.isProblem(503))
                #expect(answer.headers["Retry-After"] == "5")
            }
        }
    }

    @Test(
        "An app that has the list is told so, and takes it compressed",
        arguments: [
            "/iptv/channels.m3u", "/iptv/guide.xml", "/get.php", "/xmltv.php",
            "/player_api.php?action=get_live_streams",
        ])
    func unchanged(path: String) async throws {
        try await ViewerFixture.with(over: .socket) { viewer in
            try await record(viewer)
            let plain = try await viewer.get(path, host)
            let tag = try #require(plain.headers["ETag"])
            let again = try await viewer.get(path, ["Host": "tv.example:8080", "If-None-Match": tag])
            #expect(again.status == 304 && again.body.isEmpty)
            #expect(again.headers["ETag"] == tag)
            let packed = try await viewer.get(path, ["Host": "tv.example:8080", "Accept-Encoding": "gzip"])
            #expect(packed.headers["Content-Encoding"] == "gzip")
            #expect(packed.headers["ETag"] == tag.dropLast() + "-gz\"")
            #expect(try await gunzip(packed.body) == plain.body)
            let head = try await viewer.send(.head, path, host)
            #expect(head.headers["ETag"] == tag)
            #expect(head.headers["Content-Length"] == "\(plain.body.count)")
            // Another channel is another list.
            try await viewer.record(Recording("sport"))
            viewer.clock.steadyLead += .seconds(60)
            let changed = try await viewer.get(path, ["Host": "tv.example:8080", "If-None-Match": tag])
            #expect(changed.status == 200)
            #expect(changed.headers["ETag"] != tag)
        }
    }

    @Test("A deleted channel is in no list")
    func deleted() async throws {
        try await ViewerFixture.with { viewer in
            try await viewer.record(Recording("news"))
            try await viewer.catalogue.delete(try #require(ChannelID("news")))
            #expect(try await viewer.get("/iptv/channels.m3u", host).uris == [])
        }
    }
}

extension ViewerFixture {
    /// The numbers of the channels in the catalogue.
    fileprivate func numbers() async throws -> [String: Int32] {
        var numbers: [String: Int32] = [:]
        for listed in try await catalogue.listedChannels() { numbers[listed.id] = listed.channel.row }
        return numbers
    }
}
