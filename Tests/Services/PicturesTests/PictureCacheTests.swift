import SegmentStore
import Testing
import Timeline

@testable import Pictures

@Suite("Pictures in memory")
struct PictureCacheTests {
    private let channel: ChannelID

    init() throws {
        channel = try #require(ChannelID("news"))
    }

    /// One of several pictures of a segment.
    private func wanted(_ offset: Int) -> WantedPicture {
        let name = SegmentName(start: Instant(seconds: 0), revision: 0, fileExtension: .transportStream)
        return WantedPicture(
            segment: .segment(channel, RenditionID(kind: .video, index: 0), name),
            format: SegmentFormat(container: .transportStream), iv: nil, tableByteCount: 0,
            frame: KeyFrame(offset: offset, byteCount: 1, milliseconds: 0), width: nil)
    }

    private func picture(_ byteCount: Int) -> [UInt8] { [UInt8](repeating: 7, count: byteCount) }

    @Test("A picture that had to leave memory keeps its length")
    func dropped() {
        let cache = PictureCache(byteLimit: 100)
        #expect(cache.byteCount(of: wanted(0)) == nil)
        cache.keep(picture(60), for: wanted(0))
        cache.keep(picture(40), for: wanted(1))
        #expect(cache.picture(wanted(0)) == picture(60) && cache.picture(wanted(1)) == picture(40))
        cache.keep(picture(1), for: wanted(2))
        #expect(cache.picture(wanted(0)) == nil && cache.picture(wanted(1)) == nil)
        #expect(cache.picture(wanted(2)) == picture(1))
        #expect((0...3).map { cache.byteCount(of: wanted($0)) } == [60, 40, 1, nil])
        // It may be made again.
        cache.keep(picture(60), for: wanted(0))
        #expect(cache.picture(wanted(0)) == picture(60))
    }

    @Test("Lengths are bounded, and a picture in memory always has its own")
    func bounded() {
        let cache = PictureCache(byteLimit: 100, lengthLimit: 2)
        for offset in 0..<3 { cache.keep(picture(30 + offset), for: wanted(offset)) }
        #expect((0..<3).map { cache.byteCount(of: wanted($0)) } == [30, 31, 32])
        cache.keep(picture(90), for: wanted(3))
        #expect((0...3).map { cache.byteCount(of: wanted($0)) } == [nil, nil, 32, 90])
    }
}
