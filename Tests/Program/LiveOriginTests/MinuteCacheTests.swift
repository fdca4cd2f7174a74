import Foundation
import HTTP
import TestSupport
import Testing

@testable import LiveOrigin

@Suite("The encoded minute", .serialized)
struct MinuteCacheTests {
    /// Segments of one track over more than two repetitions, in one file.
    private func stream(_ minute: EncodedMinute, _ track: EncodedMinute.Track, into folder: TemporaryFolder)
        throws -> String
    {
        var bytes = track.initialization ?? []
        for index in 0..<minute.segmentCount * 2 + 2 {
            let stamp = Stamp(channel: "c", rendition: track.id, sourceRun: 0, number: index)
            bytes += minute.media(track, index: index, isContinuous: true).bytes(with: stamp)
        }
        let path = folder.path + "/\(track.id)-stream"
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        return path
    }

    /// Presentation times of one kind of packet.
    private func times(_ path: String, _ kind: String) throws -> [Double] {
        let result = try run([
            "ffprobe", "-v", "warning", "-select_streams", kind, "-show_entries", "packet=pts_time", "-of",
            "csv=p=0", path,
        ])
        #expect(result.status == 0 && result.errors == "")
        return result.output.split(separator: "\n").compactMap { Double($0.prefix { $0 != "," }) }
    }

    @Test(
        "Repetitions are continuous: no step in audio or video, and ffmpeg reports nothing",
        arguments: [
            (Container.ts, AudioPlacement.muxed), (.fmp4, .muxed), (.ts, .separate), (.fmp4, .separate),
        ])
    func continuity(container: Container, audio: AudioPlacement) async throws {
        let folder = try TemporaryFolder()
        var channel = options(container: container, audio: audio)
        channel.segmentSeconds = 0.8
        let minute = try await MinuteCache(folder: folder.path, options: channel, minuteSeconds: 3.2).minute()
        #expect(minute.segmentCount == 4)
        for track in minute.tracks {
            let path = try stream(minute, track, into: folder)
            for (kind, step) in [("v", 0.04), ("a", 0.032)] {
                let times = try times(path, kind)
                let steps = zip(times.dropFirst(), times).map { ($0 - $1) }
                #expect(steps.allSatisfy { abs($0 - step) < 0.000_1 }, "\(track.id) \(kind) \(steps)")
            }
            let play = try run(["ffmpeg", "-v", "warning", "-xerror", "-i", path, "-f", "null", "-"])
            #expect(play.status == 0 && play.errors == "")
        }
    }

    @Test("A minute is encoded once and reused")
    func cache() async throws {
        let folder = try TemporaryFolder()
        var channel = options()
        channel.segmentSeconds = 0.8
        let cache = MinuteCache(folder: folder.path, options: channel, minuteSeconds: 1.6)
        let first = try await cache.minute()
        let second = try await cache.minute()
        #expect(
            first.tracks.first?.segments.first?.bytes.bytes
                == second.tracks.first?.segments.first?.bytes.bytes)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 1)
    }

    @Test("Segments are filled up to the bit rate", arguments: Container.allCases)
    func padding(container: Container) async throws {
        let folder = try TemporaryFolder()
        let layout = Layout(
            container: container, audio: .muxed, variants: 1, bitsPerSecond: 20_000_000, hasSubtitles: false)
        let channel = ChannelOptions(layout: layout, segmentSeconds: 0.8)
        let minute = try await MinuteCache(folder: folder.path, options: channel, minuteSeconds: 1.6).minute()
        for segment in minute.tracks.flatMap(\.segments) {
            #expect(abs(segment.bytes.bytes.count - 2_000_000) < 200)
        }
        #expect(minute.bandwidths["v0"]?.peak ?? 0 > 19_900_000)
    }

    @Test(
        "The minute has whole frames of audio and video",
        arguments: [(4.0, 60.0, 15), (2, 60, 30), (2.4, 60, 25), (1.24, 60, 48), (4, 1, 1)])
    func count(segmentSeconds: Double, minuteSeconds: Double, expected: Int) {
        var channel = options()
        channel.segmentSeconds = segmentSeconds
        let cache = MinuteCache(folder: "", options: channel, minuteSeconds: minuteSeconds)
        #expect(cache.segmentCount == expected)
    }
}
