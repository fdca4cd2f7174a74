import Catalogue
import HTTP
import HTTPSupport
import TestSupport
import Testing
import Timeline

@testable import ViewerAPI

@Suite(.serialized) struct PlaylistTests {
    private let begin = "1469509516000"

    private static let spellings = [
        "begintime=1469509516000&endtime=1469509536000", "begintime=1469509516&duration=20",
        "begintime=1469509516.000&duration=PT20S", "begintime=20160726050516&endtime=20160726050536",
        "begintime=2016-07-26T05:05:16Z&endtime=2016-07-26T07:05:36+02:00",
        "begintime=1469509516000000&endtime=20160726050536000", "utc=1469509516&endtime=1469509536",
        "playseek=20160726050516-20160726050536",
    ]

    @Test("Every notation of the same window gives the same playlist")
    func spellings() async throws {
        try await ViewerFixture.with { viewer in
            try await viewer.record(Recording())
            for query in Self.spellings {
                let answer = try await viewer.get("/live/cctv2/index.m3u8?\(query)")
                #expect(answer.status == 200, "\(query)")
                #expect(answer.uris == (0..<5).map { "v0/\(1_469_509_516_000 + $0 * 4000).ts" }, "\(query)")
                #expect(answer.text.hasSuffix("#EXT-X-ENDLIST\n"))
            }
        }
    }

    @Test(
        "A final window is marked as final, may be cached, and has its completeness in headers",
        arguments: TransportKind.allCases)
    func final(transport: TransportKind) async throws {
        try await ViewerFixture.with(over: transport) { viewer in
            try await viewer.record(Recording())
            viewer.clock.now = at(60)
            let path = "/live/cctv2/index.m3u8?begintime=\(begin)&duration=20"
            #expect(!viewer.answersWithoutBlocking(path))
            let first = try await viewer.get(path)
            #expect(try await viewer.answersWithoutBlocking(path, after: path))
            let answer = try await viewer.get(path)
            #expect(answer.text == first.text)
            #expect(answer.headers["ETag"] == first.headers["ETag"])
            #expect(answer.headers["Content-Type"] == "application/vnd.apple.mpegurl")
            #expect(answer.headers["Backcast-Window"] == "2016-07-26T05:05:16.000Z/2016-07-26T05:05:36.000Z")
            #expect(answer.headers["Backcast-Held-Seconds"] == "20")
            #expect(answer.headers["Backcast-Missing-Seconds"] == "0")
            #expect(answer.headers["Backcast-Final"] == "true")
            #expect(answer.headers["Backcast-Next"] == nil)
            #expect(answer.headers["Cache-Control"] == "public, max-age=3600")
            #expect(answer.headers["Access-Control-Allow-Origin"] == "*")
        }
    }

