import Digest
import HLS
import HTTP
import HTTPSupport
import TestSupport
import Testing
import Timeline

@testable import Downloader

/// FFmpeg writes EXT-X-KEY before EXT-X-MAP, without a vector unless it is given one.
@Suite("Initialization sections behind a key", .timeLimit(.minutes(30)))
struct SectionBehindKeyTests {
    private static let key = [UInt8](repeating: 7, count: 16)

    private func encrypted(_ clear: [UInt8], number: UInt64) throws -> [UInt8] {
        let vector = Key.bytes(ofInitializationVector: UInt128(number))
        var cipher = try AES128CBC(.encrypt, key: Self.key, iv: vector)
        return try cipher.update(clear) + cipher.finish()
    }

    /// Serves `/vod/keyed.m3u8`: the segments of `/vod/index.m3u8` and their section under one key.
    ///
    /// - Returns: the clear section
    private func serve(_ origin: FaultyOrigin, isClear: Bool) throws -> [UInt8] {
        let text = String(decoding: try #require(origin.bytes("/vod/index.m3u8")), as: UTF8.self)
        let map = try #require(try readMedia(text).segments[0].map)
        let section = try #require(origin.bytes("/vod/\(map.uri)"))
        origin.serve("/vod/one.key", Self.key)
        origin.serve("/vod/init.enc", isClear ? section : try encrypted(section, number: 5))
        var lines = [
            "#EXTM3U", "#EXT-X-VERSION:7", "#EXT-X-TARGETDURATION:1", "#EXT-X-MEDIA-SEQUENCE:5",
            "#EXT-X-KEY:METHOD=AES-128,URI=\"one.key\"", "#EXT-X-MAP:URI=\"init.enc\"",
        ]
        for (index, path) in origin.segments().enumerated() {
            let clear = try #require(origin.bytes(path))
            origin.serve("/vod/e\(index).m4s", try encrypted(clear, number: UInt64(5 + index)))
            lines += ["#EXTINF:1,", "e\(index).m4s"]
        }
        origin.serve("/vod/keyed.m3u8", (lines + ["#EXT-X-ENDLIST", ""]).joined(separator: "\n"))
        return section
    }

    @Test(
        "A section is stored once, and is clear or encrypted as the folder's playlist says",
        arguments: [true, false], [true, false])
    func stored(isClear: Bool, decrypts: Bool) async throws {
        try await FaultyOrigin.run(serving: .fragmentedMP4) { origin in
            let section = try serve(origin, isClear: isClear)
            let downloading = try Downloading()
            var request = origin.request("/vod/keyed.m3u8")
            request.decrypts = decrypts
            let task = try await downloading.run(request)
            #expect(task.state == .completed, "\(task.error?.detail ?? "")")
            let playlist = try readMedia(
                String(decoding: downloading.bytes("task", "index.m3u8"), as: UTF8.self))
            let maps = playlist.segments.compactMap(\.map)
            #expect(maps.count == origin.segments().count)
            #expect(maps.allSatisfy { $0.uri == "v0/init-1.mp4" && $0.keys.isEmpty == (isClear || decrypts) })
            let served = try #require(origin.bytes("/vod/init.enc"))
            #expect(try downloading.bytes("task", "v0/init-1.mp4") == (decrypts ? section : served))
            #expect(origin.requests(for: "/vod/init.enc").count == 1)
            #expect(try await downloading.playing("task").isEmpty)
        }
    }

    @Test("A clear section stays one in a later process", arguments: [true, false])
    func later(decrypts: Bool) async throws {
        try await FaultyOrigin.run(serving: .fragmentedMP4) { origin in
            let section = try serve(origin, isClear: true)
            origin.fail("/vod/e3.m4s", Array(repeating: .status(500), count: Limits.attempts))
            let downloading = try Downloading()
            var request = origin.request("/vod/keyed.m3u8")
            request.decrypts = decrypts
            #expect(try await downloading.run(request).state == .failed)
            let task = try await downloading.run(request)
            #expect(task.state == .completed, "\(task.error?.detail ?? "")")
            let playlist = try readMedia(
                String(decoding: downloading.bytes("task", "index.m3u8"), as: UTF8.self))
            #expect(playlist.segments.allSatisfy { $0.map?.keys.isEmpty == true && !$0.isGap })
            #expect(try downloading.bytes("task", "v0/init-1.mp4") == section)
            #expect(origin.requests(for: "/vod/init.enc").count == 1)
        }
    }

    /// A live list of these numbers.
    private func text(_ numbers: Range<UInt64>, gap: UInt64? = nil) -> String {
        "#EXTM3U\n#EXT-X-VERSION:7\n#EXT-X-TARGETDURATION:4\n#EXT-X-MEDIA-SEQUENCE:\(numbers.lowerBound)\n"
            + "#EXT-X-KEY:METHOD=AES-128,URI=\"one.key\"\n#EXT-X-MAP:URI=\"init.mp4\"\n"
            + numbers.map { "\($0 == gap ? "#EXT-X-GAP\n" : "")#EXTINF:4,\n\($0).m4s\n" }.joined()
    }

    private func expectOneSection(_ plan: RenditionPlan, of count: Int) {
        #expect(plan.parts.count == count)
        #expect(plan.parts.allSatisfy { $0.names.initSection == "init-1.mp4" })
        #expect(plan.parts.allSatisfy { $0.initSection?.key?.vector == 5 })
        #expect(plan.parts.compactMap { $0.key?.vector } == (0..<count).map { UInt128(5 + $0) })
    }

    @Test("A section has the number of the first segment after its tag, also while the list slides")
    func number() throws {
        let url = try HTTPURL("http://origin.example/live.m3u8")
        var (plan, keys) = (RenditionPlan(id: RenditionID(kind: .video, index: 0), url: url), KeyNames())
        for numbers in [5..<8, 7..<10] as [Range<UInt64>] {
            _ = try plan.take(try readMedia(text(numbers)), base: url, range: nil, keys: &keys)
        }
        expectOneSection(plan, of: 5)
        let names = plan.parts.map(\.names)
        let recorded = RecordedParts(
            plan.localPlaylist(isClear: false, isClosed: false),
            files: Set(names.map(\.file) + ["init-1.mp4"]))
        var later = RenditionPlan(id: plan.id, url: url, kept: names, recorded: .success(recorded))
        _ = try later.take(try readMedia(text(8..<12)), base: url, range: nil, keys: &keys)
        expectOneSection(later, of: 7)
    }

    @Test("A section keeps its number where a listed gap comes to the front")
    func gapInFront() throws {
        let url = try HTTPURL("http://origin.example/live.m3u8")
        var (plan, keys) = (RenditionPlan(id: RenditionID(kind: .video, index: 0), url: url), KeyNames())
        for numbers in [5..<8, 6..<9] as [Range<UInt64>] {
            let playlist = try readMedia(text(numbers, gap: 6))
            _ = try plan.take(playlist, base: url, range: nil, keys: &keys)
        }
        let sections = plan.parts.compactMap(\.initSection)
        #expect(sections.count == 3)
        #expect(sections.allSatisfy { $0.key?.vector == 5 })
    }
}
