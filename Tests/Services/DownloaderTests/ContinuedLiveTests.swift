import Concurrency
import Files
import Foundation
import HLS
import HTTPSupport
import Synchronization
import TestSupport
import Testing

@testable import Downloader

@Suite("Recordings of live playlists that were interrupted", .timeLimit(.minutes(30)))
struct ContinuedLiveTests {
    private static let kinds: [SampleStreams.Kind] = [.transportStream, .fragmentedMP4, .encrypted]

    /// A live presentation `/vod/live.m3u8` that lists some segments of `/vod/index.m3u8` as it is told.
    private final class Live: Sendable {
        private let renditions: [LiveRendition]

        init(_ origin: FaultyOrigin) throws {
            let index = String(decoding: try #require(origin.bytes("/vod/index.m3u8")), as: UTF8.self)
            guard index.contains("#EXT-X-STREAM-INF") else {
                renditions = [try LiveRendition(of: "index", as: "live", origin)]
                return
            }
            let live = index.replacing("video.m3u8", with: "v.m3u8").replacing("audio.m3u8", with: "a.m3u8")
            origin.serve("/vod/live.m3u8", live)
            renditions = try [("video", "v"), ("audio", "a")].map { source, name in
                try LiveRendition(of: source, as: name, origin)
            }
        }

        /// Lists these segments, and after one reading that there are no more.
        func list(_ segments: Range<Int>) {
            for rendition in renditions { rendition.list(segments) }
        }
    }

    /// A live playlist that lists some segments of another one.
    private final class LiveRendition: Sendable {
        private let listed = Mutex((segments: 0..<4, isEnded: false))
        private let head: [Substring]
        private let segments: [String]

        init(of source: String, as name: String, _ origin: FaultyOrigin) throws {
            let bytes = try #require(origin.bytes("/vod/\(source).m3u8"))
            let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
            head = lines.filter { $0.hasPrefix("#EXT-X-KEY") || $0.hasPrefix("#EXT-X-MAP") }
            segments = lines.filter { !$0.hasPrefix("#") }.map { "/vod/\($0)" }
            origin.serve("/vod/\(name).m3u8") { [self] _ in self.text() }
        }

        func list(_ segments: Range<Int>) {
            listed.withLock { $0 = (segments, false) }
        }

        private func text() -> String {
            let (listed, isEnded) = listed.withLock { state in
                defer { state.isEnded = state.segments.upperBound == segments.count }
                return state
            }
            let lines =
                ["#EXTM3U", "#EXT-X-VERSION:7", "#EXT-X-TARGETDURATION:1"]
                + ["#EXT-X-MEDIA-SEQUENCE:\(listed.lowerBound)"] + head.map { String($0) }
                + listed.flatMap { ["#EXTINF:1,", segments[$0]] } + (isEnded ? ["#EXT-X-ENDLIST"] : [])
            return lines.joined(separator: "\n") + "\n"
        }
    }

    /// A recording that failed at its fourth segment, and went on where the source listed others only.
    private func continued(
        _ origin: FaultyOrigin, from first: Int, format: DownloadFormat = .folder, notes: [String]? = nil
    ) async throws -> Downloading {
        let live = try Live(origin)
        var downloading = try Downloading()
        downloading.options.parallel = 1
        var request = origin.request("/vod/live.m3u8")
        request.format = format
        origin.fail(origin.segments()[3], Array(repeating: .status(500), count: 8))
        #expect(try await downloading.run(request).state == .failed)
        live.list(first..<origin.segments().count)
        let task = try await downloading.run(request)
        #expect(task.state == .completed, "\(task.error?.detail ?? "")")
        #expect(task.notes == notes)
        return downloading
    }

