import Concurrency
import Digest
import Foundation
import HLS
import HTTPSupport
import Synchronization
import TestSupport
import Testing

@testable import Downloader

@Suite("Playlists of less usual forms", .timeLimit(.minutes(30)))
struct PlaylistFormTests {
    /// Segments of a transport stream that are not encrypted.
    private func clear(_ origin: FaultyOrigin, _ count: Int) throws -> [[UInt8]] {
        try origin.segments().prefix(count).map { try #require(origin.bytes($0)) }
    }

    private func encrypted(_ bytes: [UInt8], _ key: [UInt8], vector: [UInt8]) throws -> [UInt8] {
        var cipher = try AES128CBC(.encrypt, key: key, iv: vector)
        return try cipher.update(bytes) + cipher.finish()
    }

    /// The IV of a segment whose key names none: its media sequence number (RFC 8216, 5.2).
    private func vector(_ number: UInt8) -> [UInt8] { [UInt8](repeating: 0, count: 15) + [number] }

    @Test(
        "Keys that change, also in the playlist itself, open the segments that they are for",
        arguments: [false, true])
    func keys(decrypts: Bool) async throws {
        try await FaultyOrigin.run { origin in
            try await origin.serve(.transportStream)
            let clear = try clear(origin, 5)
            let (first, second) = ([UInt8](repeating: 7, count: 16), [UInt8](repeating: 9, count: 16))
            origin.serve("/vod/first.key", first)
            let own = [UInt8](repeating: 0xAB, count: 16)
            let bodies = [
                try encrypted(clear[0], first, vector: vector(7)),
                try encrypted(clear[1], first, vector: vector(8)),
                try encrypted(clear[2], second, vector: vector(9)),
                try encrypted(clear[3], second, vector: own), clear[4],
            ]
            for (index, body) in bodies.enumerated() { origin.serve("/vod/e\(index).ts", body) }
            let data = "data:application/octet-stream;base64,\(Data(second).base64EncodedString())"
            origin.serve(
                "/vod/keys.m3u8",
                """
                #EXTM3U
                #EXT-X-TARGETDURATION:1
                #EXT-X-MEDIA-SEQUENCE:7
                #EXT-X-KEY:METHOD=AES-128,URI="first.key"
                #EXTINF:1,
                e0.ts
                #EXTINF:1,
                e1.ts
                #EXT-X-KEY:METHOD=AES-128,URI="\(data)"
                #EXTINF:1,
                e2.ts
                #EXT-X-KEY:METHOD=AES-128,URI="\(data)",IV=0xABABABABABABABABABABABABABABABAB
                #EXTINF:1,
                e3.ts
                #EXT-X-KEY:METHOD=NONE
                #EXTINF:1,
                e4.ts
                #EXT-X-ENDLIST

                """)
            let downloading = try Downloading()
            var request = origin.request("/vod/keys.m3u8")
            request.decrypts = decrypts
            let task = try await downloading.run(request)
            #expect(task.state == .completed, "\(task.error?.detail ?? "")")
            for (index, body) in (decrypts ? clear : bodies).enumerated() {
                #expect(try downloading.bytes("task", "v0/0000\(index + 1).ts") == body)
            }
            let kept = try downloading.files("task").filter { $0.key.hasPrefix("keys/") }
            #expect(Set(kept.values) == (decrypts ? [] : [first, second]))
            #expect(origin.requests(for: "/vod/first.key").count == 1)
            #expect(try await downloading.playing("task").isEmpty)
        }
    }

    @Test("Discontinuities, gaps, dates and variables of the source keep their meaning")
    func tags() async throws {
        try await FaultyOrigin.run { origin in
            try await origin.serve(.transportStream)
            let names = origin.segments().prefix(3).map { $0.dropFirst("/vod/".count) }
            origin.serve(
                "/vod/tags.m3u8",
                """
                #EXTM3U
                #EXT-X-VERSION:8
                #EXT-X-DEFINE:NAME="part",VALUE="index"
                #EXT-X-TARGETDURATION:1
                #EXT-X-PROGRAM-DATE-TIME:2026-11-22T20:15:00.000Z
                #EXTINF:1,
                \(names[0].replacing("index", with: "{$part}"))
                #EXTINF:1,
                #EXT-X-GAP
                lost.ts
                #EXT-X-DISCONTINUITY
                #EXTINF:1,
                \(names[1])
                #EXTINF:1,
                \(names[2])
                #EXT-X-ENDLIST

                """)
            let downloading = try Downloading()
            let task = try await downloading.run(origin.request("/vod/tags.m3u8"))
            #expect(task.state == .completed, "\(task.error?.detail ?? "")")
            #expect(task.notes == ["1 s of it are missing at the source"])
            #expect(origin.requests(for: "/vod/lost.ts").isEmpty)
            let text = String(decoding: try downloading.bytes("task", "index.m3u8"), as: UTF8.self)
            #expect(!text.contains("{$"))
            let playlist = try readMedia(text)
            #expect(playlist.segments.map(\.isGap) == [false, true, false, false])
            #expect(playlist.segments.map(\.discontinuityCount) == [0, 0, 1, 0])
            #expect(text.contains("#EXT-X-PROGRAM-DATE-TIME:2026-11-22T20:15:00"))
            for (index, segment) in playlist.segments.enumerated() where !segment.isGap {
                let source = names[index > 1 ? index - 1 : index]
                #expect(try downloading.bytes("task", segment.uri) == origin.bytes("/vod/\(source)"))
            }
        }
    }

    @Test("What a window lacks is told, of what was asked for as a whole")
    func window() async throws {
        try await FaultyOrigin.run(serving: .transportStream) { origin in
            origin.add(
                [
                    "Backcast-Window": "2026-11-22T20:15:00.000Z/2026-11-22T20:16:00.000Z",
                    "Backcast-Missing-Seconds": "12.340", "Backcast-Next": "2026-11-22T20:16:00.000Z",
                ], to: "/vod/index.m3u8")
            let downloading = try Downloading()
            var request = origin.request()
            (request.begin, request.duration) = ("2026-11-22T20:15:00Z", "120")
            let task = try await downloading.run(request)
            #expect(task.state == .completed, "\(task.error?.detail ?? "")")
            #expect(
                task.notes == [
                    "12.3 s of it are missing at the source",
                    "the channel goes on in another form at 2026-11-22T20:16:00.000Z: take the rest with "
                        + "--begin 2026-11-22T20:16:00.000Z",
                ])
            request.id = "part"
            request.range = TimeRange("0-2")
            #expect(try await downloading.run(request).notes == nil)
        }
    }

