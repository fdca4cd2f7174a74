import HTTP
import HTTPSupport
import TestSupport
import Testing
import Timeline

@testable import Access
@testable import Catalogue
@testable import Postgres
@testable import ViewerAPI

/// What a token opens that is for a part of the time.
extension TokenTests {
    /// A recording for viewers who need a token.
    private func protecting(
        _ recording: Recording, _ body: (ViewerFixture) async throws -> Void
    ) async throws {
        try await ViewerFixture.with(secrets: [Self.secret]) { viewer async throws in
            try await viewer.record(recording)
            try await viewer.api.access.read(isWhole: true)
            try await body(viewer)
        }
    }

    @Test("In the Xtream Codes API live is a playlist for a token with an end, whatever the app asks for")
    func xtreamEnd() async throws {
        try await protecting(Recording()) { viewer async throws in
            viewer.clock.now = at(40)
            let host: HTTPHeaders = ["Host": "tv.example"]
            for (grant, file, formats) in [
                (Self.grant("cctv2", from: 0, to: 200_000), "index.m3u8", #"["m3u8"]"#),
                (Self.grant("cctv2", from: 0), "timeshift_rel-0.ts", #"["m3u8","ts"]"#),
            ] {
                let token = try Self.prefix(grant).dropFirst(3)
                let moved = try await viewer.get("/live/me/\(token)/cctv2.ts")
                #expect(moved.headers["Location"] == "../../../t/\(token)/live/cctv2/\(file)")
                #expect(await viewer.begun("/t/\(token)/live/cctv2/\(file)").status == .ok)
                let player = try await viewer.get("/player_api.php?password=\(token)", host)
                #expect(player.text.contains(#""allowed_output_formats":\#(formats)"#))
            }
        }
    }

    @Test("The past that a query of the Xtream Codes API names needs the token as its password")
    func xtreamQuery() async throws {
        try await protecting(Recording()) { viewer async throws in
            let token = try Self.prefix(Self.grant("cctv2")).dropFirst(3)
            let query = "username=me&stream=cctv2&start=2016-07-26:05-05&duration=1"
            let path = try await viewer.get("/timeshift/me/\(token)/1/2016-07-26:05-05/cctv2.ts")
            let asked = try await viewer.get("/streaming/timeshift.php?\(query)&password=\(token)")
            let location = try #require(asked.headers["Location"])
            #expect(location.hasPrefix("../t/\(token)/live/cctv2/download.ts?"))
            #expect(path.headers["Location"]?.hasSuffix(location) == true)
            for password in ["", "&password=x", "&password=\(token)A"] {
                #expect(try await viewer.get("/timeshift.php?\(query)\(password)").status == 403)
            }
        }
    }

    @Test("What is recorded outside of a token's time is not told: a recording status is cut to it")
    func recordingStatus() async throws {
        try await protecting(Recording()) { viewer async throws in
            viewer.clock.now = at(40)
            let first = at(0).milliseconds / 1000
            let path = try Self.prefix(Self.grant("cctv2", from: 8, to: 24)) + Self.live
            for query in ["", "?from=0", "?from=\(first + 4)&to=\(first + 30)", "?to=now&request=ranges"] {
                let moved = try await viewer.get("\(path)recording_status.json\(query)")
                let kept = query.contains("request") ? "&request=ranges" : ""
                let location =
                    "recording_status.json?from=\(Self.stamp(8))&to=\(Self.stamp(24))\(kept)"
                #expect(moved.status == 302 && moved.headers["Location"] == location, "\(query)")
                let status = try await viewer.get(path + location)
                #expect(
                    status.text
                        == #"[{"stream":"cctv2","ranges":[{"duration":16,"from":\#(first + 8)}]}]"#)
            }
            for query in ["from=\(first + 24)", "to=\(first + 8)", "from=\(first + 30)&to=\(first + 36)"] {
                let status = try await viewer.get("\(path)recording_status.json?\(query)").status
                #expect(status == 403, "\(query)")
            }
            // A token without an end shows what is recorded up to now.
            let open = try Self.prefix(Self.grant("cctv2", from: 30)) + Self.live
            let moved = try await viewer.get("\(open)recording_status.json")
            let query = "from=\(Self.stamp(30))&to=\(Self.stamp(40))"
            #expect(moved.headers["Location"] == "recording_status.json?\(query)")
            let wrong = try await viewer.get("\(open)recording_status.json?from=5&to=4")
            #expect(wrong.isProblem(400) && wrong.problem["parameter"] as? String == "to")
        }
    }

    @Test("In the Xtream Codes API a window of another time is refused at once, in memory")
    func xtreamOtherTime() async throws {
        try await protecting(Recording()) { viewer async throws in
            viewer.clock.slowDown()
            let token = try Self.prefix(Self.grant("cctv2", from: 8, to: 68)).dropFirst(3)
            let begin = at(0).milliseconds / 1000
            let query = "stream=cctv2&duration=1&password=\(token)&start="
            #expect(try await viewer.get("/timeshift.php?\(query)\(begin + 8)").status == 302)
            let before = viewer.catalogue.pool.statementCount
            for other in [begin + 7, begin + 9, begin + 86_400] {
                #expect(try await viewer.get("/timeshift.php?\(query)\(other)").status == 403)
                let path = "/timeshift/me/\(token)/1/\(other)/cctv2.ts"
                #expect(try await viewer.get(path).status == 403)
            }
            #expect(viewer.catalogue.pool.statementCount == before)
        }
    }

    @Test("In the Xtream Codes API an expired or revoked token is no password, in a form neither")
    func xtreamPassword() async throws {
        try await protecting(Recording()) { viewer async throws in
            func post(_ password: Substring) async throws -> ReceivedResponse {
                var request = HTTPRequest(.post, "/player_api.php")
                request.headers = [
                    "Host": "tv.example", "Content-Type": "application/x-www-form-urlencoded",
                ]
                request.body = Array("username=me&password=\(password)&action=get_live_streams".utf8)
                return try await viewer.send(request)
            }
            let revoked = Self.grant("cctv2", number: 9)
            _ = try await viewer.catalogue.enter(IssuedToken(grant: revoked, created: at(0)))
            _ = try await viewer.catalogue.revoke(revoked.id)
            try await viewer.api.access.read(isWhole: false)
            let good = Self.grant("cctv2")
            for (grant, isGood) in [
                (good, true), (Self.grant("cctv2", expires: 100_000), false), (revoked, false),
            ] {
                let token = try Self.prefix(grant).dropFirst(3)
                for path in [
                    "/player_api.php?username=me&password=\(token)", "/xmltv.php?password=\(token)",
                    "/get.php?username=me&password=\(token)", "/live/me/\(token)/cctv2.m3u8",
                    "/me/\(token)/1.m3u8", "/timeshift/me/\(token)/1/\(Self.stamp(8) / 1000)/cctv2.m3u8",
                ] {
                    let status = try await viewer.get(path, ["Host": "tv.example"]).status
                    #expect(isGood ? [200, 302].contains(status) : status == 403, "\(path)")
                }
                let form = try await post(token)
                #expect(form.status == (isGood ? 200 : 403))
                #expect(form.text.contains("cctv2") == isGood)
            }
        }
    }

    @Test(
        "A list has the viewer's token in its URLs and the channels that it is for",
        arguments: ["default", "xc"])
    func lists(flavour: String) async throws {
        try await protected { viewer async throws in
            try await viewer.record(Recording("other"))
            let host: HTTPHeaders = ["Host": "tv.example"]
            let prefix = try Self.prefix(Self.grant("cctv2"))
            let list = try await viewer.get("\(prefix)/iptv/channels.m3u?flavour=\(flavour)", host)
            #expect(list.status == 200 && !list.text.contains("other"))
            #expect(list.text.contains("http://tv.example\(prefix)/iptv/guide.xml"))
            let media =
                flavour == "xc" ? "/live/viewer/\(prefix.dropFirst(3))/" : "\(prefix)/live/cctv2/index.m3u8"
            #expect(list.text.contains("http://tv.example\(media)"), "\(list.text)")
            let all = try await viewer.get("\(try Self.prefix(Self.grant()))/iptv/channels.m3u", host)
            #expect(all.text.contains("other") && all.text.contains("cctv2"))
            let guide = try await viewer.get("\(prefix)/iptv/guide.xml", host)
            #expect(guide.text.contains("cctv2") && !guide.text.contains("other"))
        }
    }

    /// Two variants and audio of their own, of which no two segments begin at the same time.
    ///
    /// The key frame of each begins so much behind its segment: where it stands behind pictures that are
    /// shown before it.
    private static func uneven(milliseconds: Int = 0) -> Recording {
        var recording = Recording(seconds: 0)
        (recording.playlistForm, recording.watermark) = (.multivariant, 40)
        recording.add("v0", from: 0, count: 10, format: .silent)
        (recording.renditions[0].bandwidth, recording.renditions[0].audioGroup) = (5_000_000, "aac")
        recording.add("v1", from: 2.5, count: 9, format: .silent) {
            ($0.bandwidth, $0.audioGroup) = (1_000_000, "aac")
        }
        recording.add("a0", from: 0.25, count: 9, format: .audio) { $0.groupID = "aac" }
        for index in recording.segments.indices where recording.segments[index].rendition.kind == .video {
            recording.segments[index].keyFrames = KeyFrames(
                tableByteCount: 376,
                frames: [KeyFrame(offset: 376, byteCount: 200, milliseconds: milliseconds)])
        }
        return recording
    }

    /// Follows redirects within a channel, and returns the last answer.
    private func followed(
        _ path: String, _ file: String, _ viewer: ViewerFixture
    ) async throws -> ReceivedResponse {
        var answer = try await viewer.get(path + file)
        for _ in 0..<3 {
            guard let next = answer.headers["Location"] else { break }
            answer = try await viewer.get(path + next)
        }
        #expect(answer.status == 200, "\(file)")
        return answer
    }

    @Test(
        "Whatever a playlist names is permitted, also where renditions are cut at other times, and no more",
        arguments: [false, true], [0, 80])
    func uneven(isCanonical: Bool, milliseconds: Int) async throws {
        let recording = Self.uneven(milliseconds: milliseconds)
        try await protecting(recording) { first async throws in
            try await first.withReplica(isCanonical: isCanonical, secrets: [Self.secret]) { viewer in
                try await viewer.api.access.read(isWhole: true)
                let path = try Self.prefix(Self.grant("cctv2", from: 10, to: 22)) + Self.live
                let master = try await followed(path, "index.m3u8?\(Self.window(10, 22))", viewer)
                let quoted = master.text.matches(of: /URI="([^"]*)"/).map { String($0.1) }
                var listed: Set<String> = []
                for uri in master.uris + quoted {
                    let media = try await followed(path, uri, viewer)
                    listed.formUnion(media.uris)
                }
                let names = recording.segments.map {
                    "\($0.rendition)/\(Self.stamp($0.start)).\($0.format.container == .aac ? "aac" : "ts")"
                }
                #expect(listed.count > 10 && listed.isSubset(of: names))
                for name in names {
                    let status = try await viewer.get(path + name).status
                    #expect(status == (listed.contains(name) ? 200 : 403), "\(name)")
                }
                for id in ["v0", "v1"] {
                    let track = try await followed(
                        path, "frames.vtt?\(Self.window(10, 22))&rendition=\(id)&step=1", viewer)
                    let pictures = track.text.split(separator: "\n").filter { $0.hasPrefix("frame.jpg") }
                    #expect(pictures.count >= 16)
                    for picture in pictures {
                        #expect(try await viewer.send(.head, path + picture).status == 200, "\(picture)")
                    }
                    _ = try await followed(
                        path, "download.ts?\(Self.window(10, 22))&rendition=\(id)", viewer)
                }
                for (id, times) in [("v0", [7.999, 24]), ("v1", [2.5, 26.5])] {
                    for time in times {
                        let picture = "frame.jpg?time=\(Self.stamp(time))&rendition=\(id)"
                        #expect(try await viewer.get(path + picture).status == 403, "\(picture)")
                    }
                }
            }
        }
    }

    @Test("A picture in a hole at the begin of a token is not one of before")
    func firstPicture() async throws {
        var recording = Self.uneven()
        recording.segments.removeAll { $0.start == 12 }
        try await protecting(recording) { viewer async throws in
            func picture(_ time: Double, from begin: Double?) async throws -> ReceivedResponse {
                let prefix = try Self.prefix(Self.grant("cctv2", from: begin))
                return try await viewer.get(
                    "\(prefix)\(Self.live)frame.jpg?time=\(Self.stamp(time))&rendition=v0")
            }
            // The picture of 8 is shown within one segment; it is none that could be decoded.
            #expect(try await picture(14, from: 10).problem["detail"] as? String == Self.undecodable)
            let none = try await picture(14, from: 13)
            #expect(none.status == 404 && none.problem["detail"] as? String != Self.undecodable)
            let available = try #require(none.problem["available"] as? [[String: String]])
            #expect(available.first?["begin"] == at(13).rfc3339)
            #expect(try await picture(16, from: 13).problem["detail"] as? String == Self.undecodable)
            #expect(try await picture(12.9, from: 13).status == 403)
        }
    }

    @Test("A picture within the time of a token is told from memory, wherever that time begins and ends")
    func pictureFromMemory() async throws {
        var recording = Self.uneven()
        recording.segments.removeAll { $0.start == 12 }
        try await protecting(recording) { viewer async throws in
            func status(_ time: Double, _ grant: PlaybackGrant) async throws -> Int {
                let picture = "frame.jpg?time=\(Self.stamp(time))&rendition=v0"
                return try await viewer.send(.head, Self.prefix(grant) + Self.live + picture).status
            }
            viewer.clock.slowDown()
            #expect(try await status(20, Self.grant("cctv2")) == 200)
            let before = viewer.catalogue.pool.statementCount
            for index in 0..<100 {
                // Each in another quarter of an hour; those around them hold nothing.
                let away = Double(index * 900)
                let begin = index.isMultiple(of: 2) ? 0 : -5000 - away
                let grant = Self.grant("cctv2", from: begin, to: 10_000 + away)
                // In a hole it is the picture before.
                #expect(try await status(index.isMultiple(of: 3) ? 14 : 20, grant) == 200)
            }
            #expect(viewer.catalogue.pool.statementCount == before)
        }
    }

    private static let undecodable = "there is no picture: the key frame cannot be decoded"
}
