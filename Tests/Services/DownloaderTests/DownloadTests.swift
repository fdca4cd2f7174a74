import Concurrency
import Digest
import Foundation
import HLS
import HTTPSupport
import TestSupport
import Testing
import Timeline

@testable import Downloader

@Suite("Downloads", .timeLimit(.minutes(30)))
struct DownloadTests {
    @Test(
        "Every kind of stream plays from its folder, and its bytes are the source's",
        arguments: SampleStreams.Kind.allCases)
    func kinds(kind: SampleStreams.Kind) async throws {
        try await FaultyOrigin.run { origin in
            try await origin.serve(kind)
            let downloading = try Downloading()
            var request = origin.request()
            request.subtitles = .all
            let task = try await downloading.run(request)
            #expect(task.state == .completed, "\(task.error?.detail ?? "")")
            #expect(task.progress == 1 && task.segmentsDone == task.segmentsTotal)
            let files = try downloading.files("task")
            for (name, bytes) in files where name.hasSuffix(".m3u8") {
                let text = String(decoding: bytes, as: UTF8.self)
                #expect(!text.contains("://") && !text.contains("..") && !text.contains("GAP"), "\(name)")
                let media = try? readMedia(text)
                #expect(media?.segments.allSatisfy { files[$0.uri] != nil } ?? true)
            }
            #expect(!files.keys.contains { $0.hasSuffix(".part") })
            let stored = files.filter { !$0.key.hasSuffix(".m3u8") && !$0.key.contains("/.parts") }
            let served = try await SampleStreams.files(kind)
            if kind == .byteRanges {
                let whole = stored.sorted { $0.key < $1.key }.flatMap(\.value)
                #expect(whole == served.first { $0.key.hasSuffix(".ts") }?.value)
            } else {
                let expected = Set(served.filter { !$0.key.hasSuffix(".m3u8") }.values)
                #expect(Set(stored.values) == expected)
            }
            #expect(try await downloading.playing("task").isEmpty)
        }
    }

    @Test("Only what is asked for is taken, and everything once")
    func once() async throws {
        try await FaultyOrigin.run { origin in
            try await origin.serve(.separateAudio)
            let downloading = try Downloading()
            let task = try await downloading.run(origin.request())
            #expect(task.renditions.map(\.id.description) == ["v0", "a0"])
            let paths = origin.log.map(\.path)
            #expect(Set(paths).count == paths.count)
            #expect(!paths.contains("/vod/words.m3u8") && !paths.contains("/vod/frames.m3u8"))
            #expect(origin.log.dropFirst().allSatisfy { $0.cookie == "visit=1" })
            let count = origin.log.count
            #expect(try await downloading.run(origin.request()).state == .completed)
            #expect(origin.log.count == count)
        }
    }

    @Test(
        "A faulty answer is asked for again until it is right",
        arguments: [
            [FaultyOrigin.Fault.cut(after: 3000)], [.cut(after: 0), .cut(after: 10)], [.webPage],
            [.status(503), .status(500), .status(429)], [.status(404), .status(404)],
            [.redirect("/vod/index1.ts")],
        ])
    func faults(faults: [FaultyOrigin.Fault]) async throws {
        try await FaultyOrigin.run { origin in
            try await origin.serve(.transportStream)
            let path = origin.segments()[1]
            let whole = origin.bytes(path)
            origin.fail(path, faults)
            let downloading = try Downloading()
            let task = try await downloading.run(origin.request())
            #expect(task.state == .completed, "\(task.error?.detail ?? "")")
            #expect(try downloading.bytes("task", "v0/00002.ts") == whole)
        }
    }

