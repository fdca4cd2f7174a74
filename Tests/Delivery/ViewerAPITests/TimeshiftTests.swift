import Catalogue
import HTTP
import HTTPSupport
import TestSupport
import Testing
import Timeline

@testable import ViewerAPI

@Suite(.serialized) struct TimeshiftTests {
    /// The begins of the listed segments, in seconds after the first one.
    private func begins(_ answer: ReceivedResponse) -> [Double] {
        answer.uris.compactMap { uri in
            let name = uri.split(separator: "/").last?.prefix { $0.isNumber } ?? ""
            return Int64(name).map { Double($0 - 1_469_509_516_000) / 1000 }
        }
    }

    @Test("The third-last segment is the one that played then, second by second")
    func thirdLast() async throws {
        try await ViewerFixture.with { viewer in
            try await viewer.record(Recording(seconds: 120))
            for second in stride(from: 120.0, through: 150, by: 1) {
                viewer.clock.now = at(second)
                let answer = try await viewer.get("/live/cctv2/timeshift_rel-60.m3u8")
                let begins = begins(answer)
                #expect(begins.count >= 6)
                #expect(begins.dropLast(2).last == ((second - 60) / 4).rounded(.down) * 4)
                #expect(!answer.text.contains("#EXT-X-ENDLIST"))
            }
        }
    }

    @Test("Near live the playlist ends with the newest segment")
    func live() async throws {
        try await ViewerFixture.with { viewer in
            viewer.clock.now = at(40)
            try await viewer.record(Recording())
            for delay in [0, 1, 8] {
                let answer = try await viewer.get("/live/cctv2/timeshift_rel-\(delay).m3u8")
                #expect(begins(answer).last == 36)
            }
        }
    }

    @Test("In a hole, at its ends and before the first segment, the playlist never goes back")
    func hole() async throws {
        try await ViewerFixture.with { viewer in
            var recording = Recording(seconds: 40)
            recording.add("v0", from: 200, count: 30, sequence: 1)
            recording.watermark = 320
            try await viewer.record(recording)
            var (first, last) = (-1.0, -1.0)
            for second in stride(from: 290.0, through: 620, by: 3) {
                viewer.clock.now = at(second)
                let answer = try await viewer.get("/live/cctv2/timeshift_rel-300.m3u8")
                let begins = begins(answer)
                #expect(answer.status == 200)
                #expect(begins.first ?? -2 >= first && begins.last ?? -2 >= last)
                (first, last) = (begins.first ?? first, begins.last ?? last)
            }
            #expect(last == 316)
        }
    }

    @Test(
        "Where a better variant ends or begins, another one goes on segment by segment",
        arguments: [(0, 25), (200, 50)] as [(Double, Int)])
    func betterVariant(begin: Double, count: Int) async throws {
        try await ViewerFixture.with { viewer in
            var recording = Recording(seconds: 0)
            (recording.playlistForm, recording.watermark) = (.multivariant, 400)
            recording.add("v0", from: begin, count: count) { $0.bandwidth = 5_000_000 }
            recording.add("v1", from: 0, count: 100) { $0.bandwidth = 1_000_000 }
            try await viewer.record(recording)
            var last = Double.infinity
            for second in stride(from: 80.0, through: 220, by: 1) {
                viewer.clock.now = at(second + 60)
                let answer = try await viewer.get("/live/cctv2/v1.m3u8?timeshift=60")
                let begins = begins(answer)
                #expect(begins.dropLast(2).last == (second / 4).rounded(.down) * 4)
                #expect((begins.first ?? .infinity) <= last + 4)
                last = begins.last ?? -1
            }
        }
    }

    @Test("Before anything is recorded nothing is listed")
    func before() async throws {
        try await ViewerFixture.with { viewer in
            viewer.clock.now = at(40)
            try await viewer.record(Recording())
            let answer = try await viewer.get("/live/cctv2/timeshift_rel-3600.m3u8")
            #expect(answer.isProblem(404))
            #expect((answer.problem["available"] as? [Any])?.count == 1)
        }
    }

    @Test("The renditions of a multivariant playlist start at the same time")
    func multivariant() async throws {
        try await ViewerFixture.with { viewer in
            var recording = Recording(seconds: 120)
            recording.playlistForm = .multivariant
            recording.add("a0", from: 0, count: 30, format: .audio) { $0.groupID = "aac" }
            try await viewer.record(recording)
            viewer.clock.now = at(120)
            let answer = try await viewer.get("/live/cctv2/timeshift_rel-60.m3u8")
            #expect(answer.uris == ["v0.m3u8?timeshift=60"])
            #expect(answer.text.contains("URI=\"a0.m3u8?timeshift=60\""))
            for id in ["v0", "a0"] {
                let media = try await viewer.get("/live/cctv2/\(id).m3u8?timeshift=60")
                #expect(begins(media).dropLast(2).last == 60)
            }
        }
    }

    @Test(
        "A playlist from an instant on leads to the one that starts as long ago, with its query",
        arguments: ["", "index-", "video-", "mono-"], ["token=abc", "event=true"])
    func since(prefix: String, query: String) async throws {
        try await ViewerFixture.with { viewer in
            try await viewer.record(Recording(seconds: 120))
            viewer.clock.now = at(120.5)
            let answer = try await viewer.get(
                "/live/cctv2/\(prefix)timeshift_abs-1469509576.m3u8?\(query)")
            #expect(answer.status == 302)
            let location = try #require(answer.headers["Location"])
            #expect(location == "master.m3u8?timeshift=60.5&\(query)")
            #expect(answer.headers["Cache-Control"] == "no-store")
            // What a player loads again is another URL than the one that was redirected.
            let list = try await viewer.get("/live/cctv2/\(location)")
            let media = try #require(list.text.split(separator: "\n").last)
            #expect(media.hasPrefix("v0.m3u8?"))
            #expect(begins(try await viewer.get("/live/cctv2/\(media)")).dropLast(2).last == 60)
            viewer.clock.now = at(128.5)
            #expect(begins(try await viewer.get("/live/cctv2/\(media)")).dropLast(2).last == 68)
        }
    }
}
