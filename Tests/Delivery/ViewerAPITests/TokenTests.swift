import Catalogue
import Digest
import HTTP
import HTTPSupport
import SegmentStore
import TestSupport
import Testing
import Timeline

@testable import Access
@testable import ViewerAPI

/// Playback with a secret set: every kind of resource, and every reason to refuse it.
@Suite(.serialized) struct TokenTests {
    static let secret = "a-secret-of-this-test-0001"
    private static let rotated = "a-secret-of-this-test-0002"

    static let live = "/live/cctv2/"

    /// Each kind, within the limits of its token and outside of them; nil: it has no time, or is live.
    private static let resources: [Kind: (inside: String, outside: String?)] = [
        .segment: ("\(live)v0/\(stamp(8)).ts", "\(live)v0/\(stamp(24)).ts"),
        .initialization: ("\(live)v0/init-0123456789abcdef.mp4", nil),
        .key: ("\(live)keys/\(keyName)", nil),
        .index: ("\(live)index.m3u8?\(window(8, 24))", "\(live)index.m3u8?\(window(8, 24.001))"),
        .master: ("\(live)master.m3u8?\(window(9, 20))", "\(live)master.m3u8?\(window(7.999, 20))"),
        .media: ("\(live)v0.m3u8?\(window(8, 24))", "\(live)v0.m3u8?\(window(30, 34))"),
        .keyFrames: (
            "\(live)v0-iframes.m3u8?\(window(8, 24))", "\(live)v0-iframes.m3u8?\(window(8, 25))"
        ),
        .single: ("\(live)mono-\(stamp(8) / 1000)-16.m3u8", "\(live)mono-\(stamp(8) / 1000)-17.m3u8"),
        .since: (
            "\(live)timeshift_abs-\(stamp(8) / 1000).m3u8", "\(live)timeshift_abs-\(stamp(7) / 1000).m3u8"
        ),
        .transportStream: ("\(live)download.ts?\(window(8, 24))", "\(live)download.ts?\(window(4, 24))"),
        .movie: ("\(live)download.mp4?\(window(8, 24))", "\(live)download.mp4?\(window(4, 24))"),
        .picture: ("\(live)frame.jpg?time=\(stamp(8))", "\(live)frame.jpg?time=\(stamp(24))"),
        .thumbnails: ("\(live)frames.vtt?\(window(8, 24))", "\(live)frames.vtt?\(window(8, 25))"),
        .endlessStream: (
            "\(live)timeshift_abs-\(stamp(8) / 1000).ts", "\(live)timeshift_abs-\(stamp(7) / 1000).ts"
        ),
        .recordingStatus: (
            "\(live)recording_status.json?from=\(stamp(8))&to=\(stamp(24))",
            "\(live)recording_status.json?from=\(stamp(24))&to=\(stamp(40))"
        ),
        .channels: ("/iptv/channels.m3u", nil), .guide: ("/iptv/guide.xml", nil),
        .xtreamPlayer: ("/player_api.php?username=a", nil), .xtreamPlaylist: ("/get.php?username=a", nil),
        .xtreamGuide: ("/xmltv.php?username=a", nil), .xtreamLive: ("/live/user/x/cctv2.m3u8", nil),
        .xtreamShort: ("/user/x/1.m3u8", nil),
        .xtreamPast: (
            "/timeshift/user/x/1/\(stamp(8) / 1000)/cctv2.m3u8",
            "/timeshift/user/x/1/\(stamp(9) / 1000)/cctv2.m3u8"
        ),
        .xtreamQuery: (
            "/timeshift.php?stream=cctv2&start=\(stamp(8) / 1000)&duration=1",
            "/timeshift.php?stream=cctv2&start=\(stamp(7) / 1000)&duration=1"
        ),
    ]

    private static let keyName = String(repeating: "0a", count: 16)

    static func stamp(_ seconds: Double) -> Int64 { at(seconds).milliseconds }

    static func window(_ begin: Double, _ end: Double) -> String {
        "begintime=\(stamp(begin))&endtime=\(stamp(end))"
    }

    static func grant(
        _ channels: String..., number: UInt64 = 1, from begin: Double? = nil, to end: Double? = nil,
        expires: Double = 200_000
    ) -> PlaybackGrant {
        PlaybackGrant(
            id: TokenID(number: number), expires: at(expires),
            channels: channels.compactMap { ChannelID($0) }, begin: begin.map { at($0) },
            end: end.map { at($0) })
    }

