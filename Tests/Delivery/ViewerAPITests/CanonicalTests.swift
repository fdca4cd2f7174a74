import Catalogue
import HTTP
import HTTPSupport
import TestSupport
import Testing
import Timeline

@testable import ViewerAPI

@Suite(.serialized) struct CanonicalTests {
    private static let canonical = "begintime=1469509516000&endtime=1469509536000"

    /// Each segment begins with a key frame, which a thumbnail track needs.
    private static var recording: Recording {
        var recording = Recording()
        for index in recording.segments.indices {
            recording.segments[index].keyFrames = KeyFrames(
                tableByteCount: 376, frames: [KeyFrame(offset: 376, byteCount: 500, milliseconds: 0)])
        }
        return recording
    }

    @Test(
        "Every spelling of a window, and every time within its first and last segment, leads to one URL",
        arguments: [
            "begintime=1469509516&duration=20", "begintime=1469509517500&endtime=1469509534001",
            "utc=1469509518&endtime=1469509536", "endtime=1469509536000&begintime=1469509516000",
            "playseek=20160726050516-20160726050536", "begintime=1469509516000&endtime=1469509536000&x=1",
            "begintime=1469509516000&endtime=1469509536000&strict=false",
        ])
    func spellings(query: String) async throws {
        try await canonical { viewer async throws in
            for file in ["index.m3u8", "master.m3u8", "v0.m3u8", "download.ts", "frames.vtt"] {
                let answer = try await viewer.get("/live/cctv2/\(file)?\(query)")
                #expect(answer.status == 302)
                #expect(answer.headers["Location"] == "\(file)?\(Self.canonical)")
                #expect(answer.headers["Access-Control-Allow-Origin"] == "*")
                let led = try await viewer.get("/live/cctv2/\(file)?\(Self.canonical)")
                #expect(led.status == 200)
            }
        }
    }

    @Test(
        "What is in memory is answered at once under its canonical URL, and others are led there at once",
        arguments: ["index.m3u8", "master.m3u8", "v0.m3u8"])
    func memory(file: String) async throws {
        try await canonical { viewer async throws in
            let path = "/live/cctv2/\(file)?"
            let canonical = path + Self.canonical
            let composed = try await viewer.get(canonical)
            #expect(try await viewer.answersWithoutBlocking(canonical, after: canonical))
            let known = try await viewer.get(canonical)
            #expect(known.body == composed.body && known.headers["ETag"] == composed.headers["ETag"])
            let other = path + "begintime=1469509517&duration=18"
            #expect(try await viewer.answersWithoutBlocking(other, after: canonical))
            let led = try await viewer.get(other)
            #expect(led.status == 302 && led.headers["Location"] == "\(file)?\(Self.canonical)")
            #expect(led.headers["Cache-Control"] == composed.headers["Cache-Control"])
        }
    }

