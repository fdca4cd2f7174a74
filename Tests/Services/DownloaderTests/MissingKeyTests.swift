import Digest
import Foundation
import HLS
import HTTPSupport
import TestSupport
import Testing

@testable import Downloader

@Suite("Keys that cannot be had", .timeLimit(.minutes(30)))
struct MissingKeyTests {
    @Test("A missing or wrong key fails the task, and the error names the key")
    func keys() async throws {
        for key in [[UInt8](), Array("<html>".utf8), [UInt8](repeating: 0x20, count: 1 << 20)] {
            try await FaultyOrigin.run { origin in
                try await origin.serve(.encrypted)
                origin.serve("/vod/secret.key", key)
                let downloading = try Downloading()
                let task = try await downloading.run(origin.request())
                #expect(task.state == .failed)
                let detail = task.error?.detail ?? ""
                #expect(detail.hasPrefix("the key \(origin.url("/vod/secret.key")) "), "\(detail)")
                #expect(task.segmentsDone == 0)
            }
        }
    }

    @Test("A key whose request is called wrong is named", arguments: [400, 421])
    func calledWrong(status: Int) async throws {
        try await FaultyOrigin.run(serving: .encrypted) { origin in
            origin.fail("/vod/secret.key", Array(repeating: .status(status), count: 20))
            let task = try await Downloading().run(origin.request())
            #expect(task.state == .failed && task.error?.title == "Key missing")
            let detail = task.error?.detail ?? ""
            #expect(detail.hasPrefix("the key ") && detail.hasSuffix("status \(status)"), "\(detail)")
        }
    }

    @Test("A key behind the end of what is taken is not asked for")
    func laterKey() async throws {
        try await FaultyOrigin.run(serving: .encrypted) { origin in
            list(origin, [0: "secret.key", 1: "secret.key", 2: "second.key"], isEnded: true)
            var request = origin.request("/vod/live.m3u8")
            request.duration = "2"
            let task = try await Downloading().run(request)
            #expect(task.state == .completed, "\(task.error?.detail ?? "")")
            #expect(task.segmentsTotal == 2)
            #expect(origin.requests(for: "/vod/second.key").isEmpty)
        }
    }

