import Foundation
import HTTPSupport
import TestSupport
import Testing

@Suite("A source with breaks for advertising", .limitedStacks)
struct MarkerTests {
    /// Breaks of two segments begin with the numbers 1, 7, 13 and so on.
    private static let every = 6
    private static let arguments = [
        "--segment-seconds", "1", "--list-seconds", "20", "--audio", "separate", "--break-every", "\(every)",
        "--captions",
    ]

    @Test(
        "has its markers in every window, in the time of the segments, also after the recorder was killed",
        .timeLimit(.minutes(30)))
    func windows() async throws {
        try await Stack.run(origin: Self.arguments) { stack in
            try await stack.addChannel()
            let early = try await stack.published(4)
            try await stack.settled(early[3].end)
            let growing = Task { try await follow(stack, from: early[1].middle, for: 14_000) }
            try await stack.published(9)
            try await stack.endService(SIGKILL)
            try await stack.startService()
            let entries = try await stack.published(17)
            let chosen = Array(entries[1...15])
            try await stack.settled(chosen[14].end)
            let range = (chosen[0].middle, chosen[14].middle)
            for rendition in ["v0", "a0"] {
                let path = stack.window(range.0, range.1, name: "\(rendition).m3u8")
                let list = try await stack.service.playlist(path)
                let own = try stack.ledger(rendition).filter { $0.end > range.0 && $0.start < range.1 }
                try checkCueTags(list, own)
                try checkRanges(list, entries)
                try await checkDigests(list, own, stack)
            }
            try await checkTimeline(stack, range, entries)
            #expect(
                try await stack.rows("SELECT count(*) FROM marker GROUP BY marker_id") == ["1", "1", "1"])
            let top = try await stack.service.playlist(stack.window(range.0, range.1))
            #expect(top.attributes("INSTREAM-ID", of: "EXT-X-MEDIA") == ["CC1"])
            #expect(top.attributes("CLOSED-CAPTIONS", of: "EXT-X-STREAM-INF") == ["captions"])
            for tag in ["#EXT-X-STREAM-INF:", "#EXT-X-I-FRAME-STREAM-INF:"] {
                let lines = top.lines.filter { $0.hasPrefix(tag) }
                #expect(lines.count == 1 && lines[0].contains("VIDEO-RANGE=SDR"))
            }
            #expect(try await stack.playing(stack.window(range.0, range.1)) == "")
            try await checkGrowth(growing.value)
        }
    }

    private func checkDigests(_ list: ReceivedPlaylist, _ own: [LedgerEntry], _ stack: Stack) async throws {
        #expect(try await stack.digests(of: list) == own.map(\.sha256))
    }

    /// The lines before each segment's EXTINF are those that the origin writes there.
    private func checkCueTags(_ list: ReceivedPlaylist, _ entries: [LedgerEntry]) throws {
        var tags: [[String]] = [[]]
        for line in list.lines {
            if line.hasPrefix("#EXT-X-CUE") || line.hasPrefix("#EXT-OATCLS") {
                tags[tags.count - 1].append(line)
            }
            if !line.hasPrefix("#") { tags.append([]) }
        }
        let expected = entries.map { entry -> [String] in
            switch entry.number % Self.every {
            case 1: ["#EXT-OATCLS-SCTE35:/DA=", "#EXT-X-CUE-OUT:DURATION=2"]
            case 2: ["#EXT-X-CUE-OUT-CONT:1/2"]
            case 3: ["#EXT-X-CUE-IN"]
            default: []
            }
        }
        #expect(tags.dropLast() == expected[...])
    }

    /// Each break of the window is there once, at the segments that it has in the ledger.
    private func checkRanges(_ list: ReceivedPlaylist, _ entries: [LedgerEntry]) throws {
        let ranges = list.lines.filter { $0.hasPrefix("#EXT-X-DATERANGE:") }
        #expect(ranges.count == 3, "\(ranges)")
        for (line, first) in zip(ranges, [1, 7, 13]) {
            let begin = try #require(entries.first { $0.number == first }).start
            let end = try #require(entries.first { $0.number == first + 2 }).start
            let one = try ReceivedPlaylist(line)
            #expect(one.attributes("ID", of: "EXT-X-DATERANGE") == ["break-\(first)"])
            #expect(line.contains("SCTE35-OUT=0xFC30") && line.contains("SCTE35-IN=0xFC31"))
            let dates = try ["START-DATE", "END-DATE"].map { name in
                try Instant.milliseconds(
                    try #require(one.attributes(name, of: "EXT-X-DATERANGE").first))
            }
            #expect(abs(dates[0] - begin) <= 60 && abs(dates[1] - end) <= 60, "\(line)")
        }
    }

    private func checkTimeline(
        _ stack: Stack, _ range: (Int64, Int64), _ entries: [LedgerEntry],
    ) async throws {
        let answer = try await stack.admin("/channels/ch1/timeline?from=\(range.0)&to=\(range.1)").json
        let markers = try #require(answer["markers"] as? [[String: Any]])
        let breaks = markers.filter { $0["class"] as? String == "test.break" }
        #expect(breaks.map { $0["id"] as? String } == ["break-1", "break-7", "break-13"])
        for marker in breaks {
            #expect((marker["attributes"] as? [String: String])?["SCTE35-OUT"] == "0xFC30")
            #expect(marker["end"] is String)
        }
        let outs = markers.filter { $0["class"] as? String == "EXT-X-CUE-OUT" }
        let starts = try outs.map { try Instant.milliseconds($0["begin"] as? String ?? "") }
        let first = entries.filter { $0.number % Self.every == 1 && $0.start >= range.0 }.map(\.start)
        #expect(zip(starts, first).allSatisfy { abs($0 - $1) <= 60 }, "\(starts) \(first)")
    }

    /// The states of an EVENT playlist, which the service may interrupt.
    private func follow(_ stack: Stack, from begin: Int64, for length: Int64) async throws -> [String] {
        let path = stack.window(begin, begin + length, name: "v0.m3u8", also: "&mode=event")
        var seen: [String] = []
        try await eventually("the end of the playlist") {
            guard let list = try? await stack.service.playlist(path) else { return false }
            if seen.last != list.text { seen.append(list.text) }
            return list.isEnded
        }
        return seen
    }

    private func checkGrowth(_ seen: [String]) throws {
        #expect(seen.count >= 4)
        for (earlier, later) in zip(seen, seen.dropFirst()) {
            #expect(later.hasPrefix(earlier), "\(earlier)\n-- then --\n\(later)")
        }
        let list = try ReceivedPlaylist(seen.last ?? "")
        #expect(list.attributes("ID", of: "EXT-X-DATERANGE").count >= 2)
        #expect(list.attributes("END-DATE", of: "EXT-X-DATERANGE").count >= 2)
    }
}
