import Foundation
import HTTPSupport
import TestSupport
import Testing

@Suite("Lists that grow and slide", .limitedStacks)
struct GrowingListTests {
    @Test("An EVENT list only ever appends, and ends when its window is over", .timeLimit(.minutes(30)))
    func event() async throws {
        try await Stack.run(origin: ["--segment-seconds", "1"]) { stack in
            try await stack.addChannel()
            let early = try await stack.published(3)
            try await stack.settled(early[1].end)
            let end = try #require(try stack.ledger().last).middle + 6_000
            let path = stack.window(early[0].middle, end, also: "&mode=event")
            var seen: [String] = []
            try await eventually("the end of the list") {
                let list = try await stack.service.playlist(path)
                if seen.last != list.text { seen.append(list.text) }
                return list.isEnded
            }
            #expect(seen.count >= 4)
            for (earlier, later) in zip(seen, seen.dropFirst()) {
                #expect(later.hasPrefix(earlier), "\(earlier)\n-- then --\n\(later)")
            }
            let list = try ReceivedPlaylist(seen.last ?? "")
            #expect(list.tag("EXT-X-PLAYLIST-TYPE") == "EVENT")
            let published = try stack.ledger().filter { $0.end > early[0].middle && $0.start < end }
            #expect(try await stack.digests(of: list) == published.map(\.sha256))
        }
    }

    @Test(
        "The sliding list's sequence numbers never run back, and name the same segments",
        .timeLimit(.minutes(30)))
    func sliding() async throws {
        let arguments = ["--segment-seconds", "1", "--prefill", "25"]
        try await Stack.run(origin: arguments) { stack in
            try await stack.addChannel()
            try await stack.settled(try stack.ledger()[20].end)
            try await stack.fault("restart&discontinuity=true")
            var lists: [ReceivedPlaylist] = []
            try await eventually("a discontinuity that has slid out") {
                let list = try await stack.service.playlist("/live/ch1/index.m3u8")
                if lists.last?.text != list.text { lists.append(list) }
                return Self.number("EXT-X-DISCONTINUITY-SEQUENCE", list) > 0
            }
            check(lists)
        }
    }

    private static func number(_ tag: String, _ list: ReceivedPlaylist) -> Int {
        list.tag(tag).flatMap { Int($0) } ?? 0
    }

    private func check(_ lists: [ReceivedPlaylist]) {
        var names: [Int: String] = [:]
        var last = (media: 0, discontinuity: 0)
        for list in lists {
            let media = Self.number("EXT-X-MEDIA-SEQUENCE", list)
            let discontinuity = Self.number("EXT-X-DISCONTINUITY-SEQUENCE", list)
            #expect(media >= last.media && discontinuity >= last.discontinuity)
            #expect(!list.isEnded)
            last = (media, discontinuity)
            for (index, uri) in list.uris.enumerated() {
                #expect(names[media + index, default: uri] == uri)
                names[media + index] = uri
            }
        }
        #expect(last.media > 0)
    }
}
