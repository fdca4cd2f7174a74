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
    /// A live list of these numbers.
    private func text(_ numbers: Range<UInt64>) -> String {
        "#EXTM3U\n#EXT-X-VERSION:7\n#EXT-X-TARGETDURATION:4\n#EXT-X-MEDIA-SEQUENCE:\(numbers.lowerBound)\n"
            + "#EXT-X-KEY:METHOD=AES-128,URI=\"one.key\"\n#EXT-X-MAP:URI=\"init.mp4\"\n"
            + numbers.map { "#EXTINF:4,\n\($0).m4s\n" }.joined()
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
}