    static func prefix(_ grant: PlaybackGrant, secret: String = secret) throws -> String {
        "/t/\(try #require(TokenSigner(secrets: [secret])).token(for: grant))"
    }

    /// A channel of which every kind of resource is held, for viewers who need a token.
    func protected(
        secrets: [String] = [secret], over transport: TransportKind = .handler,
        _ body: (ViewerFixture) async throws -> Void
    ) async throws {
        try await ViewerFixture.with(over: transport, secrets: secrets) { viewer async throws in
            var recording = Recording()
            for index in recording.segments.indices {
                recording.segments[index].keyFrames = KeyFrames(
                    tableByteCount: 376, frames: [KeyFrame(offset: 376, byteCount: 200, milliseconds: 0)])
            }
            recording.keys[Self.keyName] = [UInt8](repeating: 7, count: 16)
            try await viewer.record(recording)
            let channel = try #require(ChannelID("cctv2"))
            try await viewer.store.put(
                [1, 2, 3],
                as: .initialization(
                    channel, RenditionID(kind: .video, index: 0), "init-0123456789abcdef.mp4"))
            try await viewer.api.access.read(isWhole: true)
            try await body(viewer)
        }
    }

    private func isForbidden(_ answer: ReceivedResponse) -> Bool {
        answer.status == 403 && answer.headers["Content-Type"] == "application/problem+json"
            && answer.headers["Cache-Control"] == "no-store"
            && answer.headers["Access-Control-Allow-Origin"] == "*"
            && Set(answer.problem.keys) == ["type", "title", "status"]
    }

    @Test("Every kind of resource has an entry in the table", arguments: Kind.allCases)
    func complete(kind: Kind) throws {
        let entry = try #require(Self.resources[kind])
        for target in [entry.inside, entry.outside] {
            guard let target else { continue }
            let path = String(target.split(separator: "?").first ?? "")
            #expect(Kind(path: path) == kind, "\(path)")
        }
    }