    @Test("A body that was cut continues where it stopped, but only with the same version")
    func range() async throws {
        try await FaultyOrigin.run { origin in
            try await origin.serve(.transportStream)
            let (path, other) = (origin.segments()[1], origin.segments()[2])
            origin.fail(path, [.cut(after: 3000)])
            origin.fail(other, [.cut(after: 3000)])
            origin.serve(other, try #require(origin.bytes(other)), tag: "two")
            let downloading = try Downloading()
            #expect(try await downloading.run(origin.request()).state == .completed)
            #expect(origin.requests(for: path).map(\.ifRange) == [nil, "\"one\""])
            #expect(origin.requests(for: path).last?.range?.hasPrefix("bytes=3000-") ?? false)
            #expect(try downloading.bytes("task", "v0/00002.ts") == origin.bytes(path))
            #expect(try downloading.bytes("task", "v0/00003.ts") == origin.bytes(other))
        }
    }

    @Test("A body that was cut begins again where the source sends the rest of another version")
    func restOfOtherVersion() async throws {
        try await FaultyOrigin.run { origin in
            try await origin.serve(.transportStream)
            let path = origin.segments()[1]
            origin.serve(path, try #require(origin.bytes(path)), tag: "two")
            // What is cut has the tag "one".
            origin.fail(path, [.cut(after: 3000)])
            origin.ignoreIfRange(of: path)
            let downloading = try Downloading()
            #expect(try await downloading.run(origin.request()).state == .completed)
            #expect(origin.requests(for: path).map { $0.range != nil } == [false, true, false])
            #expect(try downloading.bytes("task", "v0/00002.ts") == origin.bytes(path))
        }
    }

    @Test("An answer of another range never becomes part of a segment")
    func otherRange() async throws {
        try await FaultyOrigin.run { origin in
            try await origin.serve(.byteRanges)
            let path = try #require(origin.segments().first)
            origin.fail(path, [.wrongRange, .wrongRange])
            let downloading = try Downloading()
            let task = try await downloading.run(origin.request())
            #expect(task.state == .completed)
            let files = try downloading.files("task").filter { $0.key.hasSuffix(".ts") }
            #expect(files.sorted { $0.key < $1.key }.flatMap(\.value) == origin.bytes(path))
        }
    }

    @Test("Where a fault stays, the task fails with its name, and nothing half has a name")
    func stays() async throws {
        try await FaultyOrigin.run { origin in
            try await origin.serve(.transportStream)
            let path = origin.segments()[2]
            origin.fail(path, Array(repeating: .webPage, count: 8))
            let downloading = try Downloading()
            let failed = try await downloading.run(origin.request())
            #expect(failed.state == .failed)
            #expect(failed.error?.detail.contains("v0/00003.ts") ?? false)
            #expect(failed.error?.detail.contains("HTML") ?? false)
            #expect(try downloading.files("task")["v0/00003.ts"] == nil)
            #expect(origin.requests(for: path).count == 8)
            let count = origin.requests(for: origin.segments()[0]).count
            #expect(try await downloading.run(origin.request()).state == .completed)
            #expect(origin.requests(for: origin.segments()[0]).count == count)
        }
    }

    @Test("A token that changes is taken from the playlist once three answers have refused the old one")
    func token() async throws {
        try await FaultyOrigin.run { origin in
            try await origin.serve(.transportStream)
            let text = String(decoding: origin.bytes("/vod/index.m3u8") ?? [], as: UTF8.self)
            origin.require(token: "t=3")
            origin.serve("/vod/index.m3u8") { count in
                text.replacing(".ts", with: ".ts?t=\(count)")
            }
            var downloading = try Downloading()
            downloading.options.parallel = 1
            let task = try await downloading.run(origin.request())
            #expect(task.state == .completed, "\(task.error?.detail ?? "")")
            #expect(origin.requests(for: "/vod/index.m3u8").count == 3)
            let tokens = origin.requests(for: origin.segments()[0]).map(\.query)
            #expect(tokens == ["t=2", "t=2", "t=2", "t=3"])
            let files = try downloading.files("task")
            #expect(!files.contains { String(decoding: $0.value, as: UTF8.self).contains("t=3") })
            #expect(files["v0/00001.ts"] == origin.bytes(origin.segments()[0]))
        }
    }

    @Test("A token that no playlist mends fails the task")
    func refused() async throws {
        try await FaultyOrigin.run { origin in
            try await origin.serve(.transportStream)
            origin.require(token: "never")
            var downloading = try Downloading()
            downloading.options.parallel = 1
            let task = try await downloading.run(origin.request())
            #expect(task.state == .failed)
            #expect(task.error?.detail.contains("403") ?? false)
            #expect(origin.requests(for: origin.segments()[0]).count == 6)
        }
    }

    @Test("Encrypted segments stay so with their key, or are stored clear")
    func decrypting() async throws {
        try await FaultyOrigin.run { origin in
            try await origin.serve(.encrypted)
            let downloading = try Downloading()
            var request = origin.request()
            request.decrypts = true
            #expect(try await downloading.run(request).state == .completed)
            let files = try downloading.files("task")
            #expect(!files.keys.contains { $0.hasPrefix("keys/") })
            let playlist = try readMedia(
                String(decoding: origin.bytes("/vod/index.m3u8") ?? [], as: UTF8.self))
            for (index, segment) in playlist.segments.enumerated() {
                let clear = try #require(files["v0/0000\(index + 1).ts"])
                let vector = segment.keys[0].effectiveInitializationVector(
                    mediaSequenceNumber: playlist.number(at: index))
                var cipher = try AES128CBC(
                    .encrypt, key: (1...16).map { UInt8($0) }, iv: Key.bytes(ofInitializationVector: vector))
                let head = try cipher.update(clear)
                #expect(try head + cipher.finish() == origin.bytes("/vod/\(segment.uri)"))
            }
            #expect(try await downloading.playing("task").isEmpty)
        }
    }

    @Test("One transport stream has the segments in order, and replaces them")
    func joining() async throws {
        try await FaultyOrigin.run { origin in
            try await origin.serve(.transportStream)
            let downloading = try Downloading()
            var request = origin.request()
            request.format = .ts
            let task = try await downloading.run(request)
            #expect(task.state == .completed && task.file == "task.ts")
            let files = try downloading.files("task")
            #expect(Set(files.keys) == ["task.ts"])
            #expect(files["task.ts"] == origin.segments().flatMap { origin.bytes($0) ?? [] })
        }
    }

    @Test(
        "One MP4 file has title and language, and replaces the segments",
        arguments: SampleStreams.Kind.allCases)
    func packing(kind: SampleStreams.Kind) async throws {
        try await FaultyOrigin.run { origin in
            try await origin.serve(kind)
            let downloading = try Downloading()
            var request = origin.request()
            request.format = .mp4
            request.subtitles = .all
            request.title = "A \"title\"; with $(signs)"
            let task = try await downloading.run(request)
            #expect(task.state == .completed && task.file == "task.mp4", "\(task.error?.detail ?? "")")
            #expect(Set(try downloading.files("task").keys) == ["task.mp4"])
            let facts = try await Command.run(
                "/usr/bin/env",
                [
                    "ffprobe", "-v", "error", "-show_entries",
                    "stream=codec_name:stream_tags=language:format_tags=title", "-of", "compact",
                    downloading.path("task", "task.mp4"),
                ])
            #expect(facts.contains("h264") && facts.contains("aac"))
            #expect(facts.contains("title=A \"title\"; with $(signs)"))
            #expect(facts.contains("mov_text") == (kind == .separateAudio))
            #expect(facts.components(separatedBy: "language=eng").count == (kind == .separateAudio ? 3 : 1))
            #expect(try await downloading.playing("task", "task.mp4").isEmpty)
        }
    }

    @Test("A presentation that cannot be joined is refused, and the error says why")
    func notJoined() async throws {
        try await FaultyOrigin.run { origin in
            try await origin.serve(.separateAudio)
            let downloading = try Downloading()
            var request = origin.request()
            request.format = .ts
            let task = try await downloading.run(request)
            #expect(task.state == .failed)
            #expect(task.error?.detail.contains("separate audio") ?? false)
        }
    }

    @Test("Media that only the provider's player can open is refused by the name of its method")
    func protected() async throws {
        try await FaultyOrigin.run { origin in
            origin.serve(
                "/vod/index.m3u8",
                "#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"skd://key\"\n"
                    + "#EXTINF:4,\na.ts\n#EXT-X-ENDLIST\n")
            let task = try await Downloading().run(origin.request())
            #expect(task.state == .failed)
            #expect(task.error?.detail.contains("SAMPLE-AES") ?? false)
        }
    }

    @Test("Another presentation under the same id is refused, and nothing is touched")
    func otherPresentation() async throws {
        try await FaultyOrigin.run { origin in
            try await origin.serve(.transportStream)
            origin.fail(origin.segments()[3], Array(repeating: .status(500), count: 8))
            let downloading = try Downloading()
            #expect(try await downloading.run(origin.request()).state == .failed)
            let before = try downloading.files("task")
            let text = String(decoding: origin.bytes("/vod/index.m3u8") ?? [], as: UTF8.self)
            origin.serve("/vod/index.m3u8", text.replacing("index", with: "another"))
            let kept = try downloading.bytes("task", "task.json")
            let refusal = await #expect(throws: DownloadError.self) {
                try await downloading.run(origin.request())
            }
            #expect(refusal?.description.contains("--id") ?? false)
            #expect(try downloading.files("task") == before)
            #expect(try downloading.bytes("task", "task.json") == kept)
            await #expect(throws: DownloadError.self) {
                try await downloading.run(origin.request("/other/index.m3u8"))
            }
        }
    }