    @Test(
        "Held time is that of the leading rendition, whichever is asked for",
        arguments: TransportKind.allCases)
    func heldByLeading(transport: TransportKind) async throws {
        try await ViewerFixture.with(over: transport) { viewer in
            var recording = Recording()
            recording.add("v1", from: 8, count: 2)
            recording.watermark = 40
            try await viewer.record(recording)
            viewer.clock.now = at(60)
            let query = "begintime=\(begin)&duration=20"
            for file in ["v1.m3u8", "v1.m3u8", "v0.m3u8", "master.m3u8", "v1.m3u8?gaps=tag"] {
                let joint = file.contains("?") ? "&" : "?"
                let answer = try await viewer.get("/live/cctv2/\(file)\(joint)\(query)")
                #expect(answer.headers["Backcast-Held-Seconds"] == "20", "\(file)")
                #expect(answer.headers["Backcast-Missing-Seconds"] == "0", "\(file)")
                if file.hasPrefix("v1") { #expect(answer.uris.count { !$0.contains("gap") } == 2, "\(file)") }
            }
        }
    }

    @Test("A window in which a segment waits for its key is not final")
    func waiting() async throws {
        try await ViewerFixture.with { viewer in
            try await viewer.record(Recording())
            try await viewer.waitForKey("cctv2", at: 8)
            for (duration, isFinal) in [(20, "false"), (4, "true")] {
                let answer = try await viewer.get(
                    "/live/cctv2/index.m3u8?begintime=\(begin)&duration=\(duration)")
                #expect(answer.headers["Backcast-Final"] == isFinal)
            }
        }
    }

    @Test("The age ends when retention reaches the window")
    func retentionAge() async throws {
        try await ViewerFixture.with { viewer in
            var recording = Recording()
            recording.retentionSeconds = 1000
            try await viewer.record(recording)
            viewer.clock.now = at(900)
            let answer = try await viewer.get("/live/cctv2/index.m3u8?begintime=\(begin)&duration=20")
            #expect(answer.headers["Cache-Control"] == "public, max-age=100")
        }
    }

    @Test("A window up to the live edge is closed and not final, whatever end was asked for")
    func liveEdge() async throws {
        try await ViewerFixture.with { viewer in
            try await viewer.record(Recording())
            viewer.clock.now = at(44)
            for query in [
                "begintime=\(begin)", "begintime=\(begin)&duration=3600", "utc=1469509516&lutc=1469509560",
            ] {
                let answer = try await viewer.get("/live/cctv2/index.m3u8?\(query)")
                #expect(answer.uris.count == 10)
                #expect(answer.text.contains("#EXT-X-PLAYLIST-TYPE:VOD"))
                #expect(answer.text.hasSuffix("#EXT-X-ENDLIST\n"))
                #expect(answer.headers["Backcast-Final"] == "false")
                #expect(answer.headers["Cache-Control"] == "public, max-age=0, s-maxage=2")
                #expect(answer.headers["Backcast-Window"]?.hasSuffix("/2016-07-26T05:05:56.000Z") == true)
            }
        }
    }

    @Test("An open end is cut at the longest window, and the rest is named")
    func openEnd() async throws {
        try await ViewerFixture.with(maxWindowSeconds: 20) { viewer in
            try await viewer.record(Recording())
            let answer = try await viewer.get("/live/cctv2/index.m3u8?begintime=\(begin)")
            #expect(answer.uris.count == 5)
            #expect(answer.headers["Backcast-Next"] == "2016-07-26T05:05:36.000Z")
            #expect(answer.headers["Backcast-Held-Seconds"] == "20")
            #expect(answer.headers["Backcast-Final"] == "true")
        }
    }

    @Test(
        "Where the rest begins with a hole, Backcast-Next names what is recorded behind it",
        arguments: ["", "&mode=event", "&gaps=tag"])
    func nextBehindHole(form: String) async throws {
        try await ViewerFixture.with(maxWindowSeconds: 20) { viewer in
            var recording = Recording(seconds: 20)
            recording.watermark = 210
            recording.add("v0", from: 100, count: 3)
            recording.add("v1", from: 98, count: 1)
            recording.retentionSeconds = nil
            try await viewer.record(recording)
            viewer.clock.now = at(220)
            // The window ends with the hole, or within it.
            for first in [0, 4.0] {
                let path = "/live/cctv2/index.m3u8?begintime=\(at(first).milliseconds)\(form)"
                let answer = try await viewer.get(path)
                #expect(answer.headers["Backcast-Next"] == at(98).rfc3339)
                #expect(try await viewer.get(path).headers["Backcast-Next"] == at(98).rfc3339)
            }
            let next = try await viewer.get("/live/cctv2/index.m3u8?begintime=\(at(98).rfc3339)\(form)")
            #expect(next.status == 200 && next.headers["Backcast-Next"] == nil)
        }
    }

    @Test("A window that ends with a hole behind which nothing is recorded yet is not final")
    func nothingBehindHole() async throws {
        try await ViewerFixture.with(maxWindowSeconds: 20) { viewer in
            var recording = Recording(seconds: 20)
            recording.watermark = 210
            recording.retentionSeconds = nil
            try await viewer.record(recording)
            viewer.clock.now = at(400)
            let answer = try await viewer.get("/live/cctv2/index.m3u8?begintime=\(at(0).milliseconds)")
            #expect(answer.status == 200 && answer.headers["Backcast-Next"] == nil)
            #expect(answer.headers["Backcast-Final"] == "false")
        }
    }

    @Test("start-over grows and ends, live slides, a delay lies behind")
    func growing() async throws {
        try await ViewerFixture.with { viewer in
            try await viewer.record(Recording(seconds: 80))
            viewer.clock.now = at(84)
            let event = try await viewer.get("/live/cctv2/index.m3u8?begintime=\(begin)&mode=event")
            #expect(event.text.contains("#EXT-X-PLAYLIST-TYPE:EVENT"))
            #expect(!event.text.contains("ENDLIST"))
            let ended = try await viewer.get(
                "/live/cctv2/index.m3u8?begintime=\(begin)&duration=40&mode=event")
            #expect(ended.text.hasSuffix("#EXT-X-ENDLIST\n"))
            let live = try await viewer.get("/live/cctv2/index.m3u8")
            #expect(live.uris.count == 8)
            #expect(!live.text.contains("PLAYLIST-TYPE"))
            #expect(live.headers["Cache-Control"] == "public, max-age=0, s-maxage=2")
            #expect(try await viewer.get("/live/cctv2/index.m3u8?dvr=60").uris.count == 15)
            let delayed = try await viewer.get("/live/cctv2/index.m3u8?delay=40")
            #expect(delayed.uris.last == "v0/1469509552000.ts")
        }
    }

    @Test("Later than live is so much later on a channel whose dates are behind the clock, too")
    func laggingClock() async throws {
        try await ViewerFixture.with { viewer in
            var recording = Recording(seconds: 80)
            recording.lag = 60
            try await viewer.record(recording)
            viewer.clock.now = at(84 + 60)
            let delayed = try await viewer.get("/live/cctv2/index.m3u8?delay=40")
            #expect(delayed.uris.last == "v0/1469509552000.ts")
        }
    }

    @Test(
        "The clock of an app is ignored, whatever it says, live and beside a begin",
        arguments: ["1469509516", "now", "${timestamp}", ""])
    func clockAlone(lutc: String) async throws {
        try await ViewerFixture.with { viewer in
            try await viewer.record(Recording())
            for query in ["", "utc=1469509516&"] {
                let answer = try await viewer.get("/live/cctv2/index.m3u8?\(query)lutc=\(lutc)")
                #expect(answer.status == 200)
                #expect(answer.text == (try await viewer.get("/live/cctv2/index.m3u8?\(query)")).text)
            }
        }
    }

    @Test("Lists of a deleted channel end with what it recorded")
    func deleted() async throws {
        try await ViewerFixture.with { viewer in
            try await viewer.record(Recording())
            viewer.clock.slowDown()
            let queries = ["", "?begintime=\(begin)&mode=event"]
            for query in queries {
                #expect(!(try await viewer.get("/live/cctv2/index.m3u8\(query)").text.contains("ENDLIST")))
            }
            try await viewer.catalogue.delete(try #require(ChannelID("cctv2")))
            viewer.clock.steadyLead += .seconds(4)
            for query in queries {
                try await eventually("the end") {
                    try await viewer.get("/live/cctv2/index.m3u8\(query)").text.hasSuffix("#EXT-X-ENDLIST\n")
                }
            }
        }
    }

    @Test("A channel with variants answers a multivariant list with the end pinned into its URIs")
    func multivariant() async throws {
        try await ViewerFixture.with { viewer in
            var recording = Recording()
            recording.playlistForm = .multivariant
            recording.add("a0", from: 0, count: 10, format: .audio) { $0.groupID = "aac" }
            try await viewer.record(recording)
            let answer = try await viewer.get("/live/cctv2/index.m3u8?utc=1469509518")
            #expect(answer.uris == ["v0.m3u8?begintime=1469509518000&endtime=1469509556000"])
            #expect(answer.text.contains("URI=\"a0.m3u8?begintime=1469509518000&endtime=1469509556000\""))
            let child = try await viewer.get("/live/cctv2/\(answer.uris[0])")
            #expect(child.uris.count == 10)
            #expect(child.text.contains("#EXT-X-START:TIME-OFFSET=2,PRECISE=YES"))
            let direct = try await viewer.get("/live/cctv2/index.m3u8?begintime=\(begin)&rendition=a0")
            #expect(direct.uris.first == "a0/1469509516000.aac")
            let live = try await viewer.get("/live/cctv2/index.m3u8?dvr=40")
            #expect(live.uris == ["v0.m3u8?dvr=40"])
        }
    }

    @Test("master.m3u8 is multivariant also for one rendition")
    func master() async throws {
        try await ViewerFixture.with { viewer in
            try await viewer.record(Recording())
            let answer = try await viewer.get(
                "/live/cctv2/master.m3u8?begintime=\(begin)&duration=20&mode=event")
            #expect(
                answer.uris == ["v0.m3u8?begintime=1469509516000&endtime=1469509536000&mode=event"])
        }
    }

    @Test("A window with markers is answered at once, as it was composed, until another marker comes")
    func markers() async throws {
        func marker(_ id: String, _ second: Double) -> Marker {
            Marker(
                id: id, sourceStart: at(second), begin: at(second), classID: nil, length: 4_000_000,
                plannedLength: nil, endsOnNext: false,
                attributes: [PlaylistAttribute(name: "X-A", value: "\(id) & more", isQuoted: true)])
        }
        try await ViewerFixture.with { viewer in
            var recording = Recording()
            recording.markers = [marker("first", 2), marker("second", 9), marker("later", 30)]
            try await viewer.record(recording)
            viewer.clock.now = at(60)
            let composed = try await viewer.get("/live/cctv2/index.m3u8?begintime=\(begin)&duration=20")
            #expect(composed.text.split(separator: "#EXT-X-DATERANGE:").count == 3)
            for headers in [[:], ["Accept-Encoding": "gzip"]] as [HTTPHeaders] {
                // The compressed blocks are made on another thread first.
                let other = "/live/cctv2/v0.m3u8?begintime=\(begin)&duration=20"
                let path = "/live/cctv2/index.m3u8?utc=1469509516&duration=20"
                #expect(try await viewer.answersWithoutBlocking(path, headers, after: other))
                let answer = try await viewer.get(path, headers)
                let isPlain = headers["Accept-Encoding"] == nil
                #expect((isPlain ? answer.body : try await gunzip(answer.body)) == composed.body)
            }
            var more = Recording(seconds: 44)
            more.markers = [marker("third", 12)]
            try await viewer.recordMore(more)
            viewer.clock.steadyLead += .seconds(10)
            let renewed = try await viewer.get("/live/cctv2/index.m3u8?begintime=\(begin)&duration=20")
            #expect(renewed.text.split(separator: "#EXT-X-DATERANGE:").count == 4)
        }
    }

    @Test("Markers of a day with thousands are in the windows in which they lie, and in live playlists")
    func manyMarkers() async throws {
        try await ViewerFixture.with { viewer in
            var recording = Recording(seconds: 400)
            recording.markers = (0..<4000).map { number in
                let begin = at(Double(number) / 10)
                return Marker(
                    id: "m\(number)", sourceStart: begin, begin: begin, length: 100_000,
                    attributes: [PlaylistAttribute(name: "X-A", value: "a", isQuoted: true)])
            }
            try await viewer.record(recording)
            try await viewer.recordMore(Recording(seconds: 440))
            viewer.clock.now = at(440)
            let last = at(380).microseconds / 1000
            let paths = [
                "/live/cctv2/index.m3u8?begintime=\(last)&duration=10", "/live/cctv2/index.m3u8?dvr=100",
            ]
            for (path, ids) in zip(paths, [3800..<3900, 3900..<4000]) {
                let text = try await viewer.get(path).text
                for id in ids { #expect(text.contains("ID=\"m\(id)\""), "\(path): m\(id)") }
            }
        }
    }

    @Test(
        "A playlist is compressed for those who accept it, under a tag of its own",
        arguments: TransportKind.allCases)
    func coding(transport: TransportKind) async throws {
        try await ViewerFixture.with(over: transport) { viewer in
            try await viewer.record(Recording())
            let path = "/live/cctv2/index.m3u8?begintime=\(begin)&duration=20"
            let plain = try await viewer.get(path)
            let coded = try await viewer.get(path, ["Accept-Encoding": "gzip", "Range": "bytes=0-"])
            #expect(coded.status == 200)
            #expect(coded.headers["Content-Encoding"] == "gzip")
            #expect(coded.headers["Vary"] == "Accept-Encoding")
            #expect(plain.headers["Vary"] == "Accept-Encoding")
            #expect(plain.headers["Cache-Tag"] == "ch-cctv2")
            #expect(try await gunzip(coded.body) == plain.body)
            let tag = try #require(plain.headers["ETag"])
            #expect(coded.headers["ETag"] == tag.dropLast() + "-gz\"")
            let again = try await viewer.get(path, ["If-None-Match": tag])
            #expect(again.status == 304)
            #expect(again.body.isEmpty)
            #expect(again.headers["ETag"] == tag)
            #expect(again.headers["Vary"] == "Accept-Encoding")
            #expect(again.headers["Cache-Tag"] == "ch-cctv2")
            #expect(
                try await viewer.get(path, ["If-None-Match": tag, "Accept-Encoding": "gzip"]).status == 200)
        }
    }

    @Test(
        "A growing multivariant playlist exists when it lists video and audio, or no audio has come for long",
        arguments: [
            // The first segment of audio ends after the first one of video, is lost, or never comes.
            (0.2, 4, 404, false), (0.2, 8, 200, true), (4, 4, 404, false), (4, 8, 200, true),
            (24, 8, 404, false), (24, 16, 200, false),
        ] as [(Double, Int, Int, Bool)])
    func firstMedia(audio: Double, watermark: Int, status: Int, hasAudio: Bool) async throws {
        try await ViewerFixture.with { viewer in
            var recording = Recording(seconds: 0)
            recording.playlistForm = .multivariant
            recording.add("v0", from: 0, count: 4, format: .silent) { $0.audioGroup = "sound" }
            recording.add("a0", from: audio, count: 2, format: .audio) { $0.groupID = "sound" }
            recording.watermark = Double(watermark)
            try await viewer.record(recording)
            viewer.clock.now = at(20)
            for file in ["index.m3u8", "master.m3u8", "mono-1469509516-now.m3u8"] {
                let query = file.hasPrefix("mono") ? "event=true" : "begintime=\(begin)&mode=event"
                let answer = try await viewer.get("/live/cctv2/\(file)?\(query)")
                #expect(answer.status == status, "\(file)")
                #expect(answer.text.contains("a0.m3u8") == hasAudio, "\(file)")
                #expect(answer.text.contains("#EXT-X-STREAM-INF") == (status == 200), "\(file)")
            }
            // The media playlist of the video is there.
            let video = try await viewer.get("/live/cctv2/v0.m3u8?begintime=\(begin)&mode=event")
            #expect(video.uris.count == watermark / 4)
        }
    }

    @Test("Times without a zone are of the channel's zone")
    func zone() async throws {
        try await ViewerFixture.with { viewer in
            var recording = Recording()
            recording.timeZone = "Asia/Shanghai"
            try await viewer.record(recording)
            let answer = try await viewer.get(
                "/live/cctv2/index.m3u8?playseek=20160726130516-20160726130536")
            #expect(answer.uris.count == 5)
        }
    }
}