    @Test("No resource is answered but with a token that counts", arguments: Kind.allCases)
    func refused(kind: Kind) async throws {
        try await protected(secrets: [Self.secret, Self.rotated]) { viewer async throws in
            let (inside, outside) = try #require(Self.resources[kind])
            let good = try Self.prefix(Self.grant("cctv2"))
            let flipped =
                String(good.dropLast(9)) + (good.dropLast(8).hasSuffix("A") ? "B" : "A") + good.suffix(8)
            let revoked = Self.grant("cctv2", number: 9)
            _ = try await viewer.catalogue.enter(IssuedToken(grant: revoked, created: at(0)))
            _ = try await viewer.catalogue.revoke(revoked.id)
            try await viewer.api.access.read(isWhole: false)
            let refused = [
                "no token": "", "an empty token": "/t/", "no token behind /t": "/t/x",
                "a flipped bit": flipped, "a cut token": String(good.dropLast()),
                "another secret": try Self.prefix(Self.grant("cctv2"), secret: "a-secret-of-this-test-0003"),
                "expired": try Self.prefix(Self.grant("cctv2", expires: 100_000)),
                "revoked": try Self.prefix(revoked),
                "another channel": try Self.prefix(Self.grant("cctv1", "cctv22")),
            ]
            for (reason, prefix) in refused where !kind.isList || reason != "another channel" {
                for method in [HTTPMethod.get, .head] {
                    let answer = try await viewer.send(method, "\(prefix)\(inside)")
                    #expect(answer.status == 403, "\(reason)")
                    if method == .get { #expect(isForbidden(answer), "\(reason)") }
                }
            }
            #expect(try await viewer.get("\(good)\(good)\(inside)").status == 404)
            let host: HTTPHeaders = ["Host": "tv.example"]
            let answered = [200, 302]
            let (begin, end) = kind.limits
            for grant in [
                Self.grant("cctv2"), Self.grant(), Self.grant("a", "cctv2"),
                Self.grant("cctv2", from: begin, to: end),
                Self.grant(from: begin), Self.grant(to: end),
            ] {
                // An endless stream would go on for a minute.
                let answer = try await viewer.send(.head, "\(try Self.prefix(grant))\(inside)", host)
                #expect(answered.contains(answer.status), "\(answer.status) \(answer.text)")
            }
            let other = try Self.prefix(Self.grant("cctv2"), secret: Self.rotated)
            #expect(try await answered.contains(viewer.send(.head, "\(other)\(inside)", host).status))
            guard let outside else { return }
            let limited = try Self.prefix(Self.grant("cctv2", from: begin, to: end))
            #expect(isForbidden(try await viewer.get("\(limited)\(outside)")))
            #expect(try await answered.contains(viewer.send(.head, "\(good)\(outside)").status))
        }
    }

    @Test(
        "An answer is the same with any token and without one",
        arguments: Kind.allCases.filter { !$0.isList && $0 != .endlessStream })
    func same(kind: Kind) async throws {
        try await protected { viewer async throws in
            let target = try #require(Self.resources[kind]).inside
            try await viewer.withReplica(isShared: false) { open async throws in
                let plain = try await open.get(target)
                let grants = kind == .since ? [Self.grant()] : [Self.grant(), Self.grant(from: 8, to: 24)]
                for grant in grants {
                    let answer = try await viewer.get(try Self.prefix(grant) + target)
                    #expect(answer.status == plain.status && answer.body == plain.body)
                    for name in ["ETag", "Cache-Control", "Location"] {
                        #expect(answer.headers[name] == plain.headers[name], "\(name)")
                    }
                }
            }
        }
    }

    @Test("All viewers share the answers in memory")
    func shared() async throws {
        try await protected { viewer async throws in
            let target = "/live/cctv2/index.m3u8?\(Self.window(8, 24))"
            let (one, other) = (
                try Self.prefix(Self.grant()), try Self.prefix(Self.grant("cctv2", number: 2))
            )
            for _ in 0..<3 { _ = try await viewer.get(one + target) }
            #expect(try await viewer.answersWithoutBlocking(other + target, after: one + target))
        }
    }

    @Test("A preflight is answered without a token, and other methods are refused as ever")
    func methods() async throws {
        try await protected { viewer async throws in
            for path in ["/live/cctv2/index.m3u8", "/t/x/live/cctv2/index.m3u8"] {
                let preflight = try await viewer.send(.options, path)
                #expect(preflight.status == 204)
                #expect(preflight.headers["Access-Control-Allow-Origin"] == "*")
                #expect(try await viewer.send(.post, path).status == 405)
            }
            #expect(isForbidden(try await viewer.get("/live/none/nothing")))
            #expect(isForbidden(try await viewer.get("/t/x")))
            let good = try Self.prefix(Self.grant())
            #expect(try await viewer.get(good + "/live/none/index.m3u8").status == 404)
            #expect(try await viewer.get(good + "/healthz").status == 404)
        }
    }

    @Test("Before it is known which tokens are revoked, none counts and none is refused")
    func unknown() async throws {
        try await ViewerFixture.with(secrets: [Self.secret]) { viewer async throws in
            let answer = try await viewer.get(try Self.prefix(Self.grant()) + "/live/cctv2/index.m3u8")
            #expect(answer.status == 503 && answer.headers["Retry-After"] != nil)
        }
    }

    @Test("Without a secret playback is open, and a token in the path changes nothing")
    func open() async throws {
        try await protected(secrets: []) { viewer async throws in
            for prefix in ["", "/t/x", try Self.prefix(Self.grant("other", expires: 0))] {
                let answer = try await viewer.get("\(prefix)/live/cctv2/index.m3u8?\(Self.window(8, 24))")
                #expect(answer.status == 200)
            }
            for path in ["/t/", "/t/x", "/t/x/", "/t//live/cctv2/index.m3u8", "/t/x/healthz"] {
                #expect(try await viewer.get(path).status == 404, "\(path)")
            }
        }
    }

    @Test(
        "An open end is the end of the token",
        arguments: [
            ("index.m3u8?begintime=S", "index.m3u8?begintime=B&endtime=E"),
            ("index.m3u8?utc=S&lutc=1469610000&gaps=tag", "index.m3u8?begintime=B&endtime=E&gaps=tag"),
            ("v0.m3u8?playseek=S-&rendition=v0", "v0.m3u8?begintime=B&endtime=E&rendition=v0"),
            ("index.m3u8?begintime=S&mode=event", "index.m3u8?begintime=B&endtime=E&mode=event"),
            ("download.ts?begintime=S", "download.ts?begintime=B&endtime=E"),
            ("archive-S-now.m3u8", "index.m3u8?begintime=B&endtime=E&mode=event"),
            ("archive-S-now.m3u8?event=false", "index.m3u8?begintime=B&endtime=E"),
            ("timeshift_abs-S.m3u8", "index.m3u8?begintime=B&endtime=E"),
            ("video-S-now.m3u8", "video-S-12.m3u8?mode=event"),
            ("timeshift_abs-S.ts", "download.ts?begintime=B&endtime=E"),
        ])
    func openEnds(target: String, location: String) async throws {
        try await protected { viewer async throws in
            let prefix = try Self.prefix(Self.grant("cctv2", from: 8, to: 24))
            let times = ["S": Self.stamp(12) / 1000, "B": Self.stamp(12), "E": Self.stamp(24)]
            let (asked, expected) = (Self.filled(target, times), Self.filled(location, times))
            let answer = try await viewer.get("\(prefix)/live/cctv2/\(asked)")
            #expect(answer.status == 302 && answer.headers["Location"] == expected)
            #expect(answer.headers["Cache-Control"] == "no-store")
            let led = try await viewer.get("\(prefix)/live/cctv2/\(expected)")
            #expect(led.status == 200, "\(led.text)")
            // A token that ends later permits what there is; a playlist that grows still ends with it.
            viewer.clock.now = at(60)
            let later = try Self.prefix(Self.grant("cctv2", from: 8, to: 80))
            let open = try await viewer.get("\(later)/live/cctv2/\(asked)")
            let isCut = open.headers["Location"]?.contains(/-68\.|endtime=\d+96000/) == true
            #expect(isCut == (expected.contains("mode=event") || asked.hasSuffix("ts")), "\(asked)")
        }
    }

    @Test("The segment in which a token begins is the first that it permits")
    func firstSegment() async throws {
        try await protected { viewer async throws in
            let prefix = try Self.prefix(Self.grant("cctv2", from: 10, to: 22))
            let path = prefix + "/live/cctv2/"
            let playlist = try await viewer.get("\(path)index.m3u8?\(Self.window(10, 22))")
            #expect(playlist.status == 200 && playlist.uris.count == 4)
            for uri in playlist.uris { #expect(try await viewer.get(path + uri).status == 200, "\(uri)") }
            for second in [0.0, 4, 7.999, 8.001, 24] {
                #expect(isForbidden(try await viewer.get("\(path)v0/\(Self.stamp(second)).ts")), "\(second)")
            }
            // Nothing is held where it begins.
            let none = try Self.prefix(Self.grant("cctv2", from: 45))
            #expect(isForbidden(try await viewer.get("\(none)/live/cctv2/v0/\(Self.stamp(36)).ts")))
        }
    }

    @Test(
        "Live is for a token that holds now, and what it looks back to",
        arguments: [
            ("", 404), ("?delay=60", 404), ("?delay=61", 403), ("?dvr=60", 404), ("?dvr=61", 403),
            ("?dvr=30&delay=30", 404), ("?dvr=31&delay=30", 403),
        ])
    func live(query: String, status: Int) async throws {
        try await protected { viewer async throws in
            // Nothing has been recorded for long: what is permitted is not there.
            let held = try Self.prefix(Self.grant("cctv2", from: 99_940, to: 100_001))
            #expect(try await viewer.get("\(held)/live/cctv2/index.m3u8\(query)").status == status)
            for grant in [Self.grant(to: 100_000), Self.grant(from: 100_001), Self.grant(from: 8, to: 24)] {
                let answer = try await viewer.get("\(try Self.prefix(grant))/live/cctv2/index.m3u8")
                #expect(isForbidden(answer))
            }
            let whole = try Self.prefix(Self.grant("cctv2"))
            #expect(try await viewer.get("\(whole)/live/cctv2/index.m3u8\(query)").status == 200)
        }
    }

    @Test("A canonical URL reaches to the edges of the segments in which a token begins and ends")
    func canonical() async throws {
        try await protected { viewer async throws in
            try await viewer.withReplica(isCanonical: true, secrets: [Self.secret]) { other async throws in
                try await other.api.access.read(isWhole: true)
                let path = try Self.prefix(Self.grant("cctv2", from: 10, to: 22)) + "/live/cctv2/"
                let answer = try await other.get("\(path)index.m3u8?\(Self.window(10, 22))")
                #expect(answer.headers["Location"] == "index.m3u8?\(Self.window(8, 24))")
                #expect(try await other.get("\(path)index.m3u8?\(Self.window(8, 24))").status == 200)
                #expect(isForbidden(try await other.get("\(path)index.m3u8?\(Self.window(7.999, 24))")))
                #expect(isForbidden(try await other.get("\(path)index.m3u8?\(Self.window(8, 24.001))")))
                #expect(isForbidden(try await viewer.get("\(path)index.m3u8?\(Self.window(8, 24))")))
            }
        }
    }

    @Test(
        "What cannot be judged is not answered: a wrong parameter is named, an unknown channel is not found")
    func unjudged() async throws {
        try await protected { viewer async throws in
            let prefix = try Self.prefix(Self.grant(from: 8, to: 24))
            let wrong = try await viewer.get("\(prefix)/live/cctv2/index.m3u8?begintime=x")
            #expect(wrong.status == 400 && wrong.problem["parameter"] as? String == "begintime")
            #expect(try await viewer.get("\(prefix)/live/none/index.m3u8").status == 404)
            #expect(try await viewer.get("\(prefix)/live/cctv2/nothing").status == 404)
        }
    }

    @Test("A time shift from the begin of a token on plays, at any fraction of a second")
    func shifted() async throws {
        try await protected { viewer async throws in
            viewer.clock.now = at(40.25)
            let channel = try Self.prefix(Self.grant("cctv2", from: 8)) + "/live/cctv2/"
            let moved = try await viewer.get("\(channel)timeshift_abs-\(Self.stamp(8) / 1000).m3u8")
            let list = try await viewer.get(channel + (try #require(moved.headers["Location"])))
            #expect(list.status == 200)
            let media = try await viewer.get(channel + (try #require(list.uris.last)))
            #expect(media.status == 200)
            let first = try #require(media.uris.dropLast(2).last)
            #expect(try await viewer.get(channel + first).status == 200)
        }
    }

    @Test("In the Xtream Codes API the password is the token")
    func xtream() async throws {
        try await protected { viewer async throws in
            try await viewer.record(Recording("other"))
            let host: HTTPHeaders = ["Host": "tv.example"]
            let prefix = try Self.prefix(Self.grant("cctv2"))
            let token = prefix.dropFirst(3)
            let moved = try await viewer.get("/live/me/\(token)/cctv2.m3u8")
            #expect(
                moved.status == 302
                    && moved.headers["Location"] == "../../../t/\(token)/live/cctv2/index.m3u8")
            let within = try await viewer.get("\(prefix)/live/me/\(token)/cctv2.m3u8")
            #expect(within.headers["Location"] == "../../../live/cctv2/index.m3u8")
            let past = try await viewer.get("/timeshift/me/\(token)/1/2016-07-26:05-05/cctv2.ts")
            #expect(
                past.headers["Location"]?.hasPrefix("../../../../../t/\(token)/live/cctv2/download.ts?")
                    == true)
            #expect(isForbidden(try await viewer.get("/live/me/\(token)/other.m3u8")))
            #expect(isForbidden(try await viewer.get("/live/me/\(token)A/cctv2.m3u8")))
            #expect(isForbidden(try await viewer.get("/timeshift/me/x/1/2016-07-26:05-05/cctv2.ts")))
            #expect(isForbidden(try await viewer.get("/player_api.php?username=me&password=x")))
            let player = try await viewer.get("/player_api.php?username=me&password=\(token)", host)
            #expect(player.text.contains(#""auth":1"#))
            #expect(player.text.contains(#""exp_date":"\#(Self.stamp(200_000) / 1000)""#))
        }
    }

    @Test("A server answers with tokens as the handler does", arguments: TransportKind.allCases)
    func transports(transport: TransportKind) async throws {
        try await protected(over: transport) { viewer async throws in
            let longest = (0..<10).map { "c\($0)" + String(repeating: "x", count: 61) }
            var grant = Self.grant("cctv2", from: 8, to: 24)
            grant.channels += longest.compactMap { ChannelID($0) }
            let prefix = try Self.prefix(grant)
            let answer = try await viewer.get("\(prefix)/live/cctv2/index.m3u8?\(Self.window(8, 24))")
            #expect(answer.status == 200)
            #expect(isForbidden(try await viewer.get("\(prefix)A/live/cctv2/index.m3u8")))
        }
    }
}