    @Test("A range takes the segments that overlap it")
    func timeRange() async throws {
        try await FaultyOrigin.run { origin in
            try await origin.serve(.transportStream)
            let downloading = try Downloading()
            var request = origin.request()
            request.range = TimeRange("1.5-3")
            let task = try await downloading.run(request)
            #expect(task.state == .completed && task.segmentsTotal == 2)
            let playlist = try readMedia(
                String(decoding: downloading.bytes("task", "index.m3u8"), as: UTF8.self))
            #expect(playlist.mediaSequence == 1 && playlist.isEnded)
            #expect(try downloading.bytes("task", "v0/00001.ts") == origin.bytes(origin.segments()[1]))
        }
    }

    @Test("A live playlist is recorded to its end")
    func live() async throws {
        try await FaultyOrigin.run { origin in
            try await origin.serve(.transportStream)
            let segments = origin.segments()
            let count = segments.count
            origin.serve("/vod/live.m3u8") { loads in
                let last = min(loads + 1, count)
                let first = max(0, last - 3)
                let lines = segments[first..<last].map { "#EXTINF:1,\n\($0)" }.joined(separator: "\n")
                let end = last == count ? "#EXT-X-ENDLIST\n" : ""
                return "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXT-X-MEDIA-SEQUENCE:\(first)\n\(lines)\n\(end)"
            }
            let downloading = try Downloading()
            let task = try await downloading.run(origin.request("/vod/live.m3u8"))
            #expect(task.state == .completed, "\(task.error?.detail ?? "")")
            #expect(task.segmentsDone == count)
            for (index, path) in segments.enumerated() {
                #expect(try downloading.bytes("task", "v0/0000\(index + 1).ts") == origin.bytes(path))
                #expect(origin.requests(for: path).count == 1)
            }
        }
    }

