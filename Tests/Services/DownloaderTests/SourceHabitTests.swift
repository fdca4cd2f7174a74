import HLS
import HTTPSupport
import TestSupport
import Testing

@testable import Downloader

@Suite("Sources that answer otherwise than they are asked", .timeLimit(.minutes(30)))
struct SourceHabitTests {
    @Test("Byte ranges come from a server that always sends the whole file, however long that is")
    func noRanges() async throws {
        try await FaultyOrigin.run(serving: .fragmentedMP4) { origin in
            let text = String(decoding: try #require(origin.bytes("/vod/index.m3u8")), as: UTF8.self)
            let map = try #require(try readMedia(text).segments[0].map)
            let section = try #require(origin.bytes("/vod/\(map.uri)"))
            let parts = origin.segments().compactMap { origin.bytes($0) }
            // More than an initialization section may have.
            let free = [0, 0x20, 0, 0] + Array("free".utf8) + [UInt8](repeating: 0, count: (2 << 20) - 8)
            var (file, lines) = (section + free, [String]())
            for part in parts {
                lines += ["#EXTINF:1,", "#EXT-X-BYTERANGE:\(part.count)@\(file.count)", "film.mp4"]
                file += part
            }
            let head = [
                "#EXTM3U", "#EXT-X-VERSION:7", "#EXT-X-TARGETDURATION:1",
                "#EXT-X-MAP:URI=\"film.mp4\",BYTERANGE=\"\(section.count)@0\"",
            ]
            origin.serve(
                "/vod/ranges.m3u8", (head + lines + ["#EXT-X-ENDLIST", ""]).joined(separator: "\n"))
            origin.serve("/vod/film.mp4", file)
            origin.fail("/vod/film.mp4", Array(repeating: .garbled(after: .max), count: 100))
            let downloading = try Downloading()
            let task = try await downloading.run(origin.request("/vod/ranges.m3u8"))
            #expect(task.state == .completed, "\(task.error?.detail ?? "")")
            #expect(try downloading.bytes("task", "v0/init-1.mp4") == section)
            for (index, part) in parts.enumerated() {
                #expect(try downloading.bytes("task", "v0/0000\(index + 1).m4s") == part)
            }
            #expect(origin.requests(for: "/vod/film.mp4").count == 1 + parts.count)
        }
    }

    @Test("A byte range that is longer than a part may be is not asked for")
    func longRange() async throws {
        try await FaultyOrigin.run(serving: .fragmentedMP4) { origin in
            let lines = [
                "#EXTM3U", "#EXT-X-VERSION:7", "#EXT-X-TARGETDURATION:1",
                "#EXT-X-MAP:URI=\"film.mp4\",BYTERANGE=\"2000000@0\"", "#EXTINF:1,", origin.segments()[0],
            ]
            origin.serve("/vod/long.m3u8", (lines + ["#EXT-X-ENDLIST", ""]).joined(separator: "\n"))
            let task = try await Downloading().run(origin.request("/vod/long.m3u8"))
            #expect(task.state == .failed)
            #expect(task.error?.detail.hasPrefix("v0/init-1.mp4: the byte range is longer") ?? false)
            #expect(origin.requests(for: "/vod/film.mp4").isEmpty)
        }
    }

    @Test("A playlist that is compressed without saying so is read", arguments: ["index", "master"])
    func compressed(name: String) async throws {
        try await FaultyOrigin.run(serving: .transportStream) { origin in
            origin.serve("/vod/gzip.m3u8", try gzip(try #require(origin.bytes("/vod/index.m3u8"))))
            origin.serve("/vod/master.m3u8", "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1000\ngzip.m3u8\n")
            let downloading = try Downloading()
            let path = name == "index" ? "/vod/gzip.m3u8" : "/vod/master.m3u8"
            let task = try await downloading.run(origin.request(path))
            #expect(task.state == .completed, "\(task.error?.detail ?? "")")
            try downloading.expectSegments(of: origin)
        }
    }

    @Test(
        "Parts that are compressed though that was not asked for are stored as they were before",
        arguments: [SampleStreams.Kind.fragmentedMP4, .separateAudio], [true, false])
    func compressedParts(kind: SampleStreams.Kind, isNamed: Bool) async throws {
        try await FaultyOrigin.run(serving: kind) { origin in
            let path = kind == .separateAudio ? "/vod/words.m3u8" : "/vod/index.m3u8"
            let source = try readMedia(String(decoding: try #require(origin.bytes(path)), as: UTF8.self))
            var plain: [String: [UInt8]] = [:]
            for name in Set(source.segments.map(\.uri) + source.segments.compactMap(\.map?.uri)) {
                let bytes = try #require(origin.bytes("/vod/\(name)"))
                plain[name] = bytes
                origin.serve("/vod/\(name)", try gzip(bytes))
                if isNamed { origin.add(["Content-Encoding": "gzip"], to: "/vod/\(name)") }
            }
            let cut = "/vod/\(source.segments[1].uri)"
            origin.fail(cut, [.cut(after: 20)])
            let downloading = try Downloading()
            let task = try await downloading.run(origin.request(path))
            #expect(task.state == .completed, "\(task.error?.detail ?? "")")
            let playlist = try readMedia(
                String(decoding: downloading.bytes("task", "index.m3u8"), as: UTF8.self))
            #expect(playlist.segments.count == source.segments.count)
            for (segment, listed) in zip(playlist.segments, source.segments) {
                #expect(try downloading.bytes("task", segment.uri) == plain[listed.uri])
                guard let map = segment.map, let section = listed.map else { continue }
                #expect(try downloading.bytes("task", map.uri) == plain[section.uri])
            }
            // The rest of compressed bytes is not asked for.
            #expect(origin.requests(for: cut).map(\.range) == [nil, nil])
        }
    }
    @Test(
        "Files may come as 203 from a proxy, or as a range that is the whole file",
        arguments: [(203, 0, true), (206, 0, true), (206, 1, false)])
    func otherStatus(status: Int, missing: Int, isTaken: Bool) async throws {
        let names = try await SampleStreams.files(.encrypted).keys
        try await FaultyOrigin.run(serving: .encrypted) { origin in
            for path in names.map({ "/vod/\($0)" }) {
                let count = try #require(origin.bytes(path)).count
                let range = ["Content-Range": "bytes 0-\(count - 1)/\(count + missing)"]
                let answer = FaultyOrigin.Fault.whole(status, status == 206 ? range : [:])
                origin.fail(path, Array(repeating: answer, count: 20))
            }
            let downloading = try Downloading()
            let task = try await downloading.run(origin.request())
            #expect((task.state == .completed) == isTaken, "\(task.error?.detail ?? "")")
            if isTaken { try downloading.expectSegments(of: origin) }
        }
    }
}