    @Test("What was recorded stays in front of what comes", arguments: kinds)
    func whole(kind: SampleStreams.Kind) async throws {
        try await FaultyOrigin.run { origin in
            try await origin.serve(kind)
            let downloading = try await continued(origin, from: 3)
            let playlist = try readMedia(
                String(decoding: downloading.bytes("task", "index.m3u8"), as: UTF8.self))
            #expect(playlist.isEnded && !playlist.segments.contains { $0.isGap })
            #expect(playlist.segments.allSatisfy { $0.discontinuityCount == 0 })
            let files = try playlist.segments.map { try downloading.bytes("task", $0.uri) }
            #expect(files == origin.segments().compactMap { origin.bytes($0) })
            for path in origin.segments().prefix(3) { #expect(origin.requests(for: path).count == 1) }
            #expect(try await downloading.playing("task").isEmpty)
        }
    }

    @Test("What the source lists no more, and was not recorded, is a gap, which is told", arguments: kinds)
    func lost(kind: SampleStreams.Kind) async throws {
        try await FaultyOrigin.run { origin in
            try await origin.serve(kind)
            let notes = ["2 s of it are missing at the source"]
            let downloading = try await continued(origin, from: 5, notes: notes)
            let playlist = try readMedia(
                String(decoding: downloading.bytes("task", "index.m3u8"), as: UTF8.self))
            // The fifth was never listed while the task ran.
            #expect(playlist.segments.map(\.isGap) == [false, false, false, true, true, false])
            #expect(playlist.segments.map(\.discontinuityCount) == [0, 0, 0, 0, 0, 1])
            #expect(playlist.segments.allSatisfy { $0.durationMicroseconds == 1_000_000 })
            #expect(Set(playlist.segments.map(\.uri)).count == 6)
            let last = try #require(playlist.segments.last)
            #expect(try downloading.bytes("task", last.uri) == origin.bytes(origin.segments()[5]))
        }
    }

    @Test("A recording whose playlist cannot be read is left as it is")
    func unreadable() async throws {
        try await FaultyOrigin.run(serving: .transportStream) { origin in
            let live = try Live(origin)
            var downloading = try Downloading()
            downloading.options.parallel = 1
            let request = origin.request("/vod/live.m3u8")
            origin.fail(origin.segments()[3], Array(repeating: .status(500), count: 8))
            #expect(try await downloading.run(request).state == .failed)
            let words = "#EXTM3U\n#EXTINF:1,\n#EXT-X-STREAM-INF:BANDWIDTH=1\n"
            try words.write(
                toFile: downloading.path("task", "index.m3u8"), atomically: true, encoding: .utf8)
            let files = try downloading.files("task")
            live.list(5..<6)
            let task = try await downloading.run(request)
            #expect(task.state == .failed && task.error?.title == "Folder unusable")
            #expect(task.error?.detail.contains("index.m3u8 cannot be read") ?? false)
            #expect(try downloading.files("task") == files)
        }
    }

    @Test(
        "A single file of a recording with a gap is made all the same", arguments: [DownloadFormat.mp4, .ts])
    func packedGap(format: DownloadFormat) async throws {
        try await FaultyOrigin.run { origin in
            try await origin.serve(.transportStream)
            let notes = ["2 s of it are missing at the source"]
            let downloading = try await continued(origin, from: 5, format: format, notes: notes)
            #expect(Set(try downloading.files("task").keys) == ["task.\(format.rawValue)"])
        }
    }

    @Test("A single file has all of it", arguments: kinds)
    func packed(kind: SampleStreams.Kind) async throws {
        try await FaultyOrigin.run { origin in
            try await origin.serve(kind)
            let downloading = try await continued(origin, from: 3, format: .mp4)
            let seconds = try await Command.run(
                "/usr/bin/env",
                [
                    "ffprobe", "-v", "error", "-show_entries", "format=duration", "-of", "csv=p=0",
                    downloading.path("task", "task.mp4"),
                ])
            let length = try #require(Double(seconds.trimmingCharacters(in: .whitespacesAndNewlines)))
            #expect((5.8...6.3).contains(length))
        }
    }

    @Test(
        "A recording that was stopped and could not be packed is packed later, and is not recorded on",
        arguments: [SampleStreams.Kind.transportStream, .fragmentedMP4, .separateAudio],
        ["paused", "packing"])
    func packedLater(kind: SampleStreams.Kind, state: String) async throws {
        try await FaultyOrigin.run(serving: kind) { origin in
            let live = try Live(origin)
            let downloading = try Downloading()
            var asked = origin.request("/vod/live.m3u8")
            asked.format = kind == .transportStream ? .ts : .mp4
            let request = asked
            let running = Task { try await downloading.run(request, clock: .system, disk: .withoutPacking) }
            let renditions = kind == .separateAudio ? ["v0", "a0"] : ["v0"]
            try await eventually("the last segments") {
                renditions.allSatisfy { rendition in
                    let names = try? FileManager.default.contentsOfDirectory(
                        atPath: downloading.path("task", rendition))
                    return names?.contains { $0.hasPrefix("00004.") } ?? false
                }
            }
            running.cancel()
            #expect(try await running.value.state == .paused)
            let file = downloading.path("task", "task.json")
            let text = try String(contentsOfFile: file, encoding: .utf8)
            try text.replacing(#""state" : "paused""#, with: #""state" : "\#(state)""#)
                .write(toFile: file, atomically: true, encoding: .utf8)
            live.list(3..<6)
            let count = origin.log.count
            let task = try await downloading.run(request)
            #expect(task.state == .completed, "\(task.error?.detail ?? "")")
            #expect(task.segmentsDone == 4 * renditions.count)
            #expect(origin.log.count == count)
            let name = "task.\(request.format.rawValue)"
            #expect(Set(try downloading.files("task").keys) == [name])
            #expect(try await downloading.playing("task", name).isEmpty)
            if request.format == .ts {
                let whole = origin.segments().prefix(4).flatMap { origin.bytes($0) ?? [] }
                #expect(try downloading.bytes("task", name) == whole)
            }
        }
    }

    @Test("A live playlist that is stopped becomes the file that was asked for", arguments: ["mp4", "ts"])
    func stopped(format: String) async throws {
        try await FaultyOrigin.run { origin in
            try await origin.serve(.transportStream)
            let live = try Live(origin)
            let downloading = try Downloading()
            var asked = origin.request("/vod/live.m3u8")
            asked.format = try #require(DownloadFormat(rawValue: format))
            let request = asked
            let running = Task { try await downloading.run(request, clock: .system) }
            let last = downloading.path("task", "v0/00004.ts")
            try await eventually("the last segment") { FileManager.default.fileExists(atPath: last) }
            running.cancel()
            let task = try await running.value
            #expect(task.state == .completed && task.file == "task.\(format)")
            #expect(Set(try downloading.files("task").keys) == ["task.\(format)"])
            withExtendedLifetime(live) {}
        }
    }

    @Test(
        "A live playlist that is stopped while there is no network is complete as far as it goes",
        arguments: ["folder", "mp4", "ts"])
    func stoppedWithoutNetwork(format: String) async throws {
        let downloading = try Downloading()
        func state() throws -> TaskState {
            let bytes = try downloading.bytes("task", "task.json")
            return try JSONDecoder().decode(StoredTask.self, from: Data(bytes)).task.state
        }
        let form = try #require(DownloadFormat(rawValue: format))
        var running: Task<DownloadTask, any Error>?
        try await FaultyOrigin.run(serving: .transportStream) { origin in
            let live = try Live(origin)
            var asked = origin.request("/vod/live.m3u8")
            asked.format = form
            let request = asked
            running = Task { try await downloading.run(request, clock: .system) }
            let last = downloading.path("task", "v0/00004.ts")
            try await eventually("the last segment") { FileManager.default.fileExists(atPath: last) }
            withExtendedLifetime(live) {}
        }
        try await eventually("the state that waits") { try state() == .waitingForNetwork }
        running?.cancel()
        let task = try #require(try await running?.value)
        #expect(task.state == .completed && task.segmentsDone == 4, "\(task.error?.detail ?? "")")
        #expect(try state() == .completed)
        if form == .folder {
            let list = String(decoding: try downloading.bytes("task", "index.m3u8"), as: UTF8.self)
            #expect(list.contains("#EXT-X-ENDLIST"))
        } else {
            #expect(Set(try downloading.files("task").keys) == ["task.\(format)"])
        }
    }

    @Test(
        "A live recording that is stopped keeps the segments after one that had not come",
        arguments: [DownloadFormat.folder, .ts])
    func stoppedWithGap(format: DownloadFormat) async throws {
        try await FaultyOrigin.run(serving: .transportStream) { origin in
            let live = try Live(origin)
            let paths = origin.segments()
            origin.fail(paths[1], Array(repeating: .held(after: 1000), count: 20))
            let downloading = try Downloading()
            var asked = origin.request("/vod/live.m3u8")
            asked.format = format
            let request = asked
            let running = Task { try await downloading.run(request, clock: .system) }
            try await downloading.reached(["v0/00001.ts", "v0/00003.ts", "v0/00004.ts"])
            running.cancel()
            let task = try await running.value
            #expect(task.state == .completed && task.notes == ["1 s of it had not come when it was stopped"])
            let whole = try [0, 2, 3].map { try #require(origin.bytes(paths[$0])) }
            if format == .folder {
                let playlist = try readMedia(
                    String(decoding: downloading.bytes("task", "index.m3u8"), as: UTF8.self))
                #expect(playlist.isEnded)
                #expect(playlist.segments.map(\.isGap) == [false, true, false, false])
                let files = try playlist.segments.filter { !$0.isGap }.map {
                    try downloading.bytes("task", $0.uri)
                }
                #expect(files == whole)
            } else {
                #expect(try downloading.bytes("task", "task.ts") == Array(whole.joined()))
            }
            withExtendedLifetime(live) {}
        }
    }

    @Test("A live playlist of which a rendition has nothing yet is only paused when it is stopped")
    func stoppedWithoutVideo() async throws {
        try await FaultyOrigin.run(serving: .separateAudio) { origin in
            let live = try Live(origin)
            let video = (0..<4).map { "/vod/video\($0).ts" }
            // On a busy machine they are asked for again.
            for path in video { origin.fail(path, Array(repeating: .held(after: 1000), count: 20)) }
            var downloading = try Downloading()
            // The held segments take four of them.
            downloading.options.parallel = 8
            let request = origin.request("/vod/live.m3u8")
            let running = Task { try await downloading.run(request, clock: .system) }
            try await downloading.reached((1...4).map { "a0/0000\($0).aac" })
            running.cancel()
            let task = try await running.value
            #expect(task.state == .paused && task.error == nil)
            origin.release()
            var rest = request
            rest.duration = "4"
            let whole = try await downloading.run(rest)
            #expect(whole.state == .completed && whole.notes == nil && whole.segmentsDone == 8)
            withExtendedLifetime(live) {}
        }
    }
}
