import Foundation
import TestSupport
import Testing

@Suite("A window of our own that is downloaded", .limitedStacks)
struct DownloadedWindowTests {
    @Test(
        "has each published segment once, byte for byte, and plays when the service is gone",
        .timeLimit(.minutes(30)), arguments: [["--container", "ts"], ["--container", "fmp4"]])
    func window(container: [String]) async throws {
        try await Stack.run(origin: ["--segment-seconds", "1"] + container) { stack in
            try await stack.addChannel()
            let entries = try await stack.published(9)
            let chosen = Array(entries[1...7])
            try await stack.settled(chosen[6].end)
            let folder = stack.folder.path(of: "downloads")
            let begin = Date(timeIntervalSince1970: Double(chosen[0].middle) / 1000)
            let program = Program(
                Programs.path("backcast"),
                [
                    "download", await stack.service.base + "/live/\(Stack.channel)/index.m3u8", "--id",
                    "window",
                    "--begin", begin.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)),
                    "--duration", String(Double(chosen[6].middle - chosen[0].middle) / 1000), "--to", folder,
                ], log: stack.folder.path(of: "download.log"))
            let status = try await waitFor("the download") { try program.exitStatus }
            #expect(status == 0, "\(program.output)")
            try await stack.endService(SIGKILL)

            let task = "\(folder)/window"
            let list = try ReceivedPlaylist(String(contentsOfFile: "\(task)/index.m3u8", encoding: .utf8))
            #expect(list.isEnded && list.segments.first?.date == chosen[0].start)
            let digests = try await Command.run(
                "/usr/bin/env", ["sha256sum"] + list.uris.map { "\(task)/\($0)" })
            #expect(
                digests.split(separator: "\n").map { String($0.prefix(64)) } == chosen.map(\.sha256))
            let words = try await Command.run(
                "/usr/bin/ffmpeg",
                ["-nostdin", "-v", "warning", "-xerror", "-i", "\(task)/index.m3u8", "-f", "null", "-"])
            #expect(words == "")
        }
    }

    @Test("A window that has not ended yet is downloaded to its end", .timeLimit(.minutes(30)))
    func growing() async throws {
        try await Stack.run(origin: ["--segment-seconds", "1"]) { stack in
            try await stack.addChannel()
            let first = try #require(try await stack.published(3).last)
            let folder = stack.folder.path(of: "downloads")
            let begin = Date(timeIntervalSince1970: Double(first.middle) / 1000)
            let program = Program(
                Programs.path("backcast"),
                [
                    "download", await stack.service.base + "/live/\(Stack.channel)/index.m3u8", "--id",
                    "window", "--begin",
                    begin.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)),
                    "--duration", "20", "--to", folder,
                ], log: stack.folder.path(of: "download.log"))
            let status = try await waitFor("the download") { try program.exitStatus }
            #expect(status == 0, "\(program.output)")
            let list = try ReceivedPlaylist(
                String(contentsOfFile: "\(folder)/window/index.m3u8", encoding: .utf8))
            #expect(list.isEnded && list.segments.first?.date == first.start)
            // The segments that hold the first and the last instant, and all between them.
            #expect((20...22).contains(list.uris.count), "\(list.uris.count) segments")
        }
    }
}
