import HLS
import Testing
import Timeline

@testable import Recorder

@Suite("The initialization vector of a segment whose key says none")
struct ImplicitVectorTests {
    /// Three segments without dates, under a key without an initialization vector.
    private static func text(_ number: UInt64, names first: Int) -> String {
        let entries = (first...first + 2).map { "#EXTINF:6,\n\($0).ts\n" }
        return "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXT-X-MEDIA-SEQUENCE:\(number)\n"
            + "#EXT-X-KEY:METHOD=AES-128,URI=\"key\"\n" + entries.joined()
    }

    private static func vectors(_ requests: [SegmentRequest]) -> [UInt128] {
        requests.compactMap { request in request.segment.entry.keys.first.map(request.segment.vector(of:)) }
    }

    static let numbers: [UInt64] = [0, 1 << 62 - 3, 1 << 62, 3 << 61, 1 << 63 - 3, 1 << 63, .max - 3]

    @Test("is the number that its playlist gives it, in 64 bits", arguments: numbers)
    func allBits(number: UInt64) throws {
        var driver = try StateDriver([SourceSettings(url: "http://one.test/live.m3u8")])
        let opening = try #require(driver.begin(at: 0).playlistRequests.first)
        let requests = try driver.answer(opening, Self.text(number, names: 0), at: 0.1).segmentRequests
        #expect(requests.map(\.segment.entry.uri) == ["0.ts", "1.ts", "2.ts"])
        #expect(Self.vectors(requests) == (0..<3).map { UInt128(number) + UInt128($0) })
    }

    @Test(
        "is that number also where it stands still while the playlist slides",
        arguments: [7, 1 << 63] as [UInt64])
    func standingStill(number: UInt64) throws {
        var driver = try StateDriver([SourceSettings(url: "http://one.test/live.m3u8")])
        let opening = try #require(driver.begin(at: 0).playlistRequests.first)
        try driver.answer(opening, Self.text(number, names: 0), at: 0.1)
        var (polls, time) = ([PlaylistRequest](), 6.0)
        while polls.isEmpty, time < 10 {
            time += 0.5
            polls = driver.playlistRequests(at: time)
        }
        let poll = try #require(polls.first)
        let requests = try driver.answer(poll, Self.text(number, names: 1), at: time).segmentRequests
        #expect(requests.map(\.segment.entry.uri) == ["3.ts"])
        #expect(Self.vectors(requests) == [UInt128(number) + 2])
    }
}