    @Test("The key of segments that are stored clear is not asked for again")
    func usedKey() async throws {
        try await FaultyOrigin.run(serving: .encrypted) { origin in
            origin.serve("/vod/first.key", try #require(origin.bytes("/vod/secret.key")))
            let keys = ["first.key", "first.key", "first.key", "secret.key"]
            let numbered = keys.enumerated().map { ($0.offset, $0.element) }
            list(origin, Dictionary(uniqueKeysWithValues: numbered), isEnded: true)
            origin.fail(origin.segments()[3], Array(repeating: .status(500), count: Limits.attempts))
            var downloading = try Downloading()
            downloading.options.parallel = 1
            var request = origin.request("/vod/live.m3u8")
            request.decrypts = true
            let failed = try await downloading.run(request)
            #expect(failed.state == .failed && failed.segmentsDone == 3)
            origin.fail("/vod/first.key", Array(repeating: .status(404), count: 100))
            let task = try await downloading.run(request)
            #expect(task.state == .completed, "\(task.error?.detail ?? "")")
            #expect(origin.requests(for: "/vod/first.key").count == 1)
        }
    }

    /// Serves `/vod/live.m3u8`: fragmented MP4 whose initialization section alone has the key `own.key`; the
    /// segment `last.m4s` has the key `later.key`.
    private func serveSectionKey(_ origin: FaultyOrigin, from number: Int, _ lines: [String]) throws {
        let text = String(decoding: try #require(origin.bytes("/vod/index.m3u8")), as: UTF8.self)
        let map = try #require(try readMedia(text).segments[0].map)
        let vector = [UInt8](repeating: 0, count: 16)
        func encrypted(_ path: String, _ key: [UInt8]) throws -> [UInt8] {
            var cipher = try AES128CBC(.encrypt, key: key, iv: vector)
            return try cipher.update(try #require(origin.bytes(path))) + cipher.finish()
        }
        origin.serve("/vod/own.key", Self.own)
        origin.serve("/vod/later.key", Self.later)
        origin.serve("/vod/init.enc", try encrypted("/vod/\(map.uri)", Self.own))
        origin.serve("/vod/last.m4s", try encrypted(origin.segments()[2], Self.later))
        let head = [
            "#EXTM3U", "#EXT-X-VERSION:7", "#EXT-X-TARGETDURATION:1", "#EXT-X-MEDIA-SEQUENCE:\(number)",
            "#EXT-X-KEY:METHOD=AES-128,URI=\"own.key\",IV=0x\(Self.zeros)", "#EXT-X-MAP:URI=\"init.enc\"",
        ]
        origin.serve("/vod/live.m3u8", (head + lines + [""]).joined(separator: "\n"))
    }

    private static let own = [UInt8](repeating: 7, count: 16)
    private static let later = [UInt8](repeating: 9, count: 16)
    private static let zeros = String(repeating: "0", count: 32)

    @Test("A key that comes later never gets the file of the key of an initialization section")
    func sectionKey() async throws {
        try await FaultyOrigin.run(serving: .fragmentedMP4) { origin in
            let names = origin.segments()
            let listed = names.prefix(2).flatMap { ["#EXTINF:1,", $0] }
            try serveSectionKey(origin, from: 0, ["#EXT-X-KEY:METHOD=NONE"] + listed)
            origin.fail(names[1], Array(repeating: .status(500), count: Limits.attempts))
            let downloading = try Downloading()
            #expect(try await downloading.run(origin.request("/vod/live.m3u8")).state == .failed)
            let key = "#EXT-X-KEY:METHOD=AES-128,URI=\"later.key\",IV=0x\(Self.zeros)"
            try serveSectionKey(origin, from: 2, [key, "#EXTINF:1,", "last.m4s", "#EXT-X-ENDLIST"])
            let task = try await downloading.run(origin.request("/vod/live.m3u8"))
            #expect(task.state == .completed, "\(task.error?.detail ?? "")")
            let playlist = try readMedia(
                String(decoding: downloading.bytes("task", "index.m3u8"), as: UTF8.self))
            let uri = try #require(playlist.segments.last?.keys.first?.uri)
            #expect(try downloading.bytes("task", uri) == Self.later)
        }
    }

    @Test(
        "The key of an initialization section that is there is not asked for again", arguments: [false, true])
    func keptSectionKey(isClear: Bool) async throws {
        try await FaultyOrigin.run(serving: .fragmentedMP4) { origin in
            let names = origin.segments()
            let listed = names.flatMap { ["#EXTINF:1,", $0] }
            try serveSectionKey(origin, from: 0, ["#EXT-X-KEY:METHOD=NONE"] + listed + ["#EXT-X-ENDLIST"])
            origin.fail(names[3], Array(repeating: .status(500), count: Limits.attempts))
            let downloading = try Downloading()
            var request = origin.request("/vod/live.m3u8")
            request.decrypts = isClear
            #expect(try await downloading.run(request).state == .failed)
            origin.fail("/vod/own.key", Array(repeating: .status(404), count: 100))
            let task = try await downloading.run(request)
            #expect(task.state == .completed, "\(task.error?.detail ?? "")")
            #expect(origin.requests(for: "/vod/own.key").count == 1)
            let keys = try downloading.files("task").filter { $0.key.hasPrefix("keys/") }
            #expect(keys == (isClear ? [:] : ["keys/1.key": Self.own]))
            #expect(try await downloading.playing("task").isEmpty)
        }
    }

    @Test("The name of a key in an error has neither query nor token, and fits a line")
    func keyName() async throws {
        try await FaultyOrigin.run { origin in
            try await origin.serve(.encrypted)
            let path = "/t/token/live/" + String(repeating: "long/", count: 200) + "2.key"
            let text = String(decoding: try #require(origin.bytes("/vod/index.m3u8")), as: UTF8.self)
            origin.serve("/vod/index.m3u8", text.replacing("secret.key", with: "\(path)?secret=1"))
            let detail = try await Downloading().run(origin.request()).error?.detail ?? ""
            #expect(detail.contains("…") && detail.contains("/2.key cannot be fetched"), "\(detail)")
            #expect(!detail.contains("secret") && !detail.contains("token") && detail.count < 300)
        }
    }

    /// Serves a live playlist of some segments, with the key that each has.
    private func list(_ origin: FaultyOrigin, _ keys: [Int: String], isEnded: Bool = false) {
        let names = origin.segments()
        let lines = keys.sorted { $0.key < $1.key }.flatMap { number, key in
            [
                "#EXT-X-KEY:METHOD=AES-128,URI=\"\(key)\",IV=0x\(String(repeating: "0", count: 32))",
                "#EXTINF:1,", names[number],
            ]
        }
        let head = [
            "#EXTM3U", "#EXT-X-TARGETDURATION:1", "#EXT-X-MEDIA-SEQUENCE:\(keys.keys.min() ?? 0)",
        ]
        origin.serve(
            "/vod/live.m3u8",
            (head + lines + (isEnded ? ["#EXT-X-ENDLIST", ""] : [""])).joined(separator: "\n"))
    }

    @Test("The key of segments that the source has dropped unread is not missed")
    func droppedKey() async throws {
        try await FaultyOrigin.run(serving: .encrypted) { origin in
            let downloading = try Downloading()
            list(origin, [0: "secret.key", 1: "second.key"])
            #expect(try await downloading.run(origin.request("/vod/live.m3u8")).state == .failed)
            list(origin, [2: "secret.key", 3: "secret.key"], isEnded: true)
            let task = try await downloading.run(origin.request("/vod/live.m3u8"))
            #expect(task.state == .completed, "\(task.error?.detail ?? "")")
            #expect(task.notes == ["2 s of it are missing at the source"])
            let playlist = try readMedia(
                String(decoding: downloading.bytes("task", "index.m3u8"), as: UTF8.self))
            #expect(playlist.segments.map(\.isGap) == [true, true, false, false])
            #expect(playlist.segments.map(\.keys.isEmpty) == [true, true, false, false])
        }
    }

    @Test("A key that is gone from the folder and from the source is named as the file that it was")
    func goneKey() async throws {
        try await FaultyOrigin.run(serving: .encrypted) { origin in
            var downloading = try Downloading()
            downloading.options.parallel = 1
            list(origin, [0: "secret.key", 1: "secret.key"])
            origin.fail(origin.segments()[1], Array(repeating: .status(500), count: 8))
            #expect(try await downloading.run(origin.request("/vod/live.m3u8")).state == .failed)
            try FileManager.default.removeItem(atPath: downloading.path("task", "keys/1.key"))
            list(origin, [2: "secret.key"], isEnded: true)
            let task = try await downloading.run(origin.request("/vod/live.m3u8"))
            #expect(task.state == .failed)
            #expect(task.error?.detail.hasPrefix("the file keys/1.key is missing") ?? false)
        }
    }

    /// Serves `/vod/gap.m3u8`: the segments of `/vod/index.m3u8`, of which the second is a gap with tags of
    /// its own.
    ///
    /// - Returns: the segments
    private func serveGap(_ origin: FaultyOrigin, _ tags: String) throws -> [String] {
        let text = String(decoding: try #require(origin.bytes("/vod/index.m3u8")), as: UTF8.self)
        let head = text.split(separator: "\n").filter {
            $0.hasPrefix("#EXT-X-KEY") || $0.hasPrefix("#EXT-X-MAP")
        }
        let names = origin.segments()
        var lines: [String] = ["#EXTM3U", "#EXT-X-VERSION:7", "#EXT-X-TARGETDURATION:1"]
        for (index, name) in names.enumerated() {
            lines += index == 1 ? [tags, "#EXT-X-GAP"] : head.map { String($0) }
            lines += ["#EXTINF:1,", index == 1 ? "none.ts" : name]
        }
        origin.serve("/vod/gap.m3u8", (lines + ["#EXT-X-ENDLIST", ""]).joined(separator: "\n"))
        return names
    }

    @Test(
        "Key and initialization section of a gap are neither asked for nor missed",
        arguments: [
            (SampleStreams.Kind.encrypted, "#EXT-X-KEY:METHOD=AES-128,URI=\"none.key\""),
            (.encrypted, "#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"none.key\""),
            (.fragmentedMP4, "#EXT-X-MAP:URI=\"none.mp4\""),
        ])
    func keyOfGap(kind: SampleStreams.Kind, tags: String) async throws {
        try await FaultyOrigin.run(serving: kind) { origin in
            let names = try serveGap(origin, tags)
            let downloading = try Downloading()
            let task = try await downloading.run(origin.request("/vod/gap.m3u8"))
            #expect(task.state == .completed, "\(task.error?.detail ?? "")")
            #expect(task.notes == ["1 s of it are missing at the source"])
            #expect(!origin.log.contains { $0.path.hasPrefix("/vod/none") })
            let playlist = try readMedia(
                String(decoding: downloading.bytes("task", "index.m3u8"), as: UTF8.self))
            #expect(playlist.segments.map(\.isGap) == names.indices.map { $0 == 1 })
            for (segment, name) in zip(playlist.segments, names) where !segment.isGap {
                #expect(try downloading.bytes("task", segment.uri) == origin.bytes(name))
                #expect(segment.keys.isEmpty == (kind != .encrypted))
                #expect((segment.map == nil) == (kind != .fragmentedMP4))
            }
        }
    }
}