    @Test(
        "A download of what is in memory is led to its canonical URL without being composed",
        arguments: ["download.ts", "download.mp4", "v0-iframes.m3u8"])
    func downloads(file: String) async throws {
        try await canonical { viewer async throws in
            let media = "/live/cctv2/v0.m3u8?\(Self.canonical)"
            #expect(try await viewer.get(media).status == 200)
            let path = "/live/cctv2/\(file)?"
            #expect(
                try await viewer.answersWithoutBlocking(
                    path + "begintime=1469509517&duration=18", after: media))
            let led = try await viewer.get(path + "begintime=1469509517&duration=18")
            #expect(led.status == 302 && led.headers["Location"] == "\(file)?\(Self.canonical)")
            #expect(!viewer.answersWithoutBlocking(path + Self.canonical))
        }
    }

    @Test("The step and the width of a thumbnail track stay in its URL unless they are the usual ones")
    func thumbnails() async throws {
        try await canonical { viewer async throws in
            let path = "/live/cctv2/frames.vtt?width=321&begintime=1469509516&duration=20&step=5"
            let answer = try await viewer.get(path)
            #expect(answer.headers["Location"] == "frames.vtt?\(Self.canonical)&step=5&width=320")
            #expect(try await viewer.get("/live/cctv2/\(answer.headers["Location"] ?? "")").status == 200)
            let usual = try await viewer.get(
                "/live/cctv2/frames.vtt?\(Self.canonical)&step=10&width=160")
            #expect(usual.headers["Location"] == "frames.vtt?\(Self.canonical)")
        }
    }

    @Test("What changes the answer stays in the URL, in one order")
    func options() async throws {
        try await canonical { viewer async throws in
            let answer = try await viewer.get(
                "/live/cctv2/index.m3u8?rendition=v0&strict=true&gaps=tag&tracks=any&begintime=1469509516&duration=20"
            )
            let options = "gaps=tag&tracks=any&strict=true&rendition=v0"
            #expect(answer.headers["Location"] == "index.m3u8?\(Self.canonical)&\(options)")
            let led = try await viewer.get("/live/cctv2/\(answer.headers["Location"] ?? "")")
            #expect(led.status == 200)
        }
    }

    @Test(
        "A rendition that changes nothing does not stay in the URL",
        arguments: [("v0.m3u8", "v0"), ("v0.m3u8", "a0"), ("master.m3u8", "v0"), ("v0-iframes.m3u8", "v0")])
    func idleRendition(file: String, rendition: String) async throws {
        try await canonical { viewer async throws in
            let path = "/live/cctv2/\(file)?\(Self.canonical)"
            for _ in 0..<2 {
                let answer = try await viewer.get(path + "&rendition=\(rendition)")
                #expect(answer.status == 302)
                #expect(answer.headers["Location"] == "\(file)?\(Self.canonical)")
                #expect(try await viewer.get(path).status == 200)
            }
        }
    }

    @Test("A strict window that begins before the recording is not led to one that is whole")
    func strict() async throws {
        try await canonical { viewer async throws in
            for file in ["index.m3u8", "v0.m3u8", "download.ts", "frames.vtt"] {
                let path = "/live/cctv2/\(file)?begintime=1469509000&duration=600"
                #expect(try await viewer.get(path).status == 302, "\(file)")
                #expect(try await viewer.get(path + "&strict=true").status == 409, "\(file)")
            }
        }
    }

    @Test("Growing playlists stay where they are, and so does a window that would become too long")
    func others() async throws {
        try await canonical { viewer async throws in
            for query in ["", "?dvr=30", "?begintime=1469509517&mode=event"] {
                #expect(try await viewer.get("/live/cctv2/index.m3u8\(query)").status == 200)
            }
        }
        try await canonical(maxWindowSeconds: 20) { viewer async throws in
            let path = "/live/cctv2/index.m3u8?begintime=1469509518&duration=20"
            #expect(try await viewer.get(path).status == 200)
        }
    }

    @Test("Segments that begin between two milliseconds lead to a URL that leads nowhere else")
    func fractions() async throws {
        var recording = Recording(seconds: 0)
        for index in 0..<10 { recording.add("v0", from: Double(index) * 3.9999995, count: 1) }
        recording.watermark = 44
        try await canonical(recording) { viewer async throws in
            let first = try await viewer.get("/live/cctv2/index.m3u8?begintime=1469509525&duration=10")
            #expect(first.status == 302)
            let led = try await viewer.get("/live/cctv2/\(first.headers["Location"] ?? "")")
            #expect(led.status == 200)
        }
    }

    /// Two renditions whose segments begin at other times; the leading one lacks eight seconds.
    private static var unequal: Recording {
        var recording = Recording(seconds: 0)
        recording.add("v0", from: 0, count: 3)
        recording.add("v0", from: 20, count: 6)
        recording.add("v1", from: 1, count: 10)
        recording.watermark = 48
        return recording
    }

    @Test(
        "What other renditions hold where the leading one has a hole stays in the window",
        arguments: [
            ("index.m3u8", "begintime=1469509524&duration=6", 8, 17),
            ("index.m3u8", "begintime=1469509530&duration=8", 13, 24),
            ("master.m3u8", "begintime=1469509529&duration=2", 13, 17),
            ("v0.m3u8", "begintime=1469509524&duration=6", 8, 17),
            ("v1.m3u8", "begintime=1469509524&duration=6", 8, 17),
            ("index.m3u8", "begintime=1469509524&duration=6&rendition=v1", 5, 17),
            ("download.ts", "begintime=1469509524&duration=6", 8, 12),
            ("download.ts", "begintime=1469509524&duration=6&rendition=v1", 5, 17),
        ])
    func hole(file: String, query: String, begin: Int, end: Int) async throws {
        try await canonical(Self.unequal) { viewer async throws in
            let window = "begintime=\(1_469_509_516 + begin)000&endtime=\(1_469_509_516 + end)000"
            let rendition = query.contains("rendition") ? "&rendition=v1" : ""
            // The second time from memory.
            for _ in 0..<2 {
                let answer = try await viewer.get("/live/cctv2/\(file)?\(query)")
                #expect(answer.status == 302)
                #expect(answer.headers["Location"] == "\(file)?\(window)\(rendition)")
                #expect(try await viewer.get("/live/cctv2/\(file)?\(window)\(rendition)").status == 200)
            }
        }
    }

    @Test("The playlists of a multivariant one have its window, and count the same discontinuities")
    func children() async throws {
        var recording = Recording(seconds: 0)
        recording.add("v0", from: 0, count: 1)
        recording.add("v0", from: 8, count: 8)
        recording.add("v1", from: 1, count: 10)
        (recording.playlistForm, recording.watermark) = (.multivariant, 40)
        try await canonical(recording) { viewer async throws in
            // Between two segments of one recorded sequence: a discontinuity at its end, too.
            try await viewer.repair("cctv2", at: 4, flags: .spliced)
            let query = "begintime=1469509525&duration=7"
            let moved = try await viewer.get("/live/cctv2/master.m3u8?\(query)")
            let location = try #require(moved.headers["Location"])
            let list = try await viewer.get("/live/cctv2/\(location)")
            #expect(list.uris.count == 2)
            var sequences: [Int: Set<Int>] = [:]
            for uri in list.uris {
                let media = try await viewer.get("/live/cctv2/\(uri)")
                #expect(media.status == 200)
                for (start, sequence) in Self.sequences(media.text) {
                    // Segments of v1 begin a second later.
                    sequences[start / 4 * 4, default: []].insert(sequence)
                }
                let file = uri.prefix { $0 != "?" }
                #expect(
                    try await viewer.get("/live/cctv2/\(file)?\(query)").headers["Location"] == uri)
            }
            #expect(sequences.keys.contains(8) && sequences.keys.contains(12))
            for (start, numbers) in sequences { #expect(numbers.count == 1, "\(start)") }
        }
    }

    /// The discontinuity sequence of each segment of a playlist, by its begin in seconds.
    private static func sequences(_ text: String) -> [Int: Int] {
        var found: [Int: Int] = [:]
        var sequence = 0
        for line in text.split(separator: "\n") {
            if let first = line.firstMatch(of: /^#EXT-X-DISCONTINUITY-SEQUENCE:(\d+)/) {
                sequence = Int(first.1) ?? 0
            }
            if line == "#EXT-X-DISCONTINUITY" { sequence += 1 }
            if let name = line.firstMatch(of: /^v\d\/(\d+)\.ts/), let start = Int(name.1) {
                found[start / 1000 - 1_469_509_516] = sequence
            }
        }
        return found
    }

    @Test("Each window of unequal renditions comes to rest after as many redirects as there are renditions")
    func rest() async throws {
        try await canonical(Self.unequal) { viewer async throws in
            for half in 0..<80 {
                var path = "index.m3u8?begintime=\(1_469_509_516_000 + half * 500)&duration=3.5"
                var redirects = 0
                while redirects < 5,
                    let next = try await viewer.get("/live/cctv2/\(path)").headers["Location"]
                {
                    path = next
                    redirects += 1
                }
                #expect(redirects <= 2, "\(path)")
            }
        }
    }

    @Test("An open end leads to the present end, and a redirect is cached as long as its window")
    func open() async throws {
        try await canonical { viewer async throws in
            let open = try await viewer.get("/live/cctv2/index.m3u8?begintime=1469509516")
            #expect(open.headers["Location"] == "index.m3u8?begintime=1469509516000&endtime=1469509556000")
            #expect(open.headers["Cache-Control"] == "public, max-age=0, s-maxage=2")
            viewer.clock.now = at(600)
            let past = try await viewer.get("/live/cctv2/index.m3u8?begintime=1469509517&duration=4")
            #expect(past.headers["Cache-Control"] == "public, max-age=3600")
        }
    }

    @Test("Without the setting no request is redirected")
    func off() async throws {
        try await ViewerFixture.with { viewer in
            try await viewer.record(Recording())
            #expect(try await viewer.get("/live/cctv2/index.m3u8?utc=1469509517&x=1").status == 200)
        }
    }

    private func canonical(
        _ recording: Recording = Self.recording, maxWindowSeconds: Int64 = 86_400,
        _ body: (ViewerFixture) async throws -> Void
    ) async throws {
        try await ViewerFixture.with { recorder in
            try await recorder.record(recording)
            try await recorder.withReplica(
                isShared: false, isCanonical: true, maxWindowSeconds: maxWindowSeconds, body)
        }
    }
}
