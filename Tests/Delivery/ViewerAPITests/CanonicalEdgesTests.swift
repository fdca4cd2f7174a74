import HTTP
import HTTPSupport
import TestSupport
import Testing
import Timeline

@testable import Catalogue
@testable import Playback
@testable import ViewerAPI

/// The canonical URLs of long windows that have to be read from the catalogue.
@Suite(.serialized) struct CanonicalEdgesTests {
    /// Segments of half a minute, without a hole.
    private static func whole(_ ids: [(String, SegmentFormat)], hours: Int) -> Recording {
        var recording = Recording("cctv2", seconds: 0)
        for (id, format) in ids {
            recording.add(id, from: 0, count: hours * 120, format: format)
            let added = recording.segments.indices.suffix(hours * 120)
            for (number, index) in added.enumerated() {
                recording.segments[index].start = Double(number) * 30
                recording.segments[index].duration = 30
            }
        }
        recording.watermark = Double(hours * 3600)
        return recording
    }

    @Test(
        "The redirect of a cold day reads the blocks of its first and its last segment, and no other",
        arguments: [
            [("v0", SegmentFormat.muxed)], [("v0", .silent), ("a0", .sound)],
        ] as [[(String, SegmentFormat)]])
    func blocks(ids: [(String, SegmentFormat)]) async throws {
        try await ViewerFixture.with { recorder in
            try await recorder.record(Self.whole(ids, hours: 25))
            let canonical = "begintime=1469509516000&endtime=\(1_469_509_516 + 86_370)000"
            for file in ["index.m3u8", "master.m3u8", "v0.m3u8", "download.ts", "v0-iframes.m3u8"] {
                try await recorder.withReplica(isShared: false, isCanonical: true) { viewer async throws in
                    let path = "/live/cctv2/\(file)?begintime=1469509531&endtime=\(1_469_509_516 + 86_345)"
                    let answer = try await viewer.get(path)
                    #expect(answer.status == 302)
                    #expect(answer.headers["Location"] == "\(file)?\(canonical)")
                    #expect(answer.headers["Cache-Control"] == "public, max-age=3600")
                    #expect(try await viewer.heldBlocks() == 2 * ids.count)
                }
            }
            try await recorder.withReplica(isShared: false, isCanonical: true) { viewer async throws in
                #expect(try await viewer.get("/live/cctv2/v0.m3u8?\(canonical)").status == 200)
                #expect(try await viewer.heldBlocks() >= 97)
            }
        }
    }

    @Test("A short window is read as a whole")
    func short() async throws {
        try await ViewerFixture.with { recorder in
            try await recorder.record(Self.whole([("v0", .muxed)], hours: 4))
            try await recorder.withReplica(isShared: false, isCanonical: true) { viewer async throws in
                let answer = try await viewer.get("/live/cctv2/v0.m3u8?begintime=1469509531&duration=7200")
                #expect(answer.status == 302)
                #expect(try await viewer.heldBlocks() >= 9)
            }
        }
    }

    @Test(
        "A long window has the canonical URL that reading all of it gives", arguments: 0..<10 as Range<UInt64>
    )
    func equality(seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        let recording = Self.random(isMixed: seed % 2 == 1, &generator)
        let requests = (0..<6).map { _ in Self.request(&generator) }
        try await ViewerFixture.with { recorder in
            try await recorder.record(recording)
            try await recorder.withReplica(isShared: false, isCanonical: true) { warm async throws in
                // Short windows are read as a whole, and after them long ones are in memory.
                for half in 0..<22 {
                    let begin = 1_469_509_516 + half * 1_800
                    _ = try await warm.get("/live/cctv2/v0.m3u8?begintime=\(begin)&duration=1800")
                }
                for request in requests {
                    let known = try await warm.get("/live/cctv2/\(request)")
                    try await recorder.withReplica(isShared: false, isCanonical: true) { cold async throws in
                        let answer = try await cold.get("/live/cctv2/\(request)")
                        #expect(answer.status == known.status, "\(request)")
                        #expect(answer.headers["Location"] == known.headers["Location"], "\(request)")
                        #expect(answer.headers["Backcast-Next"] == known.headers["Backcast-Next"])
                        #expect(answer.headers["Cache-Control"] == known.headers["Cache-Control"])
                        guard seed % 2 == 0, answer.status == 302 else { return }
                        #expect(try await cold.heldBlocks() <= 2 * recording.renditions.count, "\(request)")
                    }
                }
            }
        }
    }

    /// Ten hours of up to three renditions with holes; if mixed, also with stretches of other formats.
    private static func random(isMixed: Bool, _ generator: inout SeededGenerator) -> Recording {
        var recording = Recording("cctv2", seconds: 0)
        let ids = ["v0", "v1", "a0"].prefix(Int.random(in: 1...3, using: &generator))
        for name in ids {
            recording.add(name, from: 0, count: 0)
            guard let id = RenditionID(name) else { continue }
            let usual: SegmentFormat = id.kind == .audio ? .sound : .muxed
            var (start, format, number) = (Double.random(in: 0..<40, using: &generator), usual, Int64(0))
            while start < 36_000 {
                let duration = Double(Int.random(in: 8_000...40_000, using: &generator)) / 1_000
                recording.segments.append(
                    Recording.Segment(
                        rendition: id, number: number, start: start, duration: duration, format: format,
                        plain: [1], stored: [1]))
                (start, number) = (start + duration, number + 1)
                if Int.random(in: 0..<100, using: &generator) == 0 {
                    start += Double(Int.random(in: 300...6_000_000, using: &generator)) / 1_000
                }
                guard isMixed, Int.random(in: 0..<300, using: &generator) == 0 else { continue }
                format = [usual, usual, .silent, .sound].randomElement(using: &generator) ?? usual
            }
        }
        (recording.watermark, recording.targetSeconds) = (42_100, 40)
        return recording
    }

    /// A window of five hours or more, in some spelling.
    private static func request(_ generator: inout SeededGenerator) -> String {
        let begin = 1_469_509_516_000 + Int.random(in: 0..<15_000_000, using: &generator)
        let end = begin + Int.random(in: 18_000_000..<30_000_000, using: &generator)
        let files = ["index.m3u8", "master.m3u8", "v0.m3u8", "v1.m3u8", "download.ts", "download.mp4"]
        let file = files.randomElement(using: &generator) ?? "index.m3u8"
        let form = Int.random(in: 0..<4, using: &generator)
        let rest = form == 0 ? "" : "&endtime=\(end)"
        let rendition = form == 1 && !file.hasPrefix("v") ? "&rendition=v0" : ""
        return "\(file)?begintime=\(begin)\(rest)\(rendition)"
    }
}

extension ViewerFixture {
    /// How many quarters of the channel are in memory.
    fileprivate func heldBlocks() async throws -> Int {
        guard let id = ChannelID("cctv2"), let channel = try await catalogue.channel(id) else { return 0 }
        let head = try await catalogue.head(of: channel.row)
        return head.renditions.reduce(0) { $0 + api.index.blocks.held(of: $1.row).count }
    }
}
