import TestSupport
import Testing
import Timeline

@testable import Recorder

@Suite("A source in use")
struct SourceSessionTests {
    private static func master(_ place: String) -> String {
        "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1000000\n\(place)/v.m3u8\n"
    }

    @Test("A list that goes on without segments that can be had is as bad as none, until one can be had")
    func misses() async throws {
        try await Origin.run { origin in
            let clock = TestClock()
            let session = SourceSession(
                [video(0): try origin.url("/v.m3u8"), video(1): try origin.url("/w.m3u8")],
                link: try origin.link(), clock: clock.clock)
            func condition(_ rendition: RenditionID) async -> SourceCondition {
                await session.report(rendition, .well, patience: .seconds(18))
            }
            for _ in 0..<3 {
                await session.tried(video(0), succeeded: false)
                clock.pass(6)
            }
            #expect(await condition(video(0)) == .well)
            clock.pass(1)
            // The other video still comes.
            #expect(await condition(video(0)) == .well)
            for _ in 0..<3 { await session.tried(video(1), succeeded: false) }
            clock.pass(19)
            #expect(await condition(video(1)) == .barren)
            await session.tried(video(0), succeeded: true)
            #expect(await condition(video(0)) == .well)
        }
    }

    @Test("Fewer than three misses are none, however long they are ago")
    func fewMisses() async throws {
        try await Origin.run { origin in
            let clock = TestClock()
            let session = SourceSession(
                [video(0): try origin.url("/v.m3u8")], link: try origin.link(), clock: clock.clock)
            for _ in 0..<2 { await session.tried(video(0), succeeded: false) }
            clock.pass(3600)
            #expect(await session.report(video(0), .well, patience: .seconds(18)) == .well)
        }
    }

    @Test("Where a variant answers nonsense for long, the configured URL is asked where it is now")
    func movedAway() async throws {
        try await House.run { house in
            try await Origin.run { origin in
                origin.serve("/index.m3u8", Self.master("a"))
                origin.serve("/a/v.m3u8", "<html>gone</html>")
                let clock = TestClock()
                let process = try await RecordingProcess(house, clock: clock.clock)
                try await process.recording(from: origin) {
                    try await eventually("the first edge") { origin.requests(for: "/a/v.m3u8") > 0 }
                    origin.serve("/index.m3u8", Self.master("b"))
                    clock.pass(60)
                    try await eventually("the other edge") { origin.requests(for: "/b/v.m3u8") > 0 }
                }
                await process.kill()
            }
        }
    }

    @Test("A list that leaves out what nobody asked it to is not taken")
    func delta() async throws {
        try await House.run { house in
            try await Origin.run { origin in
                origin.serve("/index.m3u8") { count in
                    count == 2
                        ? "#EXTM3U\n#EXT-X-VERSION:9\n#EXT-X-TARGETDURATION:1\n#EXT-X-MEDIA-SEQUENCE:1\n"
                            + "#EXT-X-SKIP:SKIPPED-SEGMENTS=1\n#EXTINF:1,\ndelta.ts\n"
                        : "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXT-X-MEDIA-SEQUENCE:1\n#EXTINF:1,\n1.ts\n"
                            + (count > 2 ? "#EXTINF:1,\n2.ts\n" : "")
                }
                let process = try await RecordingProcess(house)
                try await process.recording(from: origin) {
                    try await eventually("the whole list") { origin.requests(for: "/2.ts") > 0 }
                    #expect(origin.requests(for: "/delta.ts") == 0)
                }
                await process.kill()
            }
        }
    }
}