    @Test("A live playlist that is stopped is complete as far as it goes")
    func stoppedLive() async throws {
        try await FaultyOrigin.run { origin in
            try await origin.serve(.transportStream)
            origin.reopen("/vod/index.m3u8")
            let downloading = try Downloading()
            let request = origin.request()
            let running = Task { try await downloading.run(request, clock: .system) }
            let last = downloading.path("task", "v0/0000\(origin.segments().count).ts")
            try await eventually("the last segment") { FileManager.default.fileExists(atPath: last) }
            running.cancel()
            #expect(try await running.value.state == .completed)
            let playlist = String(decoding: try downloading.bytes("task", "index.m3u8"), as: UTF8.self)
            #expect(playlist.contains("#EXT-X-ENDLIST"))
            #expect(try await downloading.playing("task").isEmpty)
        }
    }

    @Test(
        "A task that was stopped fetches only what is missing",
        arguments: SampleStreams.Kind.allCases)
    func stopped(kind: SampleStreams.Kind) async throws {
        var random = SeededGenerator(seed: 11)
        try await FaultyOrigin.run { origin in
            try await origin.serve(kind)
            let whole = try Downloading()
            #expect(try await whole.run(origin.request()).state == .completed)
            for _ in 0..<8 {
                let downloading = try Downloading()
                // A slow machine gets more time with each run, so that it comes to an end.
                var (isCompleted, longest) = (false, 40)
                while !isCompleted {
                    let there = try downloading.numbers("task")
                    let request = origin.request()
                    let running = Task { try await downloading.run(request) }
                    try await Task.sleep(for: .milliseconds(Int.random(in: 1...longest, using: &random)))
                    running.cancel()
                    longest += 10
                    do {
                        isCompleted = try await running.value.state == .completed
                    } catch DownloadError.cancelled {
                        // Stopped before it had begun.
                    }
                    let after = try downloading.numbers("task")
                    #expect(there.allSatisfy { after[$0.key] == $0.value })
                }
                let files = try downloading.files("task").filter { !$0.key.hasSuffix(".part") }
                #expect(files == (try whole.files("task")))
            }
        }
    }
}