    @Test("A window that grows is judged when it has ended")
    func growingWindow() async throws {
        try await FaultyOrigin.run(serving: .transportStream) { origin in
            let whole = try #require(origin.bytes("/vod/index.m3u8"))
            let fields = { ["Backcast-Window": "a/b", "Backcast-Missing-Seconds": $0] }
            origin.reopen("/vod/index.m3u8")
            origin.add(fields("0"), to: "/vod/index.m3u8")
            let downloading = try Downloading()
            let request = origin.request()
            let running = Task { try await downloading.run(request, clock: .system) }
            let last = downloading.path("task", "v0/00006.ts")
            try await eventually("the last segment") { FileManager.default.fileExists(atPath: last) }
            origin.add(fields("4"), to: "/vod/index.m3u8")
            origin.serve("/vod/index.m3u8", whole)
            #expect(try await running.value.notes == ["4 s of it are missing at the source"])
        }
    }

    @Test(
        "A start point stays where it is the same place in what was taken",
        arguments: [
            (false, "2.5", nil, true), (true, "1", nil, true), (true, "-3", nil, false),
            (true, "4", nil, false), (false, "2.5", "2-5", false), (false, "20", nil, false),
        ] as [(Bool, String, String?, Bool)])
    func start(isLive: Bool, offset: String, range: String?, isKept: Bool) async throws {
        try await FaultyOrigin.run(serving: .transportStream) { origin in
            let text = String(decoding: try #require(origin.bytes("/vod/index.m3u8")), as: UTF8.self)
            let tag = "#EXT-X-START:TIME-OFFSET=\(offset)"
            let listed = text.replacing("#EXTM3U", with: "#EXTM3U\n\(tag)")
            origin.serve("/vod/list.m3u8", listed)
            if isLive { origin.reopen("/vod/list.m3u8") }
            let master = [
                "#EXTM3U", tag,
                "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"a\",NAME=\"a\",DEFAULT=YES,URI=\"second.m3u8\"",
                "#EXT-X-STREAM-INF:BANDWIDTH=1000,AUDIO=\"a\"", "list.m3u8", "",
            ].joined(separator: "\n")
            origin.serve("/vod/second.m3u8", try #require(origin.bytes("/vod/list.m3u8")))
            origin.serve("/vod/master.m3u8", master)
            for path in ["/vod/list.m3u8", "/vod/master.m3u8"] {
                let downloading = try Downloading()
                var request = origin.request(path)
                request.duration = isLive ? "3" : nil
                request.range = range.flatMap { TimeRange($0) }
                let task = try await downloading.run(request)
                #expect(task.state == .completed, "\(task.error?.detail ?? "")")
                let lists = try downloading.files("task").filter { $0.key.hasSuffix(".m3u8") }
                #expect(lists.count == (path == "/vod/list.m3u8" ? 1 : 3))
                for (name, bytes) in lists {
                    let text = String(decoding: bytes, as: UTF8.self)
                    #expect(text.contains("#EXT-X-START") == isKept, "\(name): \(text)")
                }
            }
        }
    }

    @Test(
        "What the multivariant playlist says of its only rendition is in the media playlist",
        arguments: [false, true])
    func onlyRendition(isLive: Bool) async throws {
        try await FaultyOrigin.run(serving: .transportStream) { origin in
            if isLive { origin.reopen("/vod/index.m3u8") }
            let master = [
                "#EXTM3U", "#EXT-X-INDEPENDENT-SEGMENTS", "#EXT-X-START:TIME-OFFSET=1,PRECISE=YES",
                "#EXT-X-STREAM-INF:BANDWIDTH=1000", "index.m3u8", "",
            ]
            origin.serve("/vod/master.m3u8", master.joined(separator: "\n"))
            let downloading = try Downloading()
            var request = origin.request("/vod/master.m3u8")
            request.duration = isLive ? "3" : nil
            let task = try await downloading.run(request)
            #expect(task.state == .completed, "\(task.error?.detail ?? "")")
            let playlist = try readMedia(
                String(decoding: try downloading.bytes("task", "index.m3u8"), as: UTF8.self))
            #expect(playlist.start == StartPoint(offsetMicroseconds: 1_000_000, isPrecise: true))
            #expect(playlist.isIndependentSegments)
        }
    }

    @Test("A start point in front of a range is not there either while parts are missing")
    func startOfRange() async throws {
        try await FaultyOrigin.run(serving: .separateAudio) { origin in
            let text = String(decoding: try #require(origin.bytes("/vod/index.m3u8")), as: UTF8.self)
            let master = text.replacing("#EXTM3U", with: "#EXTM3U\n#EXT-X-START:TIME-OFFSET=2.5")
            origin.serve("/vod/master.m3u8", master)
            origin.fail("/vod/video3.ts", Array(repeating: .status(500), count: Limits.attempts))
            let downloading = try Downloading()
            var request = origin.request("/vod/master.m3u8")
            request.range = TimeRange("2-5")
            #expect(try await downloading.run(request).state == .failed)
            let index = String(decoding: try downloading.bytes("task", "index.m3u8"), as: UTF8.self)
            #expect(index.contains("#EXT-X-STREAM-INF") && !index.contains("#EXT-X-START"))
        }
    }

    @Test("A playlist of type VOD that lacks its end is whole when it stands still", arguments: [nil, "2-4"])
    func withoutEnd(range: String?) async throws {
        try await FaultyOrigin.run(serving: .transportStream) { origin in
            let text = String(decoding: try #require(origin.bytes("/vod/index.m3u8")), as: UTF8.self)
            #expect(text.contains("#EXT-X-PLAYLIST-TYPE:VOD\n"))
            origin.serve("/vod/open.m3u8", text.replacing("#EXT-X-ENDLIST\n", with: ""))
            let downloading = try Downloading()
            var request = origin.request("/vod/open.m3u8")
            request.range = range.flatMap { TimeRange($0) }
            let task = try await downloading.run(request)
            #expect(task.state == .completed, "\(task.error?.detail ?? "")")
            #expect(task.notes == nil)
            if range == nil { return _ = try downloading.expectSegments(of: origin) }
            let playlist = try readMedia(
                String(decoding: try downloading.bytes("task", "index.m3u8"), as: UTF8.self))
            #expect(playlist.isEnded && playlist.segments.count == 2)
        }
    }

    @Test("A playlist of type VOD that grows is read until it stands still for long")
    func growing() async throws {
        try await FaultyOrigin.run(serving: .transportStream) { origin in
            let segments = origin.segments()
            // It stalls for less than an hour after each segment.
            origin.serve("/vod/open.m3u8") { count in
                let head = ["#EXTM3U", "#EXT-X-TARGETDURATION:60", "#EXT-X-PLAYLIST-TYPE:VOD"]
                let listed = segments.prefix((count + 76) / 40).flatMap { ["#EXTINF:1,", $0] }
                return (head + listed + [""]).joined(separator: "\n")
            }
            let downloading = try Downloading()
            let task = try await downloading.run(origin.request("/vod/open.m3u8"))
            #expect(task.state == .completed, "\(task.error?.detail ?? "")")
            try downloading.expectSegments(of: origin)
        }
    }

    @Test(
        "A playlist of type VOD that has grown gets as much time after another start",
        arguments: [true, false])
    func grownBefore(isSeen: Bool) async throws {
        try await FaultyOrigin.run(serving: .transportStream) { origin in
            let segments = origin.segments()
            let readings = Mutex(0)
            let before = Mutex<Int?>(nil)
            origin.serve("/vod/open.m3u8") { count in
                readings.withLock { $0 = count }
                let listed =
                    switch before.withLock(\.self) {
                    case let before?: count - before < 40 ? 3 : segments.count
                    // It grows while it is followed, after two readings, or only afterwards.
                    case nil: isSeen && count > 2 ? 3 : 2
                    }
                let head = ["#EXTM3U", "#EXT-X-TARGETDURATION:60", "#EXT-X-PLAYLIST-TYPE:VOD"]
                let lines = segments.prefix(listed).flatMap { ["#EXTINF:1,", $0] }
                return (head + lines + [""]).joined(separator: "\n")
            }
            origin.fail(
                segments[isSeen ? 2 : 1], Array(repeating: .status(500), count: Limits.attempts))
            let downloading = try Downloading()
            #expect(try await downloading.run(origin.request("/vod/open.m3u8")).state == .failed)
            before.withLock { $0 = readings.withLock(\.self) }
            let task = try await downloading.run(origin.request("/vod/open.m3u8"))
            #expect(task.state == .completed, "\(task.error?.detail ?? "")")
            try downloading.expectSegments(of: origin)
        }
    }

    @Test(
        "A stop pauses a playlist of type VOD that lacks its end, and one that has grown and ended since",
        arguments: [false, true])
    func paused(hasGrown: Bool) async throws {
        try await FaultyOrigin.run(serving: .transportStream) { origin in
            let text = String(decoding: try #require(origin.bytes("/vod/index.m3u8")), as: UTF8.self)
            let open = text.replacing("#EXT-X-ENDLIST\n", with: "")
            let begin = text.split(separator: "#EXTINF").prefix(4).joined(separator: "#EXTINF")
            let event = begin.replacing("TYPE:VOD", with: "TYPE:EVENT")
            // The first two readings are those of the start.
            origin.serve("/vod/open.m3u8") { count in !hasGrown ? open : count <= 2 ? event : text }
            origin.fail(origin.segments()[5], Array(repeating: .held(after: 1000), count: 20))
            let downloading = try Downloading()
            let request = origin.request("/vod/open.m3u8")
            let running = Task { try await downloading.run(request, clock: .system) }
            try await downloading.reached((1...5).map { "v0/0000\($0).ts" })
            running.cancel()
            let task = try await running.value
            #expect(task.state == .paused && task.error == nil)
            origin.release()
            #expect(try await downloading.run(request).state == .completed)
            try downloading.expectSegments(of: origin)
        }
    }

    @Test(
        "A rendition that never ends does not hold up one that has ended, but may catch up with it",
        arguments: [false, true])
    func unequalEnds(isLate: Bool) async throws {
        try await FaultyOrigin.run(serving: .separateAudio) { origin in
            origin.reopen("/vod/audio.m3u8")
            let audioText = String(decoding: try #require(origin.bytes("/vod/audio.m3u8")), as: UTF8.self)
            let text = audioText.replacing("TARGETDURATION:2", with: "TARGETDURATION:1")
            let begin = text.split(separator: "#EXTINF").prefix(2).joined(separator: "#EXTINF")
            origin.serve("/vod/audio.m3u8") { count in isLate && count < 60 ? begin : text }
            let downloading = try Downloading()
            let task = try await downloading.run(origin.request())
            #expect(task.state == .completed, "\(task.error?.detail ?? "")")
            let audio = try readMedia(
                String(decoding: try downloading.bytes("task", "a0.m3u8"), as: UTF8.self))
            #expect(audio.isEnded && audio.segments.count == text.split(separator: "#EXTINF").count - 1)
        }
    }

    @Test("A live playlist is recorded for as long as was asked for")
    func liveDuration() async throws {
        try await FaultyOrigin.run { origin in
            try await origin.serve(.transportStream)
            origin.reopen("/vod/index.m3u8")
            let downloading = try Downloading()
            var request = origin.request()
            request.duration = "2.5"
            let task = try await downloading.run(request)
            #expect(task.state == .completed, "\(task.error?.detail ?? "")")
            #expect(origin.segments().map { origin.requests(for: $0).count } == [1, 1, 1, 0, 0, 0])
            let playlist = try readMedia(
                String(decoding: try downloading.bytes("task", "index.m3u8"), as: UTF8.self))
            #expect(playlist.isEnded && playlist.segments.count == 3)
            #expect(try await downloading.playing("task").isEmpty)
        }
    }
}
