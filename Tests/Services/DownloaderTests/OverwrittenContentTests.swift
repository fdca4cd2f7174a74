import Concurrency
import Digest
import Foundation
import HLS
import HTTPSupport
import Synchronization
import TestSupport
import Testing

@testable import Downloader

@Suite("Keys and initialization sections that a live source overwrites", .timeLimit(.minutes(30)))
struct OverwrittenContentTests {
    private static let zeros = String(repeating: "0", count: 32)
    private static let keys = ["0123456789abcdef", "fedcba9876543210"]
    private static let head = [
        "#EXTM3U", "#EXT-X-TARGETDURATION:1",
        "#EXT-X-KEY:METHOD=AES-128,URI=\"live.key\",IV=0x\(zeros)",
    ]

    private func serve(_ path: String, _ clear: [UInt8], under key: String, _ origin: FaultyOrigin) throws {
        var cipher = try AES128CBC(.encrypt, key: Array(key.utf8), iv: [UInt8](repeating: 0, count: 16))
        origin.serve(path, try cipher.update(clear) + cipher.finish())
    }

    /// Serves `/vod/e0.ts…` and `/vod/live.m3u8` with the one key URI `live.key`, whose content changes at
    /// the fourth segment.
    ///
    /// The list has three segments for its first four requests, and then all.
    private func serveRotation(_ origin: FaultyOrigin) throws {
        let paths = origin.segments()
        for (index, path) in paths.enumerated() {
            let key = Self.keys[index < 3 ? 0 : 1]
            try serve("/vod/e\(index).ts", try #require(origin.bytes(path)), under: key, origin)
        }
        let isRotated = Mutex(false)
        origin.serve("/vod/live.key") { _ in Self.keys[isRotated.withLock { $0 ? 1 : 0 }] }
        origin.serve("/vod/live.m3u8") { count in
            let isLonger = count > 4
            if isLonger { isRotated.withLock { $0 = true } }
            let names = paths.indices.prefix(isLonger ? 6 : 3).flatMap { ["#EXTINF:1,", "e\($0).ts"] }
            return (Self.head + names + [isLonger ? "#EXT-X-ENDLIST" : "", ""]).joined(separator: "\n")
        }
    }

    private func expectWhole(_ downloading: Downloading, _ origin: FaultyOrigin) throws {
        let playlist = try readMedia(
            String(decoding: downloading.bytes("task", "index.m3u8"), as: UTF8.self))
        #expect(playlist.isEnded && playlist.segments.count == 6)
        for (segment, path) in zip(playlist.segments, origin.segments()) {
            #expect(!segment.isGap)
            let key = try #require(segment.keys.first?.uri)
            var cipher = try AES128CBC(
                .decrypt, key: try downloading.bytes("task", key), iv: [UInt8](repeating: 0, count: 16))
            let clear = try cipher.update(try downloading.bytes("task", segment.uri)) + cipher.finish()
            #expect(clear == origin.bytes(path))
        }
        #expect(Set(playlist.segments.compactMap { $0.keys.first?.uri }) == ["keys/1.key", "keys/2.key"])
    }

    @Test("Each segment has the key that opens it, also after an interruption", arguments: [false, true])
    func key(isInterrupted: Bool) async throws {
        try await FaultyOrigin.run(serving: .transportStream) { origin in
            try serveRotation(origin)
            var downloading = try Downloading()
            downloading.options.parallel = isInterrupted ? 1 : 4
            let request = origin.request("/vod/live.m3u8")
            if isInterrupted {
                origin.fail("/vod/e4.ts", Array(repeating: .status(500), count: Limits.attempts))
                let failed = try await downloading.run(request)
                #expect(failed.state == .failed && failed.segmentsDone == 4)
            }
            let task = try await downloading.run(request)
            #expect(task.state == .completed, "\(task.error?.detail ?? "")")
            try expectWhole(downloading, origin)
            #expect(origin.requests(for: "/vod/live.key").count == 2)
        }
    }

    @Test("After a damaged body the right key is used again", arguments: [1, 2])
    func damaged(count: Int) async throws {
        try await FaultyOrigin.run(serving: .transportStream) { origin in
            try serveRotation(origin)
            origin.fail("/vod/e4.ts", Array(repeating: .webPage, count: count))
            var downloading = try Downloading()
            downloading.options.parallel = 1
            let task = try await downloading.run(origin.request("/vod/live.m3u8"))
            #expect(task.state == .completed, "\(task.error?.detail ?? "")")
            try expectWhole(downloading, origin)
        }
    }

    @Test("The URI is asked for a new key before all former ones are tried")
    func manyKeys() async throws {
        try await FaultyOrigin.run(serving: .transportStream) { origin in
            let keys = (10..<20).map { "0123456789abcd\($0)" }
            let paths = keys.indices.map { origin.segments()[$0 % 6] }
            for (index, path) in paths.enumerated() {
                try serve("/vod/e\(index).ts", try #require(origin.bytes(path)), under: keys[index], origin)
            }
            // The next key at each request.
            origin.serve("/vod/live.key") { keys[min($0, keys.count) - 1] }
            let names = keys.indices.flatMap { ["#EXTINF:1,", "e\($0).ts"] }
            let lines = Self.head + names + ["#EXT-X-ENDLIST", ""]
            origin.serve("/vod/live.m3u8", lines.joined(separator: "\n"))
            var downloading = try Downloading()
            downloading.options.parallel = 1
            var request = origin.request("/vod/live.m3u8")
            request.decrypts = true
            let task = try await downloading.run(request)
            #expect(task.state == .completed, "\(task.error?.detail ?? "")")
            let playlist = try readMedia(
                String(decoding: downloading.bytes("task", "index.m3u8"), as: UTF8.self))
            let files = try playlist.segments.map { try downloading.bytes("task", $0.uri) }
            #expect(files == paths.compactMap { origin.bytes($0) })
            #expect(origin.requests(for: "/vod/live.key").count == keys.count)
        }
    }

    @Test("Segments that are stored clear are whole")
    func clear() async throws {
        try await FaultyOrigin.run(serving: .transportStream) { origin in
            try serveRotation(origin)
            let downloading = try Downloading()
            var request = origin.request("/vod/live.m3u8")
            request.decrypts = true
            let task = try await downloading.run(request)
            #expect(task.state == .completed, "\(task.error?.detail ?? "")")
            try downloading.expectSegments(of: origin)
        }
    }

    /// Serves `/vod/live.m3u8`: so many of the six segments, with a discontinuity before the fourth, and the
    /// section `live.mp4`.
    private func list(_ count: Int, _ origin: FaultyOrigin) {
        let head = ["#EXTM3U", "#EXT-X-VERSION:7", "#EXT-X-TARGETDURATION:1", "#EXT-X-MAP:URI=\"live.mp4\""]
        let names = origin.segments().prefix(count).enumerated().flatMap { index, name in
            (index == 3 ? ["#EXT-X-DISCONTINUITY"] : []) + ["#EXTINF:1,", name]
        }
        let end = count == 6 ? ["#EXT-X-ENDLIST", ""] : [""]
        origin.serve("/vod/live.m3u8", (head + names + end).joined(separator: "\n"))
    }

    private func section(of origin: FaultyOrigin) throws -> [UInt8] {
        let text = String(decoding: try #require(origin.bytes("/vod/index.m3u8")), as: UTF8.self)
        let map = try #require(try readMedia(text).segments[0].map)
        return try #require(origin.bytes("/vod/\(map.uri)"))
    }

    @Test(
        "After a discontinuity the section is fetched again, also by a later process",
        arguments: [false, true])
    func section(isInterrupted: Bool) async throws {
        try await FaultyOrigin.run(serving: .fragmentedMP4) { origin in
            let first = try section(of: origin)
            let second = first + [0, 0, 0, 8] + Array("free".utf8)
            origin.serve("/vod/live.mp4", first)
            list(3, origin)
            let downloading = try Downloading()
            let request = origin.request("/vod/live.m3u8")
            if isInterrupted {
                origin.fail(origin.segments()[2], Array(repeating: .status(500), count: Limits.attempts))
                #expect(try await downloading.run(request).state == .failed)
                origin.serve("/vod/live.mp4", second)
                list(6, origin)
            }
            let running = Task { try await downloading.run(request, clock: .system) }
            if !isInterrupted {
                try await downloading.reached(["v0/00003.m4s"])
                origin.serve("/vod/live.mp4", second)
                list(6, origin)
            }
            let task = try await running.value
            #expect(task.state == .completed, "\(task.error?.detail ?? "")")
            let playlist = try downloading.expectSegments(of: origin)
            for (index, segment) in playlist.segments.enumerated() {
                let map = try #require(segment.map)
                #expect(try downloading.bytes("task", map.uri) == (index < 3 ? first : second))
            }
            #expect(origin.requests(for: "/vod/live.mp4").count == 2)
        }
    }

    @Test("A section that is listed on both sides of a discontinuity in one reading is fetched once")
    func oneReading() async throws {
        try await FaultyOrigin.run(serving: .fragmentedMP4) { origin in
            origin.serve("/vod/live.mp4", try section(of: origin))
            list(6, origin)
            let task = try await Downloading().run(origin.request("/vod/live.m3u8"))
            #expect(task.state == .completed, "\(task.error?.detail ?? "")")
            #expect(origin.requests(for: "/vod/live.mp4").count == 1)
        }
    }
}
