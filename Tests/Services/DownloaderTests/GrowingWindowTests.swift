import HLS
import HTTPSupport
import TestSupport
import Testing

@testable import Downloader

@Suite("Windows that have not ended, and lists that stand still", .timeLimit(.minutes(2)))
struct GrowingWindowTests {
    private func expectWhole(_ downloading: Downloading, _ origin: FaultyOrigin) throws {
        let playlist = try readMedia(
            String(decoding: downloading.bytes("task", "index.m3u8"), as: UTF8.self))
        #expect(playlist.isEnded && !playlist.segments.contains { $0.isGap })
        let files = try playlist.segments.map { try downloading.bytes("task", $0.uri) }
        #expect(files == origin.segments().compactMap { origin.bytes($0) })
        for path in origin.segments() { #expect(origin.requests(for: path).count == 1) }
    }

    @Test("A live playlist that stalls for long goes on being recorded")
    func stalled() async throws {
        try await FaultyOrigin.run(serving: .transportStream) { origin in
            let segments = origin.segments()
            origin.serve("/vod/live.m3u8") { count in
                let listed = segments.prefix(count <= 40 ? 3 : 6).flatMap { ["#EXTINF:1,", $0] }
                let lines = ["#EXTM3U", "#EXT-X-TARGETDURATION:1"] + listed
                return (lines + (count <= 40 ? [""] : ["#EXT-X-ENDLIST", ""])).joined(separator: "\n")
            }
            let downloading = try Downloading()
            let task = try await downloading.run(origin.request("/vod/live.m3u8"))
            #expect(task.state == .completed && task.notes == nil)
            try expectWhole(downloading, origin)
        }
    }

    @Test("A list is read after its target duration, an unchanged one after half, a stalled one after all")
    func pace() {
        var pause = ReloadPause(targetSeconds: 6)
        #expect(pause.next() == .seconds(6))
        for _ in 0..<29 {
            pause.wasUnchanged()
            #expect(pause.next() == .seconds(3))
        }
        pause.wasUnchanged()
        #expect(pause.next() == .seconds(6) && pause.stood == .seconds(6 + 29 * 3))
        pause.hasChanged()
        #expect(pause.stood == .zero)
        #expect(ReloadPause(targetSeconds: .max).next() == .seconds(60))
    }
}
